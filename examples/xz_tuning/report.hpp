#pragma once

#include <cstddef>
#include <string>

#include <carbo/minimize.hpp>

#include "xz.hpp"

namespace xz_tuning {

/// 1234567 as "1,234,567".
std::string grouped(std::size_t number);

/// How much smaller `bytes` is than `reference`, such as "36.9 % smaller".
std::string against(std::size_t bytes, std::size_t reference);

/// One line that tells how far a run has got: redrawn in place on a terminal, a new line at every tenth of the
/// budget elsewhere.
class ProgressLine {
 public:
  /// `baseline` is the size in bytes that the best one is compared with.
  explicit ProgressLine(std::size_t baseline);

  void show(const carbo::Progress& progress);
  /// Ends the line on a terminal.
  void finish();

 private:
  std::size_t baseline_;
  bool terminal_;
  int tenths_shown_ = -1;
};

/// One line a suggestion: why it was made, and what came of it.
void print_receipts(const carbo::Result& result);

/// Best command against the baseline, with sizes and CPU seconds.
void print_comparison(const carbo::Result& result, const Compression& baseline, const std::string& file);

}  // namespace xz_tuning
