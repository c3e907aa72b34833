#include "backend/cpu/panel.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cpu/tile.hpp"
#include "backend/cpu/weighted_sums.hpp"

namespace carbo::internal {
namespace {

/// Covariance rows kept at once: 64 × panel_width doubles stay in the second-level cache.
constexpr std::size_t rows_per_block = 64;

void add_explained(const double* matrix, std::size_t rows, std::size_t lanes, double* __restrict explained) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double* __restrict v = matrix + i * panel_width;
    for (std::size_t j = 0; j < lanes; ++j) explained[j] += v[j] * v[j];
  }
}

/// with(columns, lanes); of few columns both, or the columns alone, as constants, so that loops have known lengths.
template <std::size_t columns = 2, class With>
void with_sizes(const PointColumns& panel, std::size_t lanes, const With& with) {
  constexpr std::size_t most_columns = 8;
  if constexpr (columns > most_columns) {
    with(panel.columns, lanes);
  } else {
    if (panel.columns != columns) return with_sizes<columns + 1>(panel, lanes, with);
    constexpr std::integral_constant<std::size_t, columns> known_columns{};
    if (lanes == panel_width)
      with(known_columns, std::integral_constant<std::size_t, panel_width>{});
    else
      with(known_columns, lanes);
  }
}

/// out[i][j] = scale · Matérn of row first + i and candidate j.
void covariance_rows(const CpuFactor& factor, std::size_t first, std::size_t rows, const PointColumns& panel,
                     std::size_t all_lanes, double scale, double* out) {
  const PointColumns points = factor.points();
  with_sizes(panel, all_lanes, [&](auto columns, auto lanes) {
    alignas(64) double squared[panel_width];
    const PointColumns own{panel.data, panel_width, columns};
    for (std::size_t i = 0; i < rows; ++i) {
      squared_distances(points.data + first + i, points.stride, own, 0, lanes, squared);
      matern_row(squared, lanes, scale, out + i * panel_width);
    }
  });
}

/// Covariances of the first `rows` rows into `matrix`, and mean[j] += Σ_i weights[i] · k[i][j], i ascending.
void add_leading_rows(const CpuFactor& factor, const PointColumns& panel, std::size_t all_lanes,
                      std::span<const double> weights, std::size_t rows, double* matrix, double* __restrict mean) {
  const PointColumns points = factor.points();
  const double signal_variance = factor.parameters().signal_variance;
  with_sizes(panel, all_lanes, [&](auto columns, auto lanes) {
    alignas(64) double squared[panel_width];
    const PointColumns own{panel.data, panel_width, columns};
    for (std::size_t i = 0; i < rows; ++i) {
      squared_distances(points.data + i, points.stride, own, 0, lanes, squared);
      matern_row_and_sum(squared, lanes, signal_variance, signal_variance * weights[i], matrix + i * panel_width,
                         mean);
    }
  });
}

/// sum[j] += Σ_i weights[i] · k[i][j] over rows [first, end), i ascending.
void add_later_rows(const CpuFactor& factor, const PointColumns& panel, std::size_t all_lanes, std::size_t first,
                    std::size_t end, std::span<const double> weights, double* __restrict sum) {
  const PointColumns points = factor.points();
  with_sizes(panel, all_lanes, [&](auto columns, auto lanes) {
    alignas(64) double squared[panel_width];
    const PointColumns own{panel.data, panel_width, columns};
    for (std::size_t i = first; i < end; ++i) {
      squared_distances(points.data + i, points.stride, own, 0, lanes, squared);
      add_matern_row(squared, lanes, factor.parameters().signal_variance * weights[i], sum);
    }
  });
}

/// explained[j] = ‖v‖² over the first `rows` rows, from their covariances, which are overwritten.
void explain(const CpuFactor& factor, std::size_t lanes, std::size_t rows, double* matrix, double* explained) {
  if (rows == 0) return;
  solve_lower_panel(factor.observed_lower(), rows, matrix, lanes);
  std::fill_n(explained, lanes, 0.0);
  add_explained(matrix, rows, lanes, explained);
}

/// sums[t][j] += Σ_i weights[t][i] · k[i][j], i ascending; rows of weights are rows_per_block apart.
template <std::size_t sums_at_once>
void accumulate(const double* k, std::size_t rows, std::size_t lanes, const double* weights, double* sums) {
  const LeftSide<Layout::rows> left{weights, rows_per_block};
  for (std::size_t j = 0; j < lanes; j += tile_columns) {
    Tile<sums_at_once> tile;
    tile.load(sums + j, panel_width);
    tile.template add<false>(left, k + j, panel_width, rows);
    tile.store(sums + j, panel_width);
  }
}

/// The same for the first of fantasised points [first, last), as many as fit: of so many rows of covariances, which
/// are `row` and those that follow.
template <std::size_t sums_at_once>
std::size_t accumulate_some(std::span<const CpuFactor::Fantasy> fantasies, std::size_t row, const double* k,
                            std::size_t rows, std::size_t lanes, std::size_t first, std::size_t last,
                            double (*responses)[panel_width]) {
  if constexpr (sums_at_once > 1)
    if (first + sums_at_once > last)
      return accumulate_some<sums_at_once / 2>(fantasies, row, k, rows, lanes, first, last, responses);
  alignas(64) double weights[sums_at_once * rows_per_block];
  for (std::size_t s = 0; s < sums_at_once; ++s)
    std::copy_n(fantasies[first + s].weights.data() + row, rows, weights + s * rows_per_block);
  accumulate<sums_at_once>(k, rows, lanes, weights, responses[0]);
  return sums_at_once;
}

}  // namespace

PointColumns scale_panel(const PointColumns& panel, std::span<const double> inverse_lengthscales, double* storage) {
  for (std::size_t c = 0; c < panel.columns; ++c)
    for (std::size_t j = 0; j < panel_width; ++j)
      storage[c * panel_width + j] = panel.data[c * panel_width + j] * inverse_lengthscales[c];
  return {storage, panel_width, panel.columns};
}

void mean_and_explained(const CpuFactor& factor, const PointColumns& panel, std::size_t lanes,
                        std::span<const double> weights, std::size_t solved_rows, double* matrix, double* mean,
                        double* explained) {
  alignas(64) double sum[panel_width] = {};  // a field's rows lie on no boundary
  add_leading_rows(factor, panel, lanes, weights, solved_rows, matrix, sum);
  add_later_rows(factor, panel, lanes, solved_rows, factor.observed(), weights, sum);
  add_weighted_sums(factor.background(), panel, 0, lanes, sum);
  for (std::size_t j = 0; j < lanes; ++j) mean[j] = sum[j] + factor.parameters().mean;
  explain(factor, lanes, solved_rows, matrix, explained);
}

void leading_mean_and_explained(const CpuFactor& factor, const PointColumns& panel, std::span<const double> weights,
                                std::size_t rows, std::size_t solved_rows, double* matrix, double* mean,
                                double* explained) {
  alignas(64) double sum[panel_width] = {};
  add_leading_rows(factor, panel, panel_width, weights, solved_rows, matrix, sum);
  add_later_rows(factor, panel, panel_width, solved_rows, rows, weights, sum);
  std::copy_n(sum, panel_width, mean);
  explain(factor, panel_width, solved_rows, matrix, explained);
}

void to_units(const Affine& units, const double* __restrict offset, std::size_t lanes, double* __restrict mean) {
  for (std::size_t j = 0; j < lanes; ++j) mean[j] = units.shift + units.scale * mean[j];
  if (offset == nullptr) return;
  for (std::size_t j = 0; j < lanes; ++j) mean[j] += offset[j];
}

void explained_variance(const CpuFactor& factor, const PointColumns& panel, std::size_t lanes,
                        std::size_t solved_rows, double* matrix, double* explained) {
  covariance_rows(factor, 0, solved_rows, panel, lanes, factor.parameters().signal_variance, matrix);
  explain(factor, lanes, solved_rows, matrix, explained);
}

void responses(const CpuFactor& factor, std::size_t first, std::size_t last, const PointColumns& panel,
               std::size_t lanes, double (*responses)[panel_width], double* squares) {
  alignas(64) double k[rows_per_block * panel_width];
  alignas(64) double unit_squares[panel_width] = {};
  const std::size_t observed = factor.observed();
  const double signal_variance = factor.parameters().signal_variance;
  for (std::size_t t = first; t < last; ++t)
    covariance_rows(factor, observed + t, 1, panel, lanes, -signal_variance, responses[t - first]);
  for (std::size_t j = 0; squares != nullptr && j < lanes; ++j)
    squares[j] = responses[last - 1 - first][j] * responses[last - 1 - first][j];
  const std::span<const CpuFactor::Fantasy> fantasies = factor.fantasies();
  for (std::size_t row = 0; row < observed + last - 1; row += rows_per_block) {
    const std::size_t rows = std::min(rows_per_block, observed + last - 1 - row);
    covariance_rows(factor, row, rows, panel, lanes, 1.0, k);
    if (squares != nullptr) add_explained(k, rows, lanes, unit_squares);
    for (std::size_t t = first; t < last;) {
      // Those of which some rows are not before them go one by one.
      const std::size_t own = std::min(rows, std::max(observed + t, row) - row);
      const std::size_t end = own == rows ? last : t + 1;
      t += accumulate_some<tile_rows>(fantasies, row, k, own, lanes, t, end, responses + (t - first));
    }
  }
  for (std::size_t j = 0; squares != nullptr && j < lanes; ++j)
    squares[j] += signal_variance * signal_variance * unit_squares[j];
  for (std::size_t t = first; t < last; ++t) {
    const double scale = -1.0 / fantasies[t].pivot;
    for (std::size_t j = 0; j < lanes; ++j) responses[t - first][j] *= scale;
  }
}

void covariances_with(const CpuFactor& factor, std::size_t row, const PointColumns& panel, std::size_t lanes,
                      double* out) {
  covariance_rows(factor, row, 1, panel, lanes, factor.parameters().signal_variance, out);
}

void apply_response(const CpuFactor::Fantasy& fantasy, const double* __restrict response, std::size_t lanes,
                    double* means, double* __restrict reduction) {
  for (std::size_t j = 0; j < lanes; ++j) reduction[j] += response[j] * response[j];
  for (std::size_t f = 0; f < fantasy.normals.size(); ++f) {
    double* __restrict mean = means + f * panel_width;
    const double z = fantasy.normals[f];
    for (std::size_t j = 0; j < lanes; ++j) mean[j] += response[j] * z;
  }
}

}  // namespace carbo::internal
