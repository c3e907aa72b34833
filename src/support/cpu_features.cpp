#include "support/cpu_features.hpp"

#if defined(__x86_64__)

#include <cpuid.h>

#include <cstdint>

namespace carbo::internal {
namespace {

enum Register { ebx, ecx };

/// A bit that cpuid shows.
struct Feature {
  const char* name;
  char level;  ///< '2', '3' or '4'
  unsigned leaf;
  Register in;
  int bit;
};

constexpr unsigned basic = 1, structured = 7, extended = 0x80000001;
constexpr Feature features[] = {
    {"sse3", '2', basic, ecx, 0},           {"ssse3", '2', basic, ecx, 9},
    {"cx16", '2', basic, ecx, 13},          {"sse4.1", '2', basic, ecx, 19},
    {"sse4.2", '2', basic, ecx, 20},        {"popcnt", '2', basic, ecx, 23},
    {"lahf", '2', extended, ecx, 0},        {"fma", '3', basic, ecx, 12},
    {"movbe", '3', basic, ecx, 22},         {"avx", '3', basic, ecx, 28},
    {"f16c", '3', basic, ecx, 29},          {"lzcnt", '3', extended, ecx, 5},
    {"bmi1", '3', structured, ebx, 3},      {"avx2", '3', structured, ebx, 5},
    {"bmi2", '3', structured, ebx, 8},      {"avx512f", '4', structured, ebx, 16},
    {"avx512dq", '4', structured, ebx, 17}, {"avx512cd", '4', structured, ebx, 28},
    {"avx512bw", '4', structured, ebx, 30}, {"avx512vl", '4', structured, ebx, 31},
};

bool shown(const Feature& feature) {
  unsigned registers[4] = {};
  if (__get_cpuid_count(feature.leaf, 0, &registers[0], &registers[1], &registers[2], &registers[3]) == 0)
    return false;
  return ((registers[feature.in == ebx ? 1 : 2] >> feature.bit) & 1u) != 0;
}

/// Registers that the operating system keeps for a thread: XCR0, 0 where it says nothing.
std::uint64_t kept_registers() {
  constexpr Feature osxsave = {"osxsave", '3', basic, ecx, 27};
  if (!shown(osxsave)) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

std::string missing_features(std::string_view level) {
  std::string missing;
  const auto add = [&](const char* name) {
    if (!missing.empty()) missing += ' ';
    missing += name;
  };
  if (level != "v2" && level != "v3" && level != "v4") return missing;
  for (const Feature& feature : features)
    if (feature.level <= level[1] && !shown(feature)) add(feature.name);
  constexpr std::uint64_t ymm = 0x6, zmm = 0xE6;  // of XCR0: with the halves and the masks that belong to them
  const std::uint64_t kept = kept_registers();
  if (level >= "v3" && (kept & ymm) != ymm) add("ymm registers kept by the operating system");
  if (level == "v4" && (kept & zmm) != zmm) add("zmm registers kept by the operating system");
  return missing;
}

}  // namespace carbo::internal

#else

namespace carbo::internal {

std::string missing_features(std::string_view) { return {}; }

}  // namespace carbo::internal

#endif
