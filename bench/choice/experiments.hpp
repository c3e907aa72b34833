#pragma once

#include <string>
#include <vector>

#include "bench/choice/evidence.hpp"
#include "bench/replay/laboratory.hpp"

namespace carbo::choice {

/// The cells of an experiment: each problem with each budget and each batch size.
struct Plan {
  std::vector<std::size_t> budgets{25, 50, 100};  ///< in mean costs
  std::vector<std::size_t> batches{1};
  std::size_t seeds = 51;
};

/// Makes what the laboratory lacks in `store` and summarises it. Problems and laboratory outlive the result.
std::vector<Measured> measure(replay::Laboratory& laboratory, const std::string& title, const std::string& store,
                              const std::vector<replay::Problem>& problems, const Plan& plan,
                              const std::vector<replay::Method>& methods);

/// The variant with the costs of a batch added up, under a name of its own.
Variant at_total_cost(Variant variant);
/// Each cell of `batches` with the methods of the cell of `sequence` that has its problem and budget. Throws
/// std::invalid_argument where there is none.
std::vector<Measured> beside_sequence(const std::vector<Measured>& batches, const std::vector<Measured>& sequence);

}  // namespace carbo::choice
