#include "backend/cpu/panel.hpp"

#include <algorithm>
#include <type_traits>

#include "backend/cpu/weighted_sums.hpp"

namespace carbo::internal {
namespace {

/// Covariance rows kept at once: 64 × panel_width doubles stay in the second-level cache.
constexpr std::size_t rows_per_block = 64;
/// Sums that one pass over a block carries in registers.
constexpr std::size_t sums_at_once = 4;

/// Four doubles that the compiler keeps in one register where the machine has such.
using Quad [[gnu::vector_size(32), gnu::may_alias]] = double;
constexpr std::size_t quad = 4;

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

/// sums[t][j] += Σ_i weights[t][i] · k[i][j], i ascending.
template <std::size_t Sums>
void accumulate(const double* k, std::size_t rows, std::size_t lanes, const double* const* weights,
                double* const* sums) {
  constexpr std::size_t quads = 3;
  static_assert(narrow_multiple % (quads * quad) == 0 && panel_width % (quads * quad) == 0);
  for (std::size_t j = 0; j < lanes; j += quads * quad) {
    Quad sum[Sums][quads];
    for (std::size_t t = 0; t < Sums; ++t)
      for (std::size_t q = 0; q < quads; ++q) sum[t][q] = *reinterpret_cast<const Quad*>(sums[t] + j + q * quad);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* row = k + i * panel_width + j;
      for (std::size_t q = 0; q < quads; ++q) {
        const Quad covariance = *reinterpret_cast<const Quad*>(row + q * quad);
        for (std::size_t t = 0; t < Sums; ++t) sum[t][q] += weights[t][i] * covariance;
      }
    }
    for (std::size_t t = 0; t < Sums; ++t)
      for (std::size_t q = 0; q < quads; ++q) *reinterpret_cast<Quad*>(sums[t] + j + q * quad) = sum[t][q];
  }
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
               std::size_t lanes, double (*responses)[panel_width]) {
  alignas(64) double k[rows_per_block * panel_width];
  const std::size_t observed = factor.observed();
  for (std::size_t t = first; t < last; ++t)
    covariance_rows(factor, observed + t, 1, panel, lanes, -factor.parameters().signal_variance,
                    responses[t - first]);
  const std::span<const CpuFactor::Fantasy> fantasies = factor.fantasies();
  for (std::size_t row = 0; row < observed + last - 1; row += rows_per_block) {
    const std::size_t rows = std::min(rows_per_block, observed + last - 1 - row);
    covariance_rows(factor, row, rows, panel, lanes, 1.0, k);
    const auto rows_of = [&](std::size_t t) { return std::min(rows, std::max(observed + t, row) - row); };
    for (std::size_t t = first; t < last;) {
      const double* weights[sums_at_once] = {};
      double* sums[sums_at_once] = {};
      for (std::size_t s = 0; s < sums_at_once && t + s < last; ++s) {
        weights[s] = fantasies[t + s].weights.data() + row;
        sums[s] = responses[t + s - first];
      }
      if (t + sums_at_once <= last && rows_of(t) == rows) {
        accumulate<sums_at_once>(k, rows, lanes, weights, sums);
        t += sums_at_once;
      } else {
        accumulate<1>(k, rows_of(t), lanes, weights, sums);
        ++t;
      }
    }
  }
  for (std::size_t t = first; t < last; ++t) {
    const double scale = -1.0 / fantasies[t].pivot;
    for (std::size_t j = 0; j < lanes; ++j) responses[t - first][j] *= scale;
  }
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
