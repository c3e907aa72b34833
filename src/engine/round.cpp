#include "engine/round.hpp"

#include <algorithm>
#include <limits>

namespace carbo::internal {

Round::Round(Batches batches, const Size& size, bool predicted)
    : first_alone_(batches == Batches::fill),
      queues_(predicted && batches != Batches::fixed),
      most_(size.most),
      loads_(size.workers),
      queued_(size.workers) {}

bool Round::open(Phase phase) const {
  if (!queues_) return true;
  return opened_ == 0 || (idle() > 0 && !(first_alone_ && phase == Phase::search));
}

std::size_t Round::opening(Phase phase) const {
  if (!open(phase)) return 0;
  return queues_ && first_alone_ && phase == Phase::search ? 1 : idle();
}

std::size_t Round::left() const {
  if (!queues_) return idle();
  const bool busy = idle() == 0 && !(length_ > loads_[least_loaded()]);
  return busy ? 0 : most_ - size_;
}

double Round::room(Phase phase) const {
  return open(phase) ? std::numeric_limits<double>::infinity() : length_ - loads_[least_loaded()];
}

std::size_t Round::least_loaded() const {
  if (idle() > 0) return opened_;
  return static_cast<std::size_t>(std::ranges::min_element(loads_) - loads_.begin());
}

Seat Round::add(double cost) {
  const std::size_t slot = least_loaded();
  ++size_;
  if (slot == opened_) {
    ++opened_;
    length_ = std::max(length_, cost);
  }
  loads_[slot] += cost;
  return {slot, queued_[slot]++};
}

}  // namespace carbo::internal
