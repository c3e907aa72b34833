#pragma once

#include <string>

#include "program/evaluation/evaluator.hpp"

namespace carbo::program {

/// What a verdict speaks of.
struct Attempt {
  std::string program;
  bool shell = false;
  std::string directory;  ///< empty: the runner's own
  double seconds = 0;     ///< that it had at most
  std::size_t output_limit = 0;
};

/// What became of an attempt: a result, or one reason.
EvaluationRecord verdict(const Attempt& attempt, const ProcessEnd& end, const ResultReader& reader,
                         const Output& output, const Output& errors);

}  // namespace carbo::program
