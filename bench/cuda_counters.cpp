// What a batch of the CUDA backend costs besides arithmetic: launches, library calls, bytes, waits, allocations and
// peak device memory, counted by the emulator while it executes the backend. Prints a table in Markdown. Arguments: n
// and m.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <carbo/memory_plan.hpp>

#include "tests/support/cuda_counters.hpp"

namespace {

using namespace cuda_counters;

void print_row(const char* what, double batch, std::size_t picks) {
  std::printf("| %s | %.0f | %.1f |\n", what, batch, batch / static_cast<double>(picks));
}

/// What the engine would set aside for such a search.
double planned_mebibytes(const Sizes& sizes) {
  carbo::MemoryRequest request;
  request.candidates = sizes.candidates;
  request.parameters = request.columns = sizes.columns;
  request.observations = sizes.observations;
  request.fantasies = sizes.fantasies;
  request.factors = sizes.batched ? sizes.fantasies : 1;
  request.batch = sizes.batch;
  request.on_device = true;
  request.budget = std::numeric_limits<std::size_t>::max();
  return static_cast<double>(carbo::plan_memory(request).total_bytes()) / 1048576;
}

void print(const Sizes& sizes) {
  const auto backend = make_cuda_backend({});
  measure(*backend, sizes);
  const Measured measured = measure(*backend, sizes);
  const Counts& batch = measured.batch;
  std::printf("\n%s fantasies: b = %zu, n_f = %zu, n = %zu, m = %zu, d = %zu\n\n",
              sizes.batched ? "Batched" : "Shared", sizes.batch, sizes.fantasies, sizes.observations,
              sizes.candidates, sizes.columns);
  std::printf("| | a batch | by its picks |\n| --- | ---: | ---: |\n");
  print_row("kernel launches", batch.launches, measured.picks);
  print_row("cuBLAS and cuSOLVER calls", batch.library_calls, measured.picks);
  print_row("bytes to the host", batch.bytes_to_host, measured.picks);
  print_row("bytes to the device", batch.bytes_to_device, measured.picks);
  print_row("synchronisations", batch.synchronisations, measured.picks);
  print_row("allocations", batch.allocations, measured.picks);
  std::printf("\nDevice memory: %.1f MiB before the first pick, %.1f MiB at most, %.1f MiB planned.\n",
              static_cast<double>(measured.resident_bytes) / 1048576,
              static_cast<double>(measured.peak_bytes) / 1048576, planned_mebibytes(sizes));
}

}  // namespace

int main(int count, char** arguments) {
  Sizes sizes;
  sizes.observations = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 500;
  sizes.candidates = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 100000;
  if (sizes.observations == 0 || sizes.candidates < sizes.batch) {
    std::fprintf(stderr, "usage: %s [observations] [candidates, at least %zu]\n", arguments[0], sizes.batch);
    return 2;
  }
  try {
    for (const bool batched : {false, true}) {
      sizes.batched = batched;
      print(sizes);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
