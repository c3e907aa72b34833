#include <algorithm>

#include "bench/backends/model_parts.hpp"

namespace carbo::bench::device_work {

namespace {

// Operations of a correlation in float32 beside three a column of its distance, and of the two sums that it enters.
constexpr double float_matern = 30, float_sums = 4;
// Slots of sixteen rows (scripts/issue_slots): correlations and sums, staging, and what a column adds. Eight
// responses at a time take more.
constexpr double float_rows = 16;
constexpr double rows_slots = 450, staging_slots = 108, column_slots = 40;
// The same in pairs: operations of a correlation with its sums, of a column, slots; and of pairs from float64.
constexpr double pair_matern = 97, pair_column = 8;
constexpr double pair_rows_slots = 1469, pair_staging_slots = 112, pair_column_slots = 94;
constexpr double pair_coordinate_flops = 3;
// Columns of a candidate that stay in shared memory.
constexpr double kept_columns = 24, kept_pair_columns = 12;
constexpr double response_rows_slots = 940, response_staging_slots = 85 + 44;
constexpr double pair_response_rows_slots = 3171, pair_response_staging_slots = 144;
// Operations in pairs: of a product with its sum, and of the sum of its size.
constexpr double pair_sums = 16, pair_size = 2;
// Of float64: a coordinate's way to float32, and the margin of a mean.
constexpr double coordinate_flops = 5, margin_flops = 48 + 2 * operations_per_division;
constexpr double points_at_once = 8;
// Variances in float32: candidates and rows of L⁻¹ that a block of threads multiplies at a time, rows whose
// correlations it makes at a time. Slots of a thread: these correlations, a stretch of columns that is staged and one
// that is multiplied, what a pass of rows ends with, and a tile.
constexpr double variance_lanes = 16, variance_rows = 128, correlated_rows = 64, warp_rows = 16;
constexpr double correlated_slots = 374, correlated_column_slots = 16, staged_slots = 58, multiplied_slots = 312;
constexpr double pass_end_slots = 125, tile_end_slots = 300;

}  // namespace

StageWork screen_pass(const Shape& s, bool in_pairs) {
  const double blocks = std::ceil(s.m / pass_threads), threads = blocks * pass_threads;
  const double chunks = std::ceil(s.n / float_rows);
  const double of_one = chunks * (in_pairs ? pair_rows_slots + pair_staging_slots + pair_column_slots * s.d
                                           : rows_slots + staging_slots + column_slots * s.d);
  // Columns that do not stay are rounded again for every chunk of rows.
  const double kept = in_pairs ? kept_pair_columns : kept_columns, again = s.d > kept ? chunks : 0;
  const double coordinate = (1 + again) * (coordinate_flops + (in_pairs ? pair_coordinate_flops : 0));
  const double table = 300 + (40 + 3 * number_bytes * again) * s.d, entry = in_pairs ? number_bytes : 4;
  StageWork work = kernel(threads * coordinate * s.d + s.m * margin_flops, number_bytes * s.m * (s.d + 1),
                          blocks * entry * chunks * float_rows * (s.d + 1) + table * threads);
  const double of_rows = in_pairs ? pair_matern + pair_column * s.d : float_matern + float_sums + 3 * s.d;
  work.float32_flops = threads * chunks * (float_rows * of_rows + (in_pairs ? 0 : 7));
  work.float32_slots = threads * of_one;
  work.longest_float32_slots = pass_threads * of_one;
  return work;
}

StageWork screen_choice(const Shape& s, double members, double blocks_of_list, bool pairs_possible) {
  constexpr double sample = 32, sample_rows = 256;
  const double gps = members + 1, rows = std::ceil(s.n / float_rows) * float_rows;
  const double pairs = pairs_possible ? 1 : 0;
  StageWork work =
      gps *
      kernel(s.n * (6 * s.d + 4 + 2 * operations_per_division) + pairs * rows * (pair_coordinate_flops * s.d + 1),
             number_bytes * s.n * (4 * s.d + 4) + (4 + number_bytes * pairs) * rows * (s.d + 1), 300 * block_threads);
  work += substitution(s, std::min(s.n, sample_rows), 1, sample, {1, blocks_of_list});
  // One group of threads a precision makes margins.
  StageWork choice = 2 * kernel(sample * (rows * 3 * s.d + 2 * (margin_flops + 5 * s.d)), 4 * rows * (s.d + 1),
                                sample * rows * (number_bytes * 3 * s.d + 4 * s.d + 4));
  choice.float32_flops = 2 * sample * rows * (3 * s.d + float_matern + 2);
  choice.float32_slots = 2 * sample * rows * (staging_slots + 4 * s.d);
  choice.longest_float32_slots = choice.float32_slots / 2;
  work += choice;
  work.launches = 3;
  return work;
}

StageWork screened_responses(const Shape& s, const Missed& missed, double stale, double means, const Grid& grid,
                             bool in_pairs) {
  // A tile of candidates by four parts of the rows; one part makes margins and applies them.
  constexpr double parts = pass_threads / tile;
  const double tiles = stale / tile + grid.launches / 2, rows = s.n + missed.fantasised;
  const double chunks = std::ceil(rows / (parts * float_rows)), passes = std::ceil(missed.points / points_at_once);
  const double of_one = passes * chunks *
                        (in_pairs ? pair_response_rows_slots + pair_response_staging_slots + pair_column_slots * s.d
                                  : response_rows_slots + response_staging_slots + column_slots * s.d);
  const double threads = tiles * pass_threads, entry = in_pairs ? number_bytes : 4;
  StageWork work = grid.launches * kernel(0, 0, 200 * pass_threads * grid.blocks);
  work += kernel(threads * coordinate_flops * s.d + stale * missed.points * (margin_flops + means * 8),
                 stale * 2 * number_bytes * (s.d + means + 1),
                 tiles * passes * rows * (entry * s.d + number_bytes * points_at_once) +
                     threads * 2 * number_bytes * s.d + stale * number_bytes * missed.points * means);
  const double of_rows =
      in_pairs ? pair_matern - pair_sums - pair_size + pair_column * s.d + (pair_sums + pair_size) * points_at_once
               : float_matern + 3 * s.d + (float_sums + 8 / float_rows) * points_at_once;
  work.float32_flops = threads * passes * chunks * float_rows * of_rows;
  work.float32_slots = threads * of_one;
  work.launches = grid.launches;
  work.longest_float32_slots = std::min(grid.launches, tiles) * pass_threads * of_one;
  return work;
}

/// One tile of candidates. A warp multiplies the columns that its rows have; rows beyond the last have all of them.
StageWork float_variance_tile(const Shape& s, double rows) {
  const double passes = std::ceil(rows / variance_rows), warps = variance_rows / warp_rows;
  double stretches = 0, multiplied = 0;  // staged by all, multiplied by a warp
  for (double pass = 0; pass < passes; ++pass) {
    const double columns = std::min(rows, (pass + 1) * variance_rows) / float_rows;
    stretches += columns;
    for (double warp = 0; warp < warps; ++warp) multiplied += std::min(columns, pass * warps + warp + 1);
  }
  const double entries = multiplied * warp_rows * float_rows * variance_lanes;
  const double staged = 4 * stretches * float_rows * variance_rows, units = 8 * passes * variance_rows * 8;
  StageWork work = kernel(block_threads * coordinate_flops * s.d + variance_lanes * (64 + 24),
                          variance_lanes * number_bytes * (s.d + 2),
                          staged + units + 4 * rows * s.d + block_threads * (2 * number_bytes * s.d + 160));
  const double of_thread = rows / correlated_rows * (correlated_slots + correlated_column_slots * s.d) +
                           stretches * staged_slots + multiplied / warps * multiplied_slots +
                           passes * pass_end_slots + tile_end_slots;
  work.float32_flops = rows * variance_lanes * (float_matern + 3 * s.d) + entries * (float_sums + 1 / float_rows) +
                       passes * variance_rows * variance_lanes * 10;
  work.float32_slots = block_threads * of_thread;
  work.longest_float32_slots = work.float32_slots;
  return work;
}

StageWork float_variances(const Shape& s, double rows, double tightened, const Grid& grid) {
  const double tiles = tightened / variance_lanes + grid.launches / 2;
  const StageWork one = float_variance_tile(s, rows);
  StageWork work = grid.launches * kernel(0, 0, 8 * block_threads * grid.blocks);
  work += tiles * one;
  work.launches = grid.launches;
  work.longest_float32_slots = std::min(grid.launches, tiles) * one.longest_float32_slots;
  return work;
}

StageWork float_variance_choice(const Shape& s, double rows, double members) {
  const double stride = ceil_to(rows, variance_rows), inverse = rows * (rows + 1) / 2;
  StageWork prepared =
      members * kernel(2 * inverse + stride * rows * 2.5, 4 * rows * stride, 2 * number_bytes * inverse);
  prepared += float_variance_tile(s, rows);
  prepared.longest_float32_slots = 0;  // beside the other choices, which take longer
  prepared.launches = 0;
  return prepared;
}

}  // namespace carbo::bench::device_work
