#pragma once

#include <cstddef>
#include <span>

#include "backend/cpu/covariance.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/field_backend.hpp"

namespace carbo::internal {

// What a candidate's posterior is made of, panel by panel. The dense sweep and the bounded search both call these, so
// a candidate gets the same bits from either: each of its values is one chain of operations that depends neither on
// where in a panel it stands nor on how rows are grouped.

/// Doubles that `mean_and_explained` needs for `rows` solved rows; those of a panel's scaled coordinates not
/// included.
inline std::size_t solve_room(std::size_t rows) { return rows * panel_width; }

/// The panel's coordinates divided by the lengthscales, into `storage` (columns × panel_width).
PointColumns scale_panel(const PointColumns& panel, std::span<const double> inverse_lengthscales, double* storage);

/// mean[j] = prior mean + Σ_i weights[i] · k(x_i, panel_j) over all observed rows, for the first `lanes` candidates.
/// Where solved_rows > 0, also explained[j] = Σ_{i < solved_rows} v_i², v = L⁻¹k, with `matrix` as room (solve_room).
/// `weights` is K⁻¹(y − prior mean); `solved_rows` and `lanes` as in solve_lower_panel.
void mean_and_explained(const CpuFactor& factor, const PointColumns& panel, std::size_t lanes,
                        std::span<const double> weights, std::size_t solved_rows, double* matrix, double* mean,
                        double* explained);

/// The same for a whole panel, with the terms of the first `rows` rows alone in the mean, which are no fewer than the
/// solved ones.
void leading_mean_and_explained(const CpuFactor& factor, const PointColumns& panel, std::span<const double> weights,
                                std::size_t rows, std::size_t solved_rows, double* matrix, double* mean,
                                double* explained);

/// mean[j] ← shift + scale · mean[j], and `offset`[j] added where it is not null.
void to_units(const Affine& units, const double* offset, std::size_t lanes, double* mean);

/// explained[j] alone, for the first `lanes` candidates; `solved_rows` and `lanes` as in solve_lower_panel.
void explained_variance(const CpuFactor& factor, const PointColumns& panel, std::size_t lanes,
                        std::size_t solved_rows, double* matrix, double* explained);

/// responses[t − first][j] = r_t(panel_j) for fantasised points first ≤ t < last, last − first ≤ responses_at_once,
/// and the first `lanes` candidates. Where `squares` is not null, also squares[j] = ‖k(X, panel_j)‖² over all rows
/// before `last`, in any order of terms.
void responses(const CpuFactor& factor, std::size_t first, std::size_t last, const PointColumns& panel,
               std::size_t lanes, double (*responses)[panel_width], double* squares = nullptr);

/// out[j] = k(x_row, panel_j) of any row of the factor, for the first `lanes` candidates.
void covariances_with(const CpuFactor& factor, std::size_t row, const PointColumns& panel, std::size_t lanes,
                      double* out);

/// reduction += r², and mean_f += r · z_f for every fantasy; mean_f starts at means + f · panel_width.
void apply_response(const CpuFactor::Fantasy& fantasy, const double* response, std::size_t lanes, double* means,
                    double* reduction);

}  // namespace carbo::internal
