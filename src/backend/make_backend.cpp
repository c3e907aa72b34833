#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cpu_level.hpp"
#include "backend/cuda_library.hpp"
#include "support/free_memory.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

std::unique_ptr<Backend> make_on_cpu(const CpuLevel& level, const BackendOptions& options, const std::string& why,
                                     BackendChoice& choice) {
  choice = {.reason = text("cpu ", level.name, ": ", why),
            .on_device = false,
            .memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : free_memory() / 2,
            .machine = text("cpu ", level.name)};
  return std::unique_ptr<Backend>(level.make(options));
}

void check(const BackendOptions& options) {
  constexpr std::size_t most_threads = 4096;
  if (options.threads > most_threads) {
    throw InvalidOptions(
        text("backend.threads is ", options.threads, "; give 1 to ", most_threads, ", or 0 for all cores"));
  }
  if (options.device < -1) {
    throw InvalidOptions(text("backend.device is ", options.device,
                              "; give the number of a CUDA device, or -1 to leave the choice open"));
  }
}

}  // namespace

std::unique_ptr<Backend> make_backend(const BackendOptions& options, BackendChoice* choice,
                                      const DeviceResources& resources) {
  check(options);
  BackendChoice unread;
  BackendChoice& chosen = choice != nullptr ? *choice : unread;
  // First of all: a level that cannot be had is a mistake, whoever runs.
  const CpuLevel& level = chosen_cpu_level();
  if (options.kind == BackendKind::cpu) return make_on_cpu(level, options, "asked for", chosen);
  CudaOutcome cuda = make_from_cuda_library(options, resources);
  const bool asked_for = options.kind == BackendKind::cuda;
  if (cuda.backend != nullptr) {
    const char* const why = asked_for ? ", asked for" : ", the device that was found";
    chosen = {.reason = text("cuda: ", cuda.reason, why),
              .on_device = true,
              .memory_bytes = cuda.memory_bytes,
              .machine = text("cuda: ", cuda.reason)};
    return std::move(cuda.backend);
  }
  if (asked_for) {
    throw BackendUnavailable(text("backend: cuda was asked for, but ", cuda.reason,
                                  "; choose BackendKind::cpu or automatic, or set this right"));
  }
  return make_on_cpu(level, options, cuda.reason, chosen);
}

}  // namespace carbo::internal
