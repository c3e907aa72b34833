#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <carbo/optimizer.hpp>

namespace carbo::internal {

/// Where a suggestion of a round runs: on which worker, after how many others.
struct Seat {
  std::size_t slot = 0;
  std::size_t order = 0;
};

/// Suggestions that an `ask` for so many workers, at most Optimizer::most_running, may make.
constexpr std::size_t most_in_round(Batches batches, std::size_t workers) {
  return batches == Batches::fixed ? workers : workers * Optimizer::most_per_worker;
}

/// Shares the suggestions of one `ask` out among its workers. What opens the round gets a worker of its own, and the
/// longest of these is the round's length; what follows must fit behind what the least loaded worker has.
class Round {
 public:
  struct Size {
    std::size_t workers = 0;
    std::size_t most = 0;  ///< suggestions, at least one a worker
  };

  Round() = default;
  /// `predicted`: whether it is known what evaluations will cost. Without that every worker gets one.
  Round(Batches batches, const Size& size, bool predicted);

  /// Whether workers may be given several suggestions.
  bool queues() const { return queues_; }
  /// Workers that have nothing to do.
  std::size_t idle() const { return loads_.size() - opened_; }
  /// Suggestions that may still be added; none where all workers are busy to the end of the round.
  std::size_t left() const;
  /// Whether the next suggestion of this phase may take as long as it likes.
  bool open(Phase phase) const;
  /// Suggestions that may, the next one and those after it.
  std::size_t opening(Phase phase) const;
  /// What the next suggestion of this phase may cost; infinity where the round is open to it.
  double room(Phase phase) const;
  /// The largest predicted cost of what opened the round; absent where nothing is predicted.
  std::optional<double> length() const { return queues_ && opened_ > 0 ? std::optional(length_) : std::nullopt; }
  /// The next suggestion. `cost`: predicted; not looked at where nothing is queued.
  Seat add(double cost);

 private:
  std::size_t least_loaded() const;

  bool first_alone_ = false;  ///< in the search the first pick alone opens the round
  bool queues_ = false;
  std::size_t most_ = 0;
  std::size_t size_ = 0;
  std::size_t opened_ = 0;  ///< workers that have something: the first so many
  double length_ = 0;
  std::vector<double> loads_;        ///< predicted cost of what each worker has
  std::vector<std::size_t> queued_;  ///< how many each has
};

}  // namespace carbo::internal
