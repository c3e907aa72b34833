// Rows that are added to a factor, and points that are predicted: a few at a time, side by side, so that L is read
// once for all of them. Their bits are those of one at a time.

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>

#include "acquisition/proof.hpp"
#include "backend/checks.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/jitter_policy.hpp"
#include "support/room.hpp"

namespace carbo::internal {
namespace {

/// A tile's columns at the widest level.
constexpr std::size_t points_at_once = 24;

/// Σ_i v_i w_i of lane `which` of row-major rows `lanes` apart, i ascending.
double lane_dot(const double* rows, std::size_t lanes, std::size_t which, const double* w, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum = plus_product(sum, rows[i * lanes + which], w[i]);
  return sum;
}

double lane_square(const double* rows, std::size_t lanes, std::size_t which, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum = plus_product(sum, rows[i * lanes + which], rows[i * lanes + which]);
  return sum;
}

MatrixView some_rows(MatrixView points, std::size_t first, std::size_t count) {
  return {points.data + first * points.columns, std::min(count, points.rows - first), points.columns};
}

}  // namespace

/// New points side by side: coordinates, and a row-major array of k(X, x), which becomes v = L⁻¹k(X, x), with room
/// for the rows of the points themselves. One alone has a lane alone.
struct CpuFactor::SideBySide {
  ScaledPoints points;
  std::size_t lanes = 0;
  Scratch rows;
  std::vector<double> priors;

  double* row(std::size_t i) const { return rows.data() + i * lanes; }
};

CpuFactor::SideBySide CpuFactor::side_by_side(MatrixView points, std::size_t rows) const {
  SideBySide made;
  made.points = scale(points);
  made.lanes = points.rows == 1 ? 1 : padded(points.rows);
  made.rows.reserve((padded(rows) + points.rows) * made.lanes);
  const PointColumns own = made.points.view();
  std::vector<double> one(columns());
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t c = 0; c < columns(); ++c) one[c] = own.data[c * own.stride + i];
    made.priors.push_back(prior_at(one));
  }
  if (made.lanes == 1) {
    covariance_row(one.data(), 1, this->points(), rows, parameters_.signal_variance, made.rows.data());
    solve_column(triangles_->data(), capacity_, rows, made.rows.data());
    return made;
  }
  alignas(64) double squared[points_at_once];
  const auto fill = [&](const double* point, std::size_t stride, double* row) {
    squared_distances(point, stride, own, 0, made.lanes, squared);
    matern_row(squared, made.lanes, parameters_.signal_variance, row);
  };
  for (std::size_t i = 0; i < rows; ++i) fill(scaled_.data() + i, capacity_, made.row(i));
  for (std::size_t i = 0; i < points.rows; ++i) fill(own.data + i, own.stride, made.row(rows + i));
  solve_columns({triangles_->data(), capacity_}, rows, made.rows.data(), made.lanes, made.lanes);
  return made;
}

double CpuFactor::new_pivot(const SideBySide& fresh, std::size_t which) const {
  return mean_diagonal() * (1.0 + jitter_) - lane_square(fresh.rows.data(), fresh.lanes, which, rows_);
}

void CpuFactor::add_row(const SideBySide& fresh, std::size_t which, double pivot_squared, double own_pivot_squared) {
  store_point(rows_, fresh.points.view(), which);
  double* const target = triangles_->data() + rows_ * capacity_;
  for (std::size_t i = 0; i < rows_; ++i) target[i] = triangles_->data()[i * capacity_ + rows_] = fresh.row(i)[which];
  target[rows_] = std::sqrt(pivot_squared);
  const double usual = parameters_.noise_variance + jitter_ * mean_diagonal();
  diagonal_.push_back(usual + (pivot_squared - own_pivot_squared));
  if (fresh.lanes > 1)
    solve_next_row({triangles_->data(), capacity_}, rows_, fresh.rows.data(), fresh.lanes, fresh.lanes);
  ++rows_;
}

bool CpuFactor::append(std::span<const double> point) {
  check_size(point.size(), columns(), "append, coordinates");
  check_finite(point, "append, point");
  return append_all({point.data(), 1, point.size()}) == 1;
}

std::size_t CpuFactor::append_all(MatrixView points) {
  if (fantasised() > 0) throw InvalidOptions("append: drop the fantasised points first");
  check_size(points.columns, columns(), "append, coordinates");
  check_finite(points, "append, point");
  const std::size_t before = observed_;
  for (std::size_t first = 0; first < points.rows; first += points_at_once) {
    const MatrixView some = some_rows(points, first, points_at_once);
    if (!append_together(some)) break;
  }
  return observed_ - before;
}

/// False where one has no pivot: those before it are appended.
bool CpuFactor::append_together(MatrixView points) {
  const SideBySide fresh = side_by_side(points, rows_);
  for (std::vector<double>* const grown : {&diagonal_, &whitened_, &targets_, &prior_})
    make_room(*grown, points.rows);
  reserve(rows_ + points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double pivot_squared = new_pivot(fresh, i);
    if (!(pivot_squared > smallest_pivot(rows_ + 1) * mean_diagonal())) return false;
    const double whitened =
        -lane_dot(fresh.rows.data(), fresh.lanes, i, whitened_.data(), observed_) / std::sqrt(pivot_squared);
    add_row(fresh, i, pivot_squared, pivot_squared);
    whitened_.push_back(whitened);
    targets_.push_back(fresh.priors[i]);
    prior_.push_back(fresh.priors[i]);
    ++observed_;
  }
  return true;
}

std::vector<double> CpuFactor::fantasise(std::span<const double> point, std::span<const double> normals) {
  check_size(point.size(), columns(), "fantasise, coordinates");
  check_finite(point, "fantasise, point");
  return fantasise_all({point.data(), 1, point.size()}, normals);
}

std::vector<double> CpuFactor::fantasise_all(MatrixView points, std::span<const double> normals) {
  check_size(points.columns, columns(), "fantasise, coordinates");
  check_finite(points, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  if (normals.size() < points.rows) throw InvalidOptions("fantasise: at least one normal a member is needed");
  const std::size_t each = points.rows == 0 ? 0 : normals.size() / points.rows;
  if (fantasised() > 0) check_size(each, fantasies_.front().normals.size(), "fantasise, normals a member");
  if (fantasised() == 0) fitted_weights_.assign(each, weights());
  const std::size_t before = fantasies_.size();
  for (std::size_t first = 0; first < points.rows; first += points_at_once) {
    const MatrixView some = some_rows(points, first, points_at_once);
    fantasise_together(some, normals.subspan(first * each, some.rows * each));
  }
  std::vector<double> values;
  for (std::size_t t = before; t < fantasies_.size(); ++t)
    values.insert(values.end(), fantasies_[t].values.begin(), fantasies_[t].values.end());
  return values;
}

void CpuFactor::fantasise_together(MatrixView points, std::span<const double> normals) {
  const std::size_t each = normals.size() / points.rows, first_row = rows_;
  const SideBySide fresh = side_by_side(points, rows_);
  const auto value = [&](std::size_t row, std::size_t which) { return fresh.row(row)[which]; };
  std::vector<Fantasy> made(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto own = normals.subspan(i * each, each);
    made[i].normals.assign(own.begin(), own.end());
    made[i].values.reserve(each);
    made[i].weights.reserve(rows_ + i);
  }
  make_room(diagonal_, points.rows);
  make_room(fantasies_, points.rows);
  for (std::vector<double>& weights : fitted_weights_) make_room(weights, points.rows);
  reserve(rows_ + points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double own_pivot_squared = new_pivot(fresh, i);
    const double pivot_squared = std::max(own_pivot_squared, fantasy_pivot * mean_diagonal());
    Fantasy& fantasy = made[i];
    fantasy.pivot = std::sqrt(pivot_squared);
    fantasy.explained = lane_square(fresh.rows.data(), fresh.lanes, i, rows_);
    const double shared_mean =
        fresh.priors[i] + lane_dot(fresh.rows.data(), fresh.lanes, i, whitened_.data(), observed_);
    for (std::size_t f = 0; f < each; ++f) {
      double mean = shared_mean;
      for (std::size_t t = 0; t < rows_ - observed_; ++t) {
        const Fantasy& earlier = t < fantasies_.size() ? fantasies_[t] : made[t - fantasies_.size()];
        mean += value(observed_ + t, i) * earlier.normals[f];
      }
      fantasy.values.push_back(mean + fantasy.pivot * fantasy.normals[f]);
    }
    add_row(fresh, i, pivot_squared, own_pivot_squared);
  }
  // β = L⁻ᵀl over the rows before each: those of the points themselves, and of later ones, count as zero.
  if (fresh.lanes == 1) {
    solve_column_transposed(triangles_->data(), capacity_, first_row, fresh.rows.data());
  } else {
    for (std::size_t i = 0; i < points.rows; ++i) std::fill_n(fresh.row(first_row + i), i + 1, 0.0);
    solve_columns_transposed({triangles_->data(), capacity_}, rows_, fresh.rows.data(), fresh.lanes, fresh.lanes);
  }
  for (std::size_t i = 0; i < points.rows; ++i) {
    Fantasy& fantasy = made[i];
    for (std::size_t row = 0; row < first_row + i; ++row) fantasy.weights.push_back(value(row, i));
    fantasy.response_error = response_error(fantasy.weights, fantasy.pivot);
    for (double& weight : fantasy.weights) weight *= parameters_.signal_variance;
    follow(fantasy);
    fantasies_.push_back(std::move(fantasy));
  }
}

/// One more row, s and its pivot p, of L and one more entry z of y change the solution of Lᵀw = y by -L⁻ᵀs (z / p),
/// and z / p is its new entry.
void CpuFactor::follow(const Fantasy& newest) noexcept {
  for (std::size_t f = 0; f < fitted_weights_.size(); ++f) {
    std::vector<double>& weights = fitted_weights_[f];
    const double last = newest.normals[f] / newest.pivot;
    const double factor = last / parameters_.signal_variance;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= factor * newest.weights[i];
    weights.push_back(last);
  }
}

double CpuFactor::response_error(std::span<const double> beta, double pivot) const {
  double squares = 0;
  for (const double one : beta) squares += one * one;
  return kernels::response_error(parameters_.signal_variance, static_cast<double>(beta.size()), std::sqrt(squares),
                                 pivot);
}

void CpuFactor::predict(MatrixView points, std::span<double> mean, std::span<double> variance) const {
  check_size(points.columns, columns(), "predict, columns");
  check_size(mean.size(), points.rows, "predict, means");
  if (!variance.empty()) check_size(variance.size(), points.rows, "predict, variances");
  check_finite(points, "predict, points");
  if (variance.empty()) return predict_means(points, mean);
  const double floor = kernels::variance_floor(parameters_.signal_variance, static_cast<double>(observed_));
  const std::size_t tasks = (points.rows + points_at_once - 1) / points_at_once;
  pool_->parallel_for(tasks, [&](std::size_t task) {
    const std::size_t first = task * points_at_once;
    const MatrixView some = some_rows(points, first, points_at_once);
    const SideBySide solved = side_by_side(some, observed_);
    for (std::size_t i = 0; i < some.rows; ++i) {
      mean[first + i] = solved.priors[i] + lane_dot(solved.rows.data(), solved.lanes, i, whitened_.data(), observed_);
      const double explained = lane_square(solved.rows.data(), solved.lanes, i, observed_);
      variance[first + i] = kernels::floored(parameters_.signal_variance - explained, floor);
    }
  });
}

}  // namespace carbo::internal
