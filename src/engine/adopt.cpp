// Points that the caller decides on: those that others run, and those that are to be suggested next.

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "engine/optimizer_state.hpp"
#include "support/room.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;

std::optional<std::size_t> Optimizer::State::row_in_pool(const Configuration& configuration) const {
  const std::optional<std::size_t> row = store_.find_in_pool(configuration.numbers());
  if (row || !options_.candidates.pool) return row;
  throw InvalidConfiguration(
      text("configuration ", configuration.to_string(), " is not in the pool; give a row of the pool"));
}

std::uint64_t Optimizer::State::adopt(const Configuration& configuration) {
  Configuration point = own(configuration);
  const std::optional<std::size_t> pool_row = row_in_pool(point);
  if (history_.pending().size() >= most_running) {
    throw InvalidOptions(text("adopt with ", history_.pending().size(), " suggestions running; at most ",
                              most_running, " may run at once: tell or withdraw some before"));
  }
  const std::uint64_t id = next_id_;
  std::vector<double> encoded = space_.encode(point);
  internal::History::Suggestions adopted;
  internal::PendingPoint pending{std::move(point), std::move(encoded), pool_row};
  pending.receipt.phase = phase();
  adopted.emplace(id, std::move(pending));
  history_.make_room(1);
  ledger_.start({&id, 1});
  // Nothing fails from here on.
  ++next_id_;
  history_.suggest(std::move(adopted));
  return id;
}

void Optimizer::State::enqueue(const Configuration& configuration) {
  Configuration point = own(configuration);
  const std::string violated = space_.violated(point);
  if (!violated.empty()) {
    throw InvalidConfiguration(text("configuration ", point.to_string(), " violates the constraint '", violated,
                                    "', so that it is never suggested; enqueue one that satisfies it"));
  }
  const std::optional<std::size_t> pool_row = row_in_pool(point);
  internal::make_room(queue_, 1);
  // Nothing fails from here on.
  queue_.push_back({std::move(point), pool_row});
  blocked_.reset();
}

std::vector<Configuration> Optimizer::State::enqueued() const {
  std::vector<Configuration> configurations;
  for (const QueuedPoint& point : queue_) configurations.push_back(point.configuration);
  return configurations;
}

bool Optimizer::State::dequeue(const Configuration& configuration) {
  const Configuration point = own(configuration);
  const auto found = std::ranges::find_if(queue_, [&](const QueuedPoint& queued) {
    return std::ranges::equal(queued.configuration.numbers(), point.numbers());
  });
  if (found == queue_.end()) return false;
  queue_.erase(found);
  return true;
}

void Optimizer::State::serve_queue(Batch& batch) {
  for (std::size_t i = 0; i < queue_.size() && batch.round.idle() > 0; ++i) {
    const QueuedPoint& queued = queue_[i];
    if (!affordable(batch, queued.configuration, queued.pool_row)) {
      batch.queue_refused = true;
      continue;
    }
    batch.from_queue.push_back(i);
    Receipt receipt;
    receipt.phase = phase();
    receipt.enqueued = true;
    add(batch, queued.configuration, std::move(receipt), queued.pool_row);
  }
}

}  // namespace carbo
