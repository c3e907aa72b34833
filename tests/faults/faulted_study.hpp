#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <carbo/carbo.hpp>

#include "faults/sweep.hpp"

namespace carbo::test {

/// Cheap to evaluate, different everywhere: of the numbers of a configuration.
Evaluation evaluate(const Configuration& configuration);

/// With small models, summed costs and one thread: a run of milliseconds whose allocations are always the same.
Options quick(Options options);

/// A short study by ask and tell in which allocations fail. Every call that throws is made a second time; the first
/// must have thrown OutOfMemory and changed nothing. What was handed out, told and paid is reckoned apart.
class FaultedStudy {
 public:
  using Maker = std::function<std::pair<Space, Options>()>;

  /// `restored`: after a call that failed the study goes on from its state, which holds no code.
  explicit FaultedStudy(const Maker& make, bool restored = false);

  /// Asks, tells, fails, withdraws, ranks and leaves pending, by turns.
  void round(std::size_t count);
  /// Prior data, and a result of this run, for points that were not suggested.
  void tell_unsuggested(const Configuration& prior, const Configuration& own);
  /// A point that others run, one that is to be suggested next, and what the models know.
  void decide(const Configuration& adopted, const Configuration& enqueued);
  /// Holds the optimizer's records against the ones kept here.
  void check_records() const;
  const Transcript& transcript() const { return transcript_; }
  const Optimizer& optimizer() const { return *optimizer_; }

 private:
  struct Record {
    std::vector<double> numbers;
    std::optional<std::uint64_t> id{};
    ObservationStatus status = ObservationStatus::succeeded;
    double objective = 0;
    double cost = 0;
    std::string reason{};
  };

  /// `action(attempt)` inside a window; twice where the first fails.
  template <class Action>
  auto call(const char* name, const Action& action);
  void settle(const Suggestion& suggestion);
  void note(const std::string& line) { transcript_ += line + "\n"; }
  /// All that can be seen of the optimizer.
  std::string visible() const;
  double reckoned_spent() const;

  bool restored_;
  std::optional<Optimizer> optimizer_;
  std::map<std::uint64_t, std::vector<double>> handed_out_;
  std::map<std::uint64_t, std::size_t> round_of_;
  std::map<std::uint64_t, Suggestion> pending_;
  std::vector<Record> records_;
  std::vector<std::map<std::size_t, double>> costs_of_rounds_;  ///< by slot
  std::vector<double> costs_of_others_;
  Transcript transcript_;
};

}  // namespace carbo::test
