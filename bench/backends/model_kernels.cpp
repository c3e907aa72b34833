#include "bench/backends/model_parts.hpp"

#include <algorithm>
#include <array>

namespace carbo::bench {

namespace {

constexpr std::array figures{&StageWork::flops,           &StageWork::slots,
                             &StageWork::longest_slots,   &StageWork::bytes,
                             &StageWork::launches,        &StageWork::library_calls,
                             &StageWork::dependent_rows,  &StageWork::bytes_to_device,
                             &StageWork::bytes_to_host,   &StageWork::waits,
                             &StageWork::requested_bytes, &StageWork::float32_flops,
                             &StageWork::float32_slots,   &StageWork::longest_float32_slots};

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

StageWork inverse(double n) {
  const double full = std::floor(n / tile), rest = n - full * tile, blocks = std::ceil(n / tile);
  const auto diagonal = [](double r) { return (r - 1) * r * (r + 1) / 3 + triangle(r) * operations_per_division; };
  const double read = full * triangle(tile) + triangle(rest);
  StageWork work = kernel(full * diagonal(tile) + diagonal(rest), number_bytes * (read + blocks * tile_entries), 0);
  if (blocks == 1) return work;
  // Block (r, c) is a sum of r − c products, and one more; eight blocks of threads share its rows.
  constexpr double shared_by = 8, product = 2 * tile * tile_entries;
  const auto of_row = [](double r) { return r * (r + 1) / 2; };
  const double last = blocks - 1, sums = last * blocks * (blocks + 1) / 6, ends = of_row(last);
  const double below = number_bytes * (triangle(n) - read), made = number_bytes * tile_entries * ends;
  const double block = number_bytes * tile_entries;
  const double missing = rest == 0 ? 0 : last * (1 - rest / tile);  // of blocks of L in the last row
  const double asked = block * ((shared_by + 1) * (sums + ends) - shared_by * missing);
  StageWork rows = kernel_of((sums + ends) * product, product_slots * (sums + ends) * product, below + made,
                             std::max(0.0, asked - below - made));
  rows.longest_slots = product_slots * (of_row(last) + last) * product / shared_by;
  work += rows;
  return work;
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
  constexpr double table = 111.25, target = 16;
  StageWork work =
      kernel_of(flops, threads * slots_of_one + blocks * s.n + 3 * s.m, number_bytes * (s.m * s.d + s.m),
                number_bytes * (again + staged + (threads - s.m) * s.d) + table * threads + target * s.m);
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
  const double table = 50 + 3 * s.d;  // bytes of its tasks that a thread reads
  StageWork work = kernel_of(tiles * (tile_correlations(s.d, head) + solving) + s.m * ends,
                             tiles * (correlation_slots(s.d, head) + solving_slots) + s.m * (10 + 2 * head),
                             s.m * (number_bytes * s.d + 2 * number_bytes + 4),
                             tiles * number_bytes * (tile * triangle_entries + tile * s.d + head * s.d) +
                                 s.m * number_bytes * head + table * tiles * block_threads);
  work.longest_slots = correlation_slots(s.d, head) + solving_slots;
  return work;
}

StageWork first_pass(const Shape& s, double members, const Screened& screened) {
  const double head = std::min(s.n, tile);
  const auto means = [&](double rows, bool bounded) {
    return bounded ? screen_pass({rows, s.m, s.d}, screened.in_pairs) : mean_pass({rows, s.m, s.d});
  };
  StageWork pass = first_rows_pass(s, head);
  StageWork rest = means(s.n - head, screened.objective);
  rest.bytes += number_bytes * s.m;  // what the first rows gave is read again
  rest.requested_bytes += number_bytes * s.m;
  pass += rest;
  pass = members * pass;
  pass += means(s.n, screened.cost);
  pass += ceilings(s.m, {members, 1});
  pass.flops -= members * s.m * operations_per_division;  // nothing is stale yet
  pass.launches = 3 + (screened.possible ? 1 : 0) + (screened.pairs_possible ? 1 : 0);
  return pass;
}

StageWork substitution(const Shape& s, double rows, double tiles, double finished, const Grid& grid) {
  // Products take up to four blocks of L⁻¹ at a time; all but a row tile's first are added to what is there.
  constexpr double chunk = 4;
  const double steps = std::ceil(rows / tile), pairs = triangle(steps), full = std::floor(steps / chunk);
  // Long lists take all of a row tile in one step.
  const bool whole_rows = tiles / grid.launches >= 32;
  const double chunks = chunk * triangle(full) + (steps - chunk * full) * (full + 1), sums = chunks - steps;
  const double products = whole_rows ? steps : chunks, kept = whole_rows ? 0 : 2 * sums;
  const double added = chunks + (whole_rows ? 0 : sums);
  const double product = 2 * tile * tile_entries;
  const double groups = 8 * tile;  // sums of squares that are added up
  const double flops =
      tile_correlations(s.d, rows) + steps * (3 * tile_entries + groups) + added * tile_entries + pairs * product;
  const double slots = correlation_slots(s.d, rows) + steps * (2 * tile_entries + groups) + added * tile_entries +
                       product_slots * pairs * product;
  const double block = number_bytes * tile_entries;
  const double moved = block * (steps + pairs + kept) + number_bytes * tile * (s.d + 2 * steps);
  // Blocks of L⁻¹, coordinates, and what every thread reads of its task, its candidate and the list at each step.
  const double of_list = grid.blocks == 0 ? 0 : 8;
  const double broadcast = block * pairs + number_bytes * ((2 * steps - 1) * tile * s.d + rows * s.d) +
                           block_threads * (steps * (45 + 2.75 * s.d) + products * 38 + of_list * (steps + products));
  StageWork work = grid.launches * kernel(0, block * pairs, 8 * block_threads * grid.blocks);
  work.requested_bytes -= grid.launches * block * pairs;  // counted with the tiles
  work += tiles * kernel_of(flops, slots, moved, broadcast);
  work += finished * kernel(2 + steps, number_bytes, 0);
  work.launches = grid.launches;
  // Covariances, the longest product, what it is added to, and the end: one after the other, whoever does them.
  const double last = slots / steps - product_slots * pairs * product / steps +
                      std::min(whole_rows ? steps : chunk, steps) * product / 2 +
                      (std::ceil(steps / chunk) + 2) * tile_entries + steps * tile;
  work.longest_slots = std::min(grid.launches, tiles) * std::min(last, slots);
  return work;
}

StageWork responses(const Shape& s, const Missed& missed, double tiles, double stale, double means,
                    const Grid& grid) {
  // A tile of few candidates takes many rows at a time; a warp has four points of eight candidates, or sixteen of
  // two.
  const double lanes = missed.exact > 0 ? settled_lanes : response_lanes, chunk = 1024 / lanes;
  // Fantasised points come one by one: mean over their numbers.
  const double rows = s.n + missed.fantasised, numbers = std::max(1.0, 2 * missed.fantasised - 1);
  double chunks = 0;
  for (double t = 1; t <= numbers; ++t) chunks += std::ceil((s.n + std::min(t, 2 * missed.fantasised)) / chunk);
  chunks /= std::floor(numbers);
  const double entries = missed.passes * chunks * lanes * chunk, scaled = missed.passes * chunks * lanes * s.d;
  const double of_points = missed.points * lanes;
  const double flops = entries * (3 * s.d + matern) + scaled + of_points * (2 * rows + operations_per_division) +
                       missed.exact * (2 * lanes + 1) * s.n;
  const double slots = entries * (2 * s.d + matern_slots) + scaled + missed.at_once * lanes * rows +
                       of_points * usual_slots * operations_per_division + missed.exact * s.n;
  constexpr double gp_bytes = 120;  // read by every thread with each tile whose means become exact
  const double staged = missed.passes * rows * s.d + 2 * scaled - lanes * s.d;
  const double broadcast = number_bytes * (staged + (of_points + missed.exact) * rows) +
                           ((grid.launches > 1 ? 13 : 5) + missed.exact * (28 + gp_bytes)) * block_threads;
  StageWork work = grid.launches * kernel(0, 0, 93 * block_threads * grid.blocks);
  work += tiles * kernel_of(flops, slots, number_bytes * lanes * s.d, broadcast);
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

}  // namespace device_work

}  // namespace carbo::bench
