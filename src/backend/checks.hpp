#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backend/candidate_backend.hpp"
#include "backend/gp_factor.hpp"
#include "backend/score_backend.hpp"
#include "backend/search_backend.hpp"

namespace carbo::internal {

/// Throws NumericalError naming `what`, the row and the column of the first value that is not finite.
void check_finite(MatrixView values, const std::string& what);
void check_finite(std::span<const double> values, const std::string& what);
/// Throws InvalidArray: NaN or infinite, or else outside [0, 1].
[[noreturn]] void throw_outside_cube(double value, const std::string& name, std::size_t row, std::size_t column);
/// Throws InvalidOptions unless `got` is `expected`.
void check_size(std::size_t got, std::size_t expected, const std::string& what);
/// Throws InvalidOptions on a recipe or indices that make no rows or do not fit, NumericalError on rows that are not
/// finite.
void check_sobol_rows(const SobolRows& rows);
/// Throws InvalidOptions on a parameter outside its range.
void check_parameters(const GpParameters& parameters, std::size_t columns);
/// Throws InvalidOptions unless there are no counts, or one of at least 1 a row.
void check_counts(std::span<const double> counts, std::size_t rows, const std::string& what);
/// Of GpFactor::set_background and posterior_products, with a factor of so many columns. Throws InvalidOptions on
/// shapes that do not fit, NumericalError on numbers that are not finite.
void check_weighted_points(MatrixView points, std::span<const double> weights, std::size_t columns,
                           const std::string& what);
/// Throws InvalidOptions on shapes that do not fit or NaN parameters, NumericalError on non-finite data.
void check_requests(std::span<const LikelihoodRequest> requests, std::size_t values);
/// Throws InvalidOptions on a term that does not fit `features` features, NumericalError on numbers that are not
/// finite.
void check_linear_term(const LinearTerm& term, std::size_t features);
/// Throws InvalidOptions on variances that do not fit the means or are negative, NumericalError on numbers that are
/// not finite. `variances` may be empty.
void check_field_values(std::span<const double> means, std::span<const double> variances);
/// Throws InvalidOptions unless there are `expected` incumbents, NumericalError on one that is not finite.
void check_incumbents(std::span<const double> incumbents, std::size_t expected);
/// Throws InvalidOptions unless the acquisition scores candidates, with a parameter that it takes.
void check_acquisition(const kernels::AcquisitionSpec& acquisition);
/// Throws InvalidOptions unless the point has `columns` coordinates and every member as many normals, NumericalError
/// on numbers that are not finite.
void check_fantasy(std::span<const double> point, std::size_t columns, std::span<const double> normals,
                   std::size_t members);
/// Throws InvalidOptions: a field has no values of its own, see PosteriorBackend::sweep_for_search; `where` begins
/// the message.
[[noreturn]] void throw_without_values(const char* where);
/// Throws InvalidOptions unless a field's index is below `size`.
void check_field_index(std::size_t index, std::size_t size, const char* what);
/// Throws InvalidOptions unless a whole field can be read.
void check_field_room(std::span<const double> means, std::span<const double> variances, std::size_t size,
                      bool has_variance);
/// The fantasies of a search; throws InvalidOptions where its factors cannot share them equally.
std::size_t checked_fantasies(const SearchSetup& setup);
/// Throws InvalidOptions unless there are whole rows of `fantasies` normals, NumericalError on one that is not
/// finite.
void check_normals_ahead(std::span<const double> normals, std::size_t fantasies);
/// Whether all parameters keep covariances and scaled distances finite once exponentiated.
bool representable(std::span<const double> log_parameters);

}  // namespace carbo::internal
