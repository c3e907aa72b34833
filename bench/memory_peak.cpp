// Peak of resident memory against backend.memory_bytes, measured in a process of its own for each shape: what is
// resident at most beyond what was before the optimizer (or selector), the code and a caller's pool among it.
//
//     bench_memory_peak [NAME]    those whose name contains NAME
//
// Ends with 1 where one passes its budget.

#include <chrono>
#include <cstdio>
#include <cstring>

#include "tests/support/memory_shapes.hpp"

int main(int count, char** arguments) {
  using carbo::test::mebibyte;
  std::printf("| shape | budget MiB | planned MiB | peak MiB | peak / budget | learned from | seconds |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  bool within = true;
  for (const carbo::test::MemoryShape& shape : carbo::test::memory_shapes) {
    if (count > 1 && std::strstr(shape.name, arguments[1]) == nullptr) continue;
    const auto begin = std::chrono::steady_clock::now();
    const auto use = carbo::test::measured(shape);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (!use) {
      std::printf("| %s | failed |\n", shape.name);
      within = false;
      continue;
    }
    const auto in_mebibytes = [](std::size_t bytes) { return static_cast<double>(bytes) / mebibyte; };
    const double share = static_cast<double>(use->peak) / static_cast<double>(shape.memory_bytes);
    std::printf("| %s | %.1f | %.1f | %.1f | %.2f | %zu of %zu | %.1f |\n", shape.name,
                in_mebibytes(shape.memory_bytes), in_mebibytes(use->planned), in_mebibytes(use->peak), share,
                use->model_points, use->points, seconds.count());
    std::fflush(stdout);
    within = within && share <= 1;
  }
  return within ? 0 : 1;
}
