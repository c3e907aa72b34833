#pragma once

#include "bench/backends/model.hpp"

/// Work of single kernels and library calls, by their loops. Counts of candidates and rows are doubles, so that
/// averages can be put in.
namespace carbo::bench::device_work {

StageWork operator*(double count, StageWork work);
StageWork uploaded(double bytes);
/// Read back in parts of the page-locked memory that there is, each of which is waited for.
StageWork downloaded(double bytes);

/// A GP and what it is evaluated at.
struct Shape {
  double n = 0;  ///< observed rows
  double m = 0;  ///< candidates
  double d = 0;  ///< columns
};

/// Candidates whose score is made of `members` GPs with `means` each.
struct Scoring {
  double members = 1;
  double means = 1;
};

inline constexpr double number_bytes = sizeof(double);
/// Candidates that threads work on together in substitution and responses.
inline constexpr double tile = 32;
/// Launches with as many blocks of threads each, which read their tables once; none where there is no list.
struct Grid {
  double launches = 1;
  double blocks = 0;
};
/// Blocks of threads a GP that work on a list of at most m: two a multiprocessor, of which the emulator's device has
/// four. On a larger device there are more, with as much less to do each.
double blocks_of_list(double m, double members);

/// L⁻¹ of a factor, from nothing.
StageWork inverse(double n);
StageWork mean_pass(const Shape& shape);
/// Which means of a search are bounded in low precision, and whether any may be.
struct Screened {
  bool possible = false;
  bool pairs_possible = false;
  bool in_pairs = false;  ///< else in float32
  bool objective = false;
  bool cost = false;
};
/// Means of one GP from below, in float32 or its pairs.
StageWork screen_pass(const Shape& shape, bool in_pairs);
/// Rows in low precision, and what the precision is chosen by.
StageWork screen_choice(const Shape& shape, double members, double blocks_of_list, bool pairs_possible);
/// Means of both GPs, partial variances and ceilings of a search's first pick.
StageWork first_pass(const Shape& shape, double members, const Screened& screened);
/// `tiles` of candidates through the first `rows` rows of L⁻¹, of which `finished` get a variance.
StageWork substitution(const Shape& shape, double rows, double tiles, double finished, const Grid& grid);
/// Fantasised points that candidates are brought up to date with, averages over the calls.
struct Missed {
  double fantasised = 1;  ///< that there are
  double points = 1;      ///< that the oldest candidate of a tile has not seen
  double passes = 1;      ///< over all rows: one for every 32 of these points
  double at_once = 4;     ///< points that warps work on, the mean among them: a multiple of 32 / lanes
  double exact = 0;       ///< share of the tiles whose means become exact
};
/// Candidates that threads respond with together.
inline constexpr double response_lanes = 8;
/// The same where means become exact.
inline constexpr double settled_lanes = 2;
/// `tiles` of response_lanes candidates (settled_lanes where means become exact), of which `stale` respond to points
/// that they have not seen.
StageWork responses(const Shape& shape, const Missed& missed, double tiles, double stale, double means,
                    const Grid& grid);
/// `stale` candidates that respond in float32 or its pairs.
StageWork screened_responses(const Shape& shape, const Missed& missed, double stale, double means, const Grid& grid,
                             bool in_pairs);
/// Variances of `tightened` candidates from above, by as many rows of L⁻¹ in float32.
StageWork float_variances(const Shape& shape, double rows, double tightened, const Grid& grid);
/// Rows of L⁻¹ in float32, and whether they are used.
StageWork float_variance_choice(const Shape& shape, double rows, double members);
StageWork ceilings(double candidates, const Scoring& scoring);
StageWork scores(double candidates, const Scoring& scoring);
/// One fantasised row of each factor.
StageWork fantasised_rows(const Shape& shape, const Scoring& scoring);
/// Tables and normals of so many, without their coordinates.
StageWork fantasy_tables(double points, const Scoring& scoring);
StageWork spread_means(double m, double copies);
/// By the last block of threads of the launch that made the parts.
StageWork reduced_best(double parts);
StageWork sorted(double count);
StageWork selected(double count, double kept);
StageWork seeds_selected(double blocks);
/// Those of m candidates that reach a threshold, or the highest of them.
StageWork contenders_gathered(double m, bool highest);
/// The highest of those, by what ceilings taken again have counted.
StageWork highest_kept(double listed);
StageWork nearest(double m, double d);

StageWork factorised(double n, double count);
StageWork triangle_solved(double n, double vectors, double count);
StageWork multiplied(double rows, double columns, double inner, double count);

StageWork scaled_points(double n, double d, double count);
StageWork gram(double n, double d, double count);
StageWork right_sides(double n, double count);
StageWork whitened(double n, double count);
StageWork gradient(double n, double d, double count);

}  // namespace carbo::bench::device_work
