#include "bench/backends/model_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carbo::bench {

namespace {

constexpr std::array figures{&StageWork::flops,           &StageWork::slots,         &StageWork::longest_slots,
                             &StageWork::bytes,           &StageWork::launches,      &StageWork::library_calls,
                             &StageWork::bytes_to_device, &StageWork::bytes_to_host, &StageWork::waits,
                             &StageWork::requested_bytes};

}  // namespace

StageWork& operator+=(StageWork& sum, const StageWork& more) {
  for (double StageWork::*const figure : figures) sum.*figure += more.*figure;
  return sum;
}

StageWork sum_of(const std::vector<StageWork>& stages) {
  StageWork sum;
  for (const StageWork& stage : stages) sum += stage;
  return sum;
}

namespace device_work {

namespace {

// Operations of the scalar formulas in kernels/, as nvcc compiled them. The means over the regimes of log h and of
// sums of exponentials are those of picks late in a run.
constexpr double matern = 37 + 14;  // 14 of them for the root
// An entry of the gradient: Matérn with its slope, weight, sums over a warp; then as much for each column.
constexpr double gradient_entry = 45.4 + 14 + 0.125 * operations_per_division;
constexpr double gradient_column = 4.63;
constexpr double ceiling_base = 63;
constexpr double ceiling_member = 51 + 3 * operations_per_division;
constexpr double ceiling_mean = 56 + 3 * operations_per_division;
constexpr double score_base = 67;
constexpr double score_member = 40 + 2 * operations_per_division;
constexpr double score_mean = 125 + 2 * operations_per_division;

// Slots of a correlation beside the two a column of its distance, and slots a flop of formulas that are multiply-adds
// and others in like shares (scripts/issue_slots: 512 and 32 a column for 16 rows of `pass`, one of them each the
// mean's).
constexpr double matern_slots = 31;
constexpr double usual_slots = matern_slots / matern;
constexpr double product_slots = 0.5;  // a flop of multiply-adds

constexpr double block_threads = 256;
constexpr double pass_threads = 128;
constexpr double pass_rows = 16;
constexpr double tile_entries = tile * tile;
constexpr double coordinate_chunk = 16;  // of a tile of points by points

double ceil_to(double value, double step) { return std::ceil(value / step) * step; }
double triangle(double n) { return n * (n + 1) / 2; }
/// Tiles of the lower triangle of a matrix over pairs of points.
double triangle_tiles(double n) { return triangle(std::ceil(n / tile)); }

/// `traffic`: what must be moved; `broadcast`: what is asked for besides, and stays in caches.
StageWork kernel(double flops, double traffic, double broadcast) {
  return {.stage = {},
          .flops = flops,
          .slots = usual_slots * flops,
          .bytes = traffic,
          .launches = 1,
          .requested_bytes = traffic + broadcast};
}

/// The same for loops whose slots are known.
StageWork kernel_of(double flops, double slots, double traffic, double broadcast) {
  StageWork work = kernel(flops, traffic, broadcast);
  work.slots = slots;
  return work;
}

StageWork call(double operations, double elements) {
  return {.stage = {},
          .flops = operations,
          .slots = product_slots * operations,
          .bytes = number_bytes * elements,
          .library_calls = 1,
          .requested_bytes = number_bytes * elements};
}

/// Correlations of a tile of candidates with `rows` rows, a tile of rows at a time; `entry`: flops or slots of one
/// beside its distance, `column`: of a column of that.
double tile_correlations(double d, double rows, double entry, double column) {
  return std::ceil(rows / tile) * (tile * d + (column * d + entry) * tile_entries);
}
double tile_correlations(double d, double rows) { return tile_correlations(d, rows, matern, 3); }
double correlation_slots(double d, double rows) { return tile_correlations(d, rows, matern_slots, 2); }

}  // namespace

StageWork operator*(double count, StageWork work) {
  for (double StageWork::*const figure : figures) work.*figure *= count;
  return work;
}

StageWork uploaded(double bytes) {
  StageWork work;
  work.bytes_to_device = bytes;
  return work;
}

StageWork downloaded(double bytes) {
  constexpr double landing_bytes = 1 << 20;
  StageWork work;
  work.bytes_to_host = bytes;
  work.waits = std::ceil(bytes / landing_bytes);
  return work;
}

double blocks_of_list(double m, double members) {
  return std::max(1.0, std::min(std::ceil(m / tile), std::floor(8 / members)));
}

StageWork inverse_blocks(double n) {
  const double full = std::floor(n / tile), rest = n - full * tile;
  const auto block = [](double r) { return (r - 1) * r * (r + 1) / 3 + triangle(r) * operations_per_division; };
  const double read = full * triangle(tile) + triangle(rest);
  return kernel(full * block(tile) + block(rest), number_bytes * (read + std::ceil(n / tile) * tile_entries), 0);
}

StageWork mean_pass(const Shape& s) {
  const double blocks = std::ceil(s.m / pass_threads), threads = blocks * pass_threads;
  const double chunks = std::ceil(s.n / pass_rows);
  const double flops =
      threads * chunks * ((1 + 3 * pass_rows) * s.d + (2 + matern) * pass_rows) + blocks * s.n + 3 * s.m;
  const double slots_of_one = chunks * ((1 + 2 * pass_rows) * s.d + (1 + matern_slots) * pass_rows);
  // A block's candidates stay in its cache while the rows pass.
  const double again = threads * s.d * std::max(0.0, chunks - 1);
  const double staged = blocks * (s.n * s.d + s.d * chunks + s.n);
  constexpr double table = 103.25;
  StageWork work = kernel_of(flops, threads * slots_of_one + blocks * s.n + 3 * s.m, number_bytes * (s.m * s.d + s.m),
                             number_bytes * (again + staged + (threads - s.m) * s.d) + table * threads);
  work.longest_slots = pass_threads * slots_of_one;
  return work;
}

/// Partial variances and the part of the means of the first rows, of which there are `head`.
StageWork first_rows_pass(const Shape& s, double head) {
  const double tiles = std::ceil(s.m / tile), triangle_entries = triangle(tile);
  // v by the inverse block, covariances for it again in each of eight groups, squares.
  constexpr double scalings = 144;
  const double solving = tile * (2 * triangle_entries + scalings + 2 * tile);
  const double solving_slots = tile * (triangle_entries + scalings + tile);
  const double ends = 10 + 3 * head;
  const double table = 90 + 4 * s.d;  // bytes of its tasks that a thread reads
  StageWork work = kernel_of(tiles * (tile_correlations(s.d, head) + solving) + s.m * ends,
                             tiles * (correlation_slots(s.d, head) + solving_slots) + s.m * (10 + 2 * head),
                             s.m * (number_bytes * s.d + 2 * number_bytes + 4),
                             tiles * number_bytes * (tile * triangle_entries + tile * s.d + head * s.d) +
                                 s.m * number_bytes * head + table * tiles * block_threads);
  work.longest_slots = correlation_slots(s.d, head) + solving_slots;
  return work;
}

StageWork first_pass(const Shape& s, double members) {
  const double head = std::min(s.n, tile);
  StageWork pass = first_rows_pass(s, head);
  StageWork rest = mean_pass({s.n - head, s.m, s.d});
  rest.bytes += number_bytes * s.m;  // what the first rows gave is read again
  rest.requested_bytes += number_bytes * s.m;
  pass += rest;
  pass = members * pass;
  pass += ceilings(s.m, {members, 1});
  pass.flops -= members * s.m * operations_per_division;  // nothing is stale yet
  pass.launches = 3;
  return pass;
}

StageWork substitution(const Shape& s, double rows, double tiles, double finished, const Grid& grid) {
  const double steps = std::ceil(rows / tile), pairs = steps * (steps - 1) / 2;
  const double product = 2 * tile * tile_entries;
  const double flops =
      tile_correlations(s.d, rows) + steps * (tile_entries + product + 2 * tile_entries) + pairs * product;
  const double slots = correlation_slots(s.d, rows) + steps * (2 * tile_entries + product_slots * product) +
                       product_slots * pairs * product;
  const double workspace = number_bytes * (pairs + steps) * tile_entries;
  const double moved = workspace + number_bytes * tile * s.d;
  // Below the blocks on the diagonal.
  const double full = std::floor(rows / tile);
  const double lower = full * (full - 1) / 2 * tile_entries + (rows - full * tile) * full * tile;
  const double broadcast = number_bytes * (steps * tile_entries + lower) +
                           number_bytes * (2 * steps - 1) * tile * s.d + number_bytes * rows * s.d +
                           number_bytes * block_threads * (1 + steps);
  StageWork work =
      grid.launches * kernel(0, number_bytes * lower, 56 * block_threads * grid.blocks - number_bytes * lower);
  work += tiles * kernel_of(flops, slots, moved, broadcast);
  work += finished * kernel(10, number_bytes, 0);
  work.launches = grid.launches;
  work.longest_slots = std::min(grid.launches, tiles) * slots;  // one block after the other, where there are blocks
  return work;
}

StageWork responses(const Shape& s, const Missed& missed, double tiles, double stale, double means,
                    const Grid& grid) {
  const double rows = s.n + missed.fantasised, steps = std::ceil(rows / tile);
  const double flops = missed.passes * tile_correlations(s.d, rows) + missed.at_once * steps * 2 * tile_entries +
                       missed.points * tile * operations_per_division;
  const double slots = missed.passes * correlation_slots(s.d, rows) + missed.at_once * steps * tile_entries +
                       missed.points * tile * usual_slots * operations_per_division;
  const double staged = (2 * steps - 1) * tile * s.d + rows * s.d + tile;
  const double broadcast = number_bytes * (missed.passes * staged + missed.points * s.n) + 8 * block_threads;
  StageWork work = grid.launches * kernel(0, 0, 80 * block_threads * grid.blocks);
  work += tiles * kernel_of(flops, slots, number_bytes * tile * s.d, broadcast);
  work += stale * kernel(missed.points * (2 * means + 2), 2 * number_bytes * (means + 1),
                         number_bytes * means * (2 + missed.points));
  work.launches = grid.launches;
  work.longest_slots = std::min(grid.launches, tiles) * slots;  // one block after the other, where there are blocks
  return work;
}

StageWork ceilings(double candidates, const Scoring& s) {
  const double flops = ceiling_base + s.members * (ceiling_member + s.means * ceiling_mean);
  const double moved = 1 + 2 * number_bytes + s.members * (2 * number_bytes + 8 + number_bytes * s.means);
  const double asked = 29 + s.members * (108 + 32 * s.means) + number_bytes;
  StageWork work = kernel(candidates * flops, candidates * moved, candidates * (asked - moved));
  return work;
}

StageWork scores(double candidates, const Scoring& s) {
  const double flops = score_base + s.members * (score_member + s.means * score_mean);
  const double moved = 1 + 2 * number_bytes + s.members * (number_bytes + number_bytes * s.means);
  const double asked = 17 + number_bytes + s.members * (52 + 16 * s.means);
  return kernel(candidates * flops, candidates * moved, candidates * (asked - moved));
}

StageWork fantasised_rows(const Shape& s, const Scoring& scoring) {
  const double blocks = std::ceil(s.n / block_threads);
  StageWork work = scoring.members * kernel(s.n * (3 * s.d + 1 + matern) + 2 * s.d,
                                            number_bytes * (s.n * s.d + s.n + s.d), 48 * block_threads * blocks);
  work += scoring.members *
          kernel(5 * s.n + 743 + 256 * operations_per_division, number_bytes * 3 * s.n, 108 * block_threads);
  work += scoring.members * kernel(3 * s.n + 261, number_bytes * 2 * s.n, 40 * block_threads);
  work += triangle_solved(s.n, 1, scoring.members);
  work += triangle_solved(s.n, 1, scoring.members);
  work.launches = 3;
  return work;
}

StageWork fantasy_tables(double points, const Scoring& scoring) {
  constexpr double task = 160, pointer = sizeof(double*);
  return uploaded(scoring.members * (points * (task + pointer) + pointer) +
                  number_bytes * points * scoring.members * scoring.means);
}

StageWork spread_means(double m, double copies) {
  return copies == 0 ? StageWork{} : kernel(0, number_bytes * m * (1 + copies), 0);
}

StageWork reduced_best(double parts) { return kernel(0, 24 * parts, 16 * pass_threads); }

StageWork sorted(double count) {
  // Keys of 64 bits with 32-bit values, eight bits a pass; a few are sorted by one block of threads.
  constexpr double pair = 12, most_of_one_block = 2304, passes = 8;
  if (count <= most_of_one_block) return kernel(0, 2 * pair * count, 0);
  StageWork work = kernel(0, number_bytes * count, 2 * 16384);
  work += passes * kernel(0, 2 * pair * count, 5100 * std::ceil(count / most_of_one_block));
  work.launches = passes + 2;
  return work;
}

StageWork selected(double count, double kept) {
  StageWork work = kernel(0, count + 4 * kept, 0.2 * count);
  work.launches = 2;
  return work;
}

StageWork seeds_selected(double blocks) {
  constexpr double digits = 8, entry = 12;
  return kernel(0, entry * blocks, digits * entry * blocks);
}

StageWork contenders_gathered(double m, bool highest) {
  StageWork work = 2 * kernel(0, number_bytes * m, number_bytes * m);
  if (highest) work += kernel(0, number_bytes * m, number_bytes * m);
  return work;
}

StageWork nearest(double m, double d) {
  const double threads = ceil_to(m, block_threads);
  const double moved = number_bytes * m * (d + 2);
  return kernel(3 * d * threads, moved, number_bytes * (threads - m) * (d + 1));
}

StageWork factorised(double n, double count) {
  constexpr double most_batched = 512;  // rows; larger ones are factored one by one
  StageWork work = count * call(n * n * n / 3, 2 * triangle(n));
  if (n <= most_batched) work.library_calls = 1;
  return work;
}

StageWork triangle_solved(double n, double vectors, double count) {
  StageWork work = count * call(n * n * vectors, triangle(n) + 2 * n * vectors);
  work.library_calls = 1;
  return work;
}

StageWork multiplied(double rows, double columns, double inner, double count) {
  StageWork work = count * call(2 * rows * columns * inner, rows * inner + inner * columns + rows * columns);
  work.library_calls = 1;
  return work;
}

StageWork scaled_points(double n, double d, double count) {
  StageWork work =
      count * kernel(n * d, 2 * number_bytes * n * d, number_bytes * n * d + 34 * ceil_to(n * d, block_threads));
  work.launches = 1;
  return work;
}

StageWork gram(double n, double d, double count) {
  const double tiles = triangle_tiles(n), chunks = std::ceil(d / coordinate_chunk);
  const double flops =
      tiles * (3 * coordinate_chunk * chunks * tile_entries + block_threads * (5 + operations_per_division)) +
      (triangle(n) - n) * (1 + matern);
  // Distances between points are sums of products that are rounded by themselves: no multiply-adds.
  const double slots = tiles * (3 * coordinate_chunk * chunks * tile_entries +
                                block_threads * (5 + usual_slots * operations_per_division)) +
                       (triangle(n) - n) * (1 + matern_slots);
  StageWork work = count * kernel_of(flops, slots, number_bytes * triangle(n),
                                     tiles * (number_bytes * 2 * tile * d + 56 * block_threads));
  work.launches = 1;
  return work;
}

StageWork right_sides(double n, double count) {
  StageWork work = count * kernel(n, number_bytes * n * (n + 2), 20 * ceil_to(n * (n + 2), block_threads));
  work.launches = 1;
  return work;
}

StageWork whitened(double n, double count) {
  StageWork work =
      count * kernel(54 * n + 1280 + 256 * operations_per_division, number_bytes * 5 * n, 60 * n + 12576);
  work.launches = 1;
  return work;
}

StageWork gradient(double n, double d, double count) {
  const double tiles = triangle_tiles(n), chunks = std::ceil(d / coordinate_chunk), sums = d + 3;
  const double entry = 3 * coordinate_chunk * chunks + gradient_entry + gradient_column * d;
  const double staged = number_bytes * 4 * tile * d + (number_bytes + 36) * block_threads;
  const double slots_of_entry = 3 * coordinate_chunk * chunks + usual_slots * gradient_entry + gradient_column * d;
  StageWork work = count * kernel_of(tiles * tile_entries * entry + 2 * triangle(n),
                                     tiles * tile_entries * slots_of_entry + triangle(n), number_bytes * triangle(n),
                                     tiles * staged + number_bytes * triangle(n));
  work += count * kernel(2 * sums * block_threads, number_bytes * sums * tiles, sums * 28 * block_threads);
  work.launches = 2;
  return work;
}

}  // namespace device_work

}  // namespace carbo::bench
