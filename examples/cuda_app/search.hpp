#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "device.hpp"
#include "library.hpp"
#include "savings.h"

/// The candidates, in device memory for as long as the application runs. Made by a kernel; does not wait.
class Library {
 public:
  Library(std::size_t size, const Stream& stream);
  std::size_t size() const { return size_; }
  const float* rows() const { return values_.data(); }  ///< size × 5, row-major

 private:
  std::size_t size_;
  DeviceArray<float> values_;
};

enum class Method {
  cooled,  ///< cost-effective design for an eighth of the budget, then EI-cool
  plain,   ///< EI: what a simulation costs is not looked at
};

struct Outcome {
  std::vector<search_point> points;  ///< after each simulation
  std::int64_t best_row = 0;
  std::size_t fits = 0;
  /// Candidates that promise at least a tenth of what the best one does when the budget is spent.
  std::size_t in_play = 0;
  std::size_t selector_bytes = 0;  ///< the most device memory that the selector held
};

/// One search of the library, all of it in the order of `stream`.
Outcome search(const Library& library, Method method, const Arguments& arguments, const Stream& stream);
