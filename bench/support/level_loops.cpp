#include "bench/support/level_loops.hpp"

#include <cstring>
#include <stdexcept>

#include "backend/cpu_level.hpp"
#include "cpu_level_list.hpp"

#define CARBO_DECLARE(level) extern "C" const carbo::bench::LevelLoops* carbo_bench_loops_##level();
CARBO_CPU_LEVELS(CARBO_DECLARE)
#undef CARBO_DECLARE

namespace carbo::bench {

const LevelLoops& level_loops() {
  const char* const chosen = internal::chosen_cpu_level().name;
#define CARBO_CHOOSE(level) \
  if (std::strcmp(chosen, #level) == 0) return *carbo_bench_loops_##level();
  CARBO_CPU_LEVELS(CARBO_CHOOSE)
#undef CARBO_CHOOSE
  throw std::logic_error("the benchmarks were built for other levels than the library");
}

}  // namespace carbo::bench
