#include "bench/backends/model_parts.hpp"

namespace carbo::bench::device_work {

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

StageWork reduced_best(double parts) {
  StageWork work = kernel(0, 24 * parts, 16 * pass_threads);
  work.launches = 0;
  return work;
}

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
  StageWork work = kernel(0, entry * blocks, digits * entry * blocks);
  work.launches = 0;  // by the last block of threads that makes ceilings
  return work;
}

StageWork contenders_gathered(double m, bool highest) {
  StageWork work = 2 * kernel(0, number_bytes * m, number_bytes * m);
  if (highest) work += kernel(0, number_bytes * m, number_bytes * m);
  return work;
}

StageWork highest_kept(double listed) { return kernel(0, number_bytes * listed, 3 * number_bytes * listed); }

StageWork nearest(double m, double d) {
  const double threads = ceil_to(m, block_threads);
  const double moved = number_bytes * m * (d + 2);
  return kernel(3 * d * threads, moved, number_bytes * (threads - m) * (d + 1));
}

}  // namespace carbo::bench::device_work
