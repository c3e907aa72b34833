#include "gp/row_choice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "support/random.hpp"

namespace carbo::internal {
namespace {

/// One in so many of the rows is kept because it is among the lowest, and as many because they are the latest.
constexpr std::size_t rows_per_low_one = 10;

/// Takes rows one by one and knows how far the others are from them.
class Spread {
 public:
  Spread(const TrainingData& rows, std::span<const double> inverse_lengthscales)
      : rows_(rows.size()), squared_(rows.size(), std::numeric_limits<double>::infinity()) {
    coordinates_.reserve((rows.columns + 1) * rows_);
    for (std::size_t c = 0; c < rows.columns; ++c)
      for (std::size_t i = 0; i < rows_; ++i) coordinates_.push_back(rows.view().row(i)[c] * inverse_lengthscales[c]);
    coordinates_.insert(coordinates_.end(), rows.targets.begin(), rows.targets.end());
  }

  bool taken(std::size_t row) const { return squared_[row] < 0; }
  void take(std::size_t row) {
    gaps_.assign(rows_, 0.0);
    for (std::size_t first = 0; first < coordinates_.size(); first += rows_) {
      const double* const column = coordinates_.data() + first;
      const double own = column[row];
      for (std::size_t i = 0; i < rows_; ++i) gaps_[i] += (column[i] - own) * (column[i] - own);
    }
    for (std::size_t i = 0; i < rows_; ++i) squared_[i] = gaps_[i] < squared_[i] ? gaps_[i] : squared_[i];
    squared_[row] = -1.0;  // never the farthest again
  }
  /// The first of those that are equally far.
  std::size_t farthest() const {
    return static_cast<std::size_t>(std::max_element(squared_.begin(), squared_.end()) - squared_.begin());
  }

 private:
  std::size_t rows_;
  std::vector<double> coordinates_;  ///< by coordinate, the target last
  std::vector<double> squared_;      ///< to the nearest that is taken; below 0 for these
  std::vector<double> gaps_;
};

}  // namespace

std::vector<std::size_t> choose_rows(const TrainingData& rows, std::size_t count,
                                     std::span<const double> inverse_lengthscales) {
  Spread spread(rows, inverse_lengthscales);
  const std::size_t of_a_kind = count / rows_per_low_one;
  std::vector<std::size_t> lowest(rows.size());
  std::iota(lowest.begin(), lowest.end(), std::size_t{0});
  std::stable_sort(lowest.begin(), lowest.end(),
                   [&](std::size_t a, std::size_t b) { return rows.targets[a] < rows.targets[b]; });
  std::vector<std::size_t> chosen;
  const auto take = [&](std::size_t row) {
    spread.take(row);
    chosen.push_back(row);
  };
  for (std::size_t i = 0; i < of_a_kind; ++i) take(lowest[i]);
  for (std::size_t row = rows.size(); row > 0 && chosen.size() < 2 * of_a_kind; --row)
    if (!spread.taken(row - 1)) take(row - 1);
  while (chosen.size() < count) take(spread.farthest());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> random_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  constexpr std::uint32_t lane = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::pair<double, std::size_t>> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = {uniform(seed, Draw::restart, i, lane), i};
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = order[i].second;
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace carbo::internal
