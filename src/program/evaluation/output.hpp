#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "program/evaluation/descriptor.hpp"

namespace carbo::program {

/// One output of an evaluation: kept in a file up to a limit, its last bytes in memory, and handed on line by line. A
/// carriage return ends a line as well (progress bars).
class Output {
 public:
  static constexpr std::size_t longest_line = 1u << 20;  ///< of longer ones the beginning is handed on

  /// Throws StorageError where the file cannot be made.
  Output(const std::filesystem::path& file, std::size_t limit, std::function<void(std::string_view)> line);

  /// Throws StorageError where the disk is full.
  void take(std::string_view bytes);
  /// What is left of a line that had no end.
  void finish();

  std::size_t bytes() const { return bytes_; }
  bool cut() const { return bytes_ > limit_; }  ///< whether the file lacks something
  /// The last lines, at most so many, of each the beginning; what no terminal should be sent is replaced.
  std::string tail(std::size_t lines) const;

 private:
  void write(std::string_view bytes);
  void hand_on(std::string_view piece);

  std::string name_;
  Descriptor file_;
  std::size_t limit_;
  std::function<void(std::string_view)> line_;
  std::size_t bytes_ = 0;
  std::string open_;  ///< a line without its end, at most longest_line
  std::string last_;  ///< the last bytes of all
};

}  // namespace carbo::program
