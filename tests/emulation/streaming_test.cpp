#include "emulator_control.hpp"
#include "support/cuda_study.hpp"

// Candidates that do not fit into device memory, streamed through it in two tiles.
namespace carbo {
namespace {

/// `study` with the smallest budget on the device that holds a tile and not all candidates.
void squeeze(Options& options, const Space& space) {
  options.backend.kind = BackendKind::cuda;
  for (options.backend.memory_bytes = std::size_t{1} << 20;; options.backend.memory_bytes += std::size_t{1} << 18) {
    try {
      ASSERT_TRUE(Optimizer(space, options).memory_plan().streamed) << options.backend.memory_bytes;
      return;
    } catch (const Error&) {  // not even one tile
    }
  }
}

class CudaStreaming : public CudaStudy {
 protected:
  static Study study() {
    Study study;
    study.options.initial_design = InitialDesign::uniform;
    study.options.design.warm_start = 6;
    study.options.max_evaluations = 12;
    study.batch = study.options.batch_size = 2;
    study.least_picks = 10;
    return study;
  }
};

/// Points are made on the device, a tile at a time.
TEST_F(CudaStreaming, SobolPointsThroughATinyBudget) {
  Study study = CudaStreaming::study();
  study.options.candidates.count = 9000;
  Optimizer cpu = make(study, BackendKind::cpu);
  squeeze(study.options, study.space);
  const auto before = emulator_device_bytes();
  emulator_reset_counters();
  Optimizer cuda = make(study, BackendKind::cuda);
  expect_the_same_picks(study, cpu, cuda);
  EXPECT_LE(emulator_counter("peak device bytes") - before, study.options.backend.memory_bytes);
}

/// Rows of the host are copied on a stream of their own while the tile before is searched, in two schedules of
/// streams.
TEST_F(CudaStreaming, RowsOfAPoolBesideTheSearch) {
  Study study = CudaStreaming::study();
  study.options.candidates.pool = test::grid_pool(study.space, 95);
  study.options.max_evaluations = 9;
  study.least_picks = 7;
  Study host = study;
  host.options.backend.memory_bytes = std::size_t{1} << 20;
  while (true) {
    try {
      if (make(host, BackendKind::cpu).memory_plan().streamed) break;
    } catch (const Error&) {
    }
    host.options.backend.memory_bytes += std::size_t{1} << 17;
  }
  squeeze(study.options, study.space);
  for (const char* seed : {"0", "3"}) {
    SCOPED_TRACE(seed);
    const emulator::Setting lazy("EMULATOR_STREAMS", "lazy"), schedule("EMULATOR_SEED", seed);
    Optimizer cpu = make(host, BackendKind::cpu), cuda = make(study, BackendKind::cuda);
    expect_the_same_picks(study, cpu, cuda);
  }
}

}  // namespace
}  // namespace carbo
