#include "bench/backends/model_parts.hpp"

namespace carbo::bench::device_work {

StageWork factorised(double n, double count) {
  constexpr double most_batched = 512;  // rows; larger ones are factored one by one
  StageWork work = count * call(n * n * n / 3, 2 * triangle(n));
  if (n <= most_batched) work.library_calls = 1;
  return work;
}

StageWork triangle_solved(double n, double vectors, double count) {
  StageWork work = count * call(n * n * vectors, triangle(n) + 2 * n * vectors);
  work.library_calls = 1;
  work.dependent_rows = n;  // of all vectors at once
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

}  // namespace carbo::bench::device_work
