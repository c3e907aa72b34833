#include "backend/cpu_level.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <carbo/error.hpp>

#include "cpu_level_list.hpp"
#include "support/cpu_features.hpp"
#include "support/text.hpp"

#define CARBO_DECLARE(level) \
  extern "C" carbo::internal::Backend* carbo_cpu_backend_##level(const carbo::BackendOptions& options);
CARBO_CPU_LEVELS(CARBO_DECLARE)
#undef CARBO_DECLARE

namespace carbo::internal {
namespace {

#define CARBO_ENTRY(level) {#level, carbo_cpu_backend_##level},
constexpr CpuLevel levels[] = {CARBO_CPU_LEVELS(CARBO_ENTRY)};
#undef CARBO_ENTRY

const CpuLevel& named_level(const char* name) {
  const auto* const found = std::find_if(std::begin(levels), std::end(levels),
                                         [&](const CpuLevel& l) { return std::strcmp(l.name, name) == 0; });
  if (found == std::end(levels)) {
    std::string known;
    for (const CpuLevel& level : levels) known += text(known.empty() ? "" : ", ", level.name);
    throw BackendUnavailable(text("the environment variable CARBO_CPU_LEVEL is '", name, "'; this library has ",
                                  known, ": give one of these, or leave it unset"));
  }
  if (const std::string missing = missing_features(name); !missing.empty()) {
    throw BackendUnavailable(text("the environment variable CARBO_CPU_LEVEL is '", name,
                                  "', but this processor lacks ", missing,
                                  "; give a lower level, or leave it unset for the best that runs here"));
  }
  return *found;
}

}  // namespace

std::span<const CpuLevel> cpu_levels() { return levels; }

const CpuLevel& chosen_cpu_level() {
  const char* const named = std::getenv("CARBO_CPU_LEVEL");
  if (named != nullptr && *named != '\0') return named_level(named);
  const auto runs = [](const CpuLevel& level) { return missing_features(level.name).empty(); };
  const auto best = std::find_if(std::rbegin(levels), std::rend(levels), runs);
  if (best != std::rend(levels)) return *best;
  throw BackendUnavailable(text("this processor lacks ", missing_features(levels[0].name),
                                ", which the lowest level of this library (", levels[0].name, ") needs"));
}

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options) {
  return std::unique_ptr<Backend>(chosen_cpu_level().make(options));
}

}  // namespace carbo::internal
