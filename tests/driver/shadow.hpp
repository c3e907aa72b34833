#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

namespace carbo::test {

/// What a caller knows of a study, kept by plain means: what was suggested, told and paid.
class Shadow {
 public:
  explicit Shadow(const Options& options) : options_(options), slots_(options.batch_size) {}

  void suggested(std::span<const Suggestion> batch);
  void told(std::uint64_t id, const Observation& expected);
  void told_unsuggested(const Observation& expected);
  void withdrawn(std::uint64_t id);
  void enqueued(std::span<const double> numbers) { queue_.emplace_back(numbers.begin(), numbers.end()); }
  /// Whether one waited.
  bool dequeued(std::span<const double> numbers);

  const std::map<std::uint64_t, std::vector<double>>& pending() const { return pending_; }
  const std::vector<Observation>& observations() const { return observations_; }
  /// What waits to be suggested, first come first.
  const std::vector<std::vector<double>>& queue() const { return queue_; }
  std::uint64_t next_id() const { return next_id_; }
  std::size_t evaluated_in_run() const { return evaluated_in_run_; }
  /// Whether these numbers were evaluated or are pending.
  bool known(std::span<const double> numbers) const;
  double spent() const;
  /// Sum of all costs ever told, for tolerances.
  double paid() const { return paid_; }
  std::optional<double> best() const;

  /// What differs between this and the optimizer; empty where nothing does. `deeply`: every observation is looked at.
  std::string difference(const Optimizer& optimizer, bool deeply) const;

 private:
  struct Entry {
    std::size_t batch = 0;
    std::size_t slot = 0;
    double cost = 0;
    bool finished = false;
  };

  std::size_t freest_slot() const;
  std::vector<double> slot_times() const;

  Options options_;
  std::size_t slots_;
  std::map<std::uint64_t, std::vector<double>> pending_;
  std::map<std::uint64_t, Entry> entries_;
  std::vector<Observation> observations_;
  std::multiset<std::vector<double>> points_;
  std::vector<std::vector<double>> queue_;
  double paid_ = 0;
  double unsuggested_ = 0;
  std::uint64_t next_id_ = 0;
  std::size_t batches_ = 0;
  std::size_t evaluated_in_run_ = 0;
};

/// Equal where they are the same number or both NaN.
bool same(double a, double b);

}  // namespace carbo::test
