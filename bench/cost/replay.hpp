#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carbo/options.hpp>

#include "bench/cost/rmse.hpp"
#include "bench/cost/timings.hpp"
#include "bench/study/curves.hpp"
#include "bench/study/method.hpp"

namespace carbo::cost_bench {

/// A measured table in place of training: the rows are the pool, errors and seconds are looked up.
class Replay {
 public:
  Replay(DataSource source, TimingTable table);

  const DataSource& source() const { return source_; }
  double lowest_error() const { return lowest_error_; }
  double mean_seconds() const { return mean_seconds_; }

  /// One run with this cost model, on the calling thread. `budget`: in seconds.
  study::StudyRun run(const study::Method& method, CostModelKind model, std::uint64_t seed, double budget) const;

 private:
  DataSource source_;
  TimingTable table_;
  std::shared_ptr<const Pool> pool_;
  double lowest_error_ = 0;
  double mean_seconds_ = 0;
};

/// Method and model of one curve.
struct Contender {
  study::Method method;
  NamedModel model;
};

/// Expected improvement, which no cost model enters; then EIpu and CArBO, each with every compared model.
std::vector<Contender> all_contenders();

/// What one contender did on one data set, over all seeds.
struct ContenderSummary {
  study::Traces traces{};
  std::vector<double> lower{}, middle{}, upper{};  ///< quartiles of the regret over the grid of the budget
  double evaluations = 0;                          ///< median number that finished inside the budget
  /// Against the same method with the warped GP; absent for the warped GP itself, and so for EI.
  std::optional<study::SavingsEstimate> saving{};
};

struct StudySettings {
  std::size_t seeds = 51;
  /// In mean costs of the table. EI then makes about as many evaluations as in the paper (33 to 50).
  double budget = 40;
};

/// One summary a contender, in the order of `all_contenders`. Uses all cores.
std::vector<ContenderSummary> run_contenders(const Replay& replay, const StudySettings& settings);

}  // namespace carbo::cost_bench
