// Ends a test program before any code of a level runs that this processor lacks: before the initialisers of its
// objects, which may have been compiled for that level, too. The level is that of CARBO_CPU_LEVEL, or the one that
// the program is compiled for. Compiled without a level itself.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/cpu_features.hpp"

namespace {

constexpr int skipped = 77;  // SKIP_RETURN_CODE of its tests

__attribute__((constructor(101))) void leave_where_the_level_cannot_run() {
  const char* level = std::getenv("CARBO_CPU_LEVEL");
#if defined(CARBO_TEST_LEVEL)
  level = CARBO_TEST_LEVEL;
#endif
  if (level == nullptr) return;
  const std::string missing = carbo::internal::missing_features(level);
  if (missing.empty()) return;
  std::printf("skipped: level %s cannot run here, this processor lacks %s\n", level, missing.c_str());
  std::fflush(stdout);
  std::_Exit(skipped);
}

}  // namespace
