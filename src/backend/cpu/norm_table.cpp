#include "backend/cpu/norm_table.hpp"

#include <algorithm>

#include "acquisition/proof.hpp"

namespace carbo::internal {

void NormTable::add(std::span<const double> normals) {
  const auto row = [&](std::size_t t) { return squares_.data() + t * fantasies_; };
  if (points_ < horizon_) {
    const double* expected = expected_.data() + (expected_.size() - (horizon_ - points_) * fantasies_);
    as_expected_ = as_expected_ && std::equal(normals.begin(), normals.end(), expected);
  } else {
    horizon_ = points_ + 1;
    as_expected_ = false;
    squares_.resize((horizon_ + 1) * fantasies_);
  }
  for (std::size_t f = 0; f < fantasies_; ++f) row(points_ + 1)[f] = row(points_)[f] + normals[f] * normals[f];
  ++points_;
  fill(points_, now_);
}

void NormTable::expect(std::span<const double> normals_ahead) {
  expected_.assign(normals_ahead.begin(), normals_ahead.end());
  as_expected_ = true;
  horizon_ = points_ + normals_ahead.size() / fantasies_;
  squares_.resize((horizon_ + 1) * fantasies_);
  for (std::size_t t = points_; t < horizon_; ++t)
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const double z = normals_ahead[(t - points_) * fantasies_ + f];
      squares_[(t + 1) * fantasies_ + f] = squares_[t * fantasies_ + f] + z * z;
    }
  fill(points_, now_);
  fill(horizon_, ahead_);
}

void NormTable::fill(std::size_t end, Norms& to) const {
  to.norms.assign((points_ + 1) * fantasies_, 0.0);
  to.most.assign(points_ + 1, 0.0);
  const double* last = squares_.data() + end * fantasies_;
  for (std::size_t version = 0; version <= points_ && version < end; ++version)
    for (std::size_t f = 0; f < fantasies_; ++f) {
      const std::size_t at = version * fantasies_ + f;
      to.norms[at] = kernels::stale_norm(last[f], squares_[at]);
      to.most[version] = std::max(to.most[version], to.norms[at]);
    }
}

}  // namespace carbo::internal
