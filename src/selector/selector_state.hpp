#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <carbo/memory_plan.hpp>
#include <carbo/selector.hpp>

#include "acquisition/fantasy_ensemble.hpp"
#include "backend/backend.hpp"
#include "models/model_pair.hpp"
#include "selector/caller_arrays.hpp"
#include "space/candidates.hpp"

namespace carbo {

/// Everything behind a Selector. Lives on the heap and never moves: its parts refer to one another.
class Selector::State {
 public:
  State(SelectorOptions options, const DeviceResources& resources);

  void set_pool(const SelectorPool& pool);
  void append(const Observations& observations);
  SelectorFit fit();
  std::size_t suggest(const PickRequest& request, const PickOutput& output);
  std::size_t design(const PickRequest& request, const PickOutput& output);
  void scores(const PickRequest& request, const MutableVectorRef& output);
  OwnedVector scores(const PickRequest& request, Scalar scalar);
  void withdraw(const IndexRef& rows);

  std::size_t pool_size() const { return pool_ ? pool_->set->size() : 0; }
  std::size_t available() const { return pool_ ? pool_->set->available() : 0; }
  std::size_t running() const { return running_.size(); }
  std::size_t observations() const { return learned_.size(); }
  bool on_device() const { return choice_.on_device; }
  const std::string& backend_reason() const { return choice_.reason; }

  std::atomic<bool> busy = false;  ///< a call is under way

 private:
  struct Pool {
    std::unique_ptr<internal::CandidateSet> set;
    internal::CandidateTable table;  ///< what cost models look at: no numbers where they need none
    std::vector<double> costs;       ///< known ones; empty where they are learned
    internal::ByteRange borrowed{};  ///< device memory that the set reads
  };
  /// Models and the options that they refer to.
  struct Learner {
    Learner(const Space& space, const SelectorOptions& options, CostOptions wanted, internal::Backend& backend,
            std::optional<std::size_t> pool_rows);
    CostOptions cost;
    internal::ModelPair models;
  };
  /// A row that was suggested, and not appended or withdrawn.
  struct Running {
    std::size_t row = 0;
    std::uint64_t id = 0;
    std::vector<double> point;
  };
  /// Rows picked by a call that has not returned: given back unless the call comes to its end.
  class Picks;

  std::unique_ptr<Learner> make_learner(std::span<const double> known_costs) const;
  bool numbers_needed(bool costs_known) const;
  /// Of a pool of so many rows and the models, with what runs and `picks` more fantasised.
  MemoryRequest memory_request(std::size_t rows, std::size_t picks) const;
  /// How that fits, `others` beside it. Throws OutOfMemory where it does not: not even the smallest models. A
  /// device's memory counts what it gives out itself.
  MemoryPlan plan(std::size_t rows, std::size_t picks, std::size_t others = 0) const;
  /// Models and the backend's work as planned.
  void follow(const MemoryPlan& plan);
  Pool& pool();
  void check_acquisition(const PickRequest& request) const;
  internal::PickRule rule(const PickRequest& request) const;
  void check_cost_limit(const PickRequest& request) const;
  void check_count(const PickRequest& request) const;
  void check_output(const PickRequest& request, const PickOutput& output);
  /// Models learn what was appended, with the hyperparameters that they have; `picks`: see host_memory.
  void take_up(std::size_t picks);
  void learn(bool fit_due);
  void require_objective(const char* call) const;
  std::vector<double> checked_objectives(std::vector<double> values) const;
  std::vector<double> checked_costs(std::vector<double> values, std::span<const std::size_t> rows) const;
  std::vector<std::size_t> checked_rows(const IndexRef& rows);
  /// Coordinates of these rows, from memory where they are running.
  std::vector<double> points_of(std::span<const std::size_t> rows);
  std::vector<Running>::iterator find_running(std::size_t row);
  /// Of the next suggestion; decides its fantasies. Rows that are withdrawn leave no trace in it.
  std::uint64_t next_id() const;
  internal::FantasyEnsemble make_ensemble(Acquisition acquisition);
  void fantasise_running(internal::FantasyEnsemble& ensemble) const;
  void set_design_to_known();
  std::size_t deliver(Picks& picks, const PickOutput& output);
  /// Calls `write` with what Backend::scores takes.
  template <class Write>
  void score(const PickRequest& request, const Write& write);

  SelectorOptions options_;
  Space space_;
  internal::BackendChoice choice_;
  std::unique_ptr<internal::Backend> backend_;
  internal::CallerArrays arrays_;
  std::optional<Pool> pool_;
  std::unique_ptr<Learner> learner_;
  std::vector<internal::LearnedPoint> learned_;
  std::unordered_set<std::uint64_t> points_;  ///< hashes of their coordinates
  std::vector<Running> running_;              ///< in the order in which they were suggested
  std::uint64_t versions_ = 0;                ///< of candidate tables
};

}  // namespace carbo
