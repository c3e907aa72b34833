#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "backend/cuda/cuda_error.hpp"
#include "backend/cuda/launch_parts.hpp"
#include "emulator_control.hpp"
#include "support/cuda_workload.hpp"
#include "support/device_array.hpp"
#include "support/environment.hpp"

// What can go wrong on a card beside wrong results: watchdogs, captures of others, libraries that fail in silence.
namespace cuda_pair {
namespace {

using carbo::test::DeviceStream;
using cuda_workload::expected;
using cuda_workload::run_all;
using cuda_workload::scene;

/// Means, then variances.
std::vector<double> predictions(const GpFactor& factor, const Points& points) {
  std::vector<double> mean(points.size()), variance(points.size());
  factor.predict(Rows(points).view(), mean, variance);
  mean.insert(mean.end(), variance.begin(), variance.end());
  return mean;
}

TEST(CudaWatchdog, LaunchesArePartedByWork) {
  using carbo::internal::candidates_of_a_launch;
  // 40 multiprocessors of 2.6·10⁹ slots of one thread a second: n = 1,000, all variances, in 0.25 s.
  const std::size_t part = candidates_of_a_launch(40, 0.5e6 + 44e3);
  EXPECT_EQ(part % 128, 0u);
  EXPECT_NEAR(static_cast<double>(part) * 0.544e6 / (40 * 2.6e9), 0.25, 0.05);
  EXPECT_EQ(candidates_of_a_launch(4, 1e300), 4u * 128u);
  EXPECT_GT(candidates_of_a_launch(1, 0), 1u << 28);
}

TEST(CudaWatchdog, PartsGiveTheSameBits) {
  CudaOptions parted;
  parted.slots_a_launch = 1;  // 128 candidates a multiprocessor
  const Scene many(40, 1200, 3);
  const auto swept = [&](const CudaOptions& options) {
    const auto backend = cuda(options);
    const auto set = backend->make_candidates(Rows(many.candidates).view());
    const auto factor = fixture::factor(*backend, many.gp, many.x, many.y);
    emulator_reset_counters();
    auto field = backend->sweep(*factor, *set, true);
    const unsigned long long launches = emulator_counter("launches");
    const std::vector<double> normals = {0.3, -1.2};
    Member member{factor.get(), field.get()};
    backend->fantasise({&member, 1}, *set, many.candidates[7], normals);
    return std::pair(launches, contents(*field));
  };
  const auto whole = swept({}), in_parts = swept(parted);
  EXPECT_EQ(in_parts.first, whole.first + 2 * 2);  // three parts of means, and of variances
  EXPECT_EQ(in_parts.second, whole.second);
}

/// What a search finds of candidates among which no ceiling can choose, and what that took.
struct Found {
  std::vector<double> picks;  ///< index and score
  std::size_t refreshed = 0, finished = 0;
  unsigned long long launches = 0, waits = 0;
};

Found found_among_all(const CudaOptions& options, const Scene& scene, Precision precision) {
  const auto backend = cuda(options);
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto factor = fixture::factor(*backend, scene.gp, scene.x, scene.y);
  const std::vector<double> normals = {0.3, -1.2};
  const std::vector<double> incumbents = factor->fantasise(scene.candidates[7], normals);
  GpFactor* const one = factor.get();
  SearchSetup setup;
  setup.factors = {&one, 1};
  setup.fantasies = normals.size();
  setup.precision = precision;
  emulator_reset_counters();
  const auto search = backend->make_search(*set, setup);
  SearchRequest request;
  request.incumbents = incumbents;
  Found found;
  const auto look = [&](std::size_t count) {
    for (const Scored& best : search->top(request, count))
      found.picks.insert(found.picks.end(), {static_cast<double>(best.index), best.score});
  };
  look(2);
  search->fantasise(scene.candidates[8], normals);
  look(1);
  look(4);  // all are ranked
  found.refreshed = search->work().refreshed;
  found.finished = search->work().finished;
  found.launches = emulator_counter("launches");
  found.waits = emulator_counter("synchronisations");
  return found;
}

/// Candidates that are all alike but for their rounding, so that every one is brought up to date and finished.
TEST(CudaWatchdog, PartsOfLongListsGiveTheSamePicks) {
  CudaOptions parted;
  parted.slots_a_launch = 1;  // three parts of 1,200 candidates
  Scene flat(200, 1200, 3);
  for (auto& x : flat.x) x[0] += 100;  // far from all
  std::fill(flat.y.begin(), flat.y.end(), 0.5);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    SCOPED_TRACE(static_cast<int>(precision));
    const Found whole = found_among_all({}, flat, precision), in_parts = found_among_all(parted, flat, precision);
    EXPECT_EQ(whole.picks.size(), 2u * (2 + 1 + 4));
    EXPECT_EQ(in_parts.picks, whole.picks);
    EXPECT_EQ(in_parts.refreshed, whole.refreshed);
    EXPECT_EQ(in_parts.finished, whole.finished);
    EXPECT_GE(whole.finished, 1200u);
    EXPECT_GE(in_parts.launches, whole.launches + 2 * 10);
    EXPECT_EQ(in_parts.waits, whole.waits);
  }
}

/// An allocation in the runtime's usual mode spoils what another thread captures.
TEST(CudaCaptures, ThoseOfOthersAreLeftWhole) {
  const emulator::Setting plain("EMULATOR_POOLS", "unsupported");
  const DeviceStream stream;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  std::thread([] { EXPECT_EQ(run_all(*cuda(), scene()), expected()); }).join();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  if (graph != nullptr) cudaGraphDestroy(graph);
  // The thread's own mode is what it was.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  run_all(*cuda(), scene());
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
}

TEST(CudaStreams, ThatOfAThreadIsRefusedInAnother) {
  CudaOptions options;
  options.stream = cudaStreamPerThread;
  const auto backend = cuda(options);
  EXPECT_EQ(run_all(*backend, scene()), expected());
  std::thread([&] {
    try {
      backend->make_candidates(Rows(scene().candidates).view());
      FAIL() << "another stream was taken in silence";
    } catch (const carbo::InvalidOptions& error) {
      EXPECT_NE(std::string(error.what()).find("cudaStreamPerThread"), std::string::npos) << error.what();
    }
  }).join();
  EXPECT_EQ(run_all(*backend, scene()), expected());
}

TEST(CudaLibraries, EmulatedArithmeticIsKeptOutWhereItIsAskedFor) {
  const carbo::EnvironmentVariable emulate("CUBLAS_EMULATE_DOUBLE_PRECISION", "1");
  emulator_reset_counters();
  EXPECT_EQ(run_all(*cuda(), scene()), expected());
  EXPECT_GT(emulator_counter("library calls"), 0u);
  EXPECT_EQ(emulator_counter("calls open to emulated math"), 0u);
}

TEST(CudaLibraries, HopperGetsTheWorkspaceThatCublasAsksFor) {
  CudaOptions ample, small;
  ample.memory_bytes = std::size_t{8} << 30;
  small.memory_bytes = std::size_t{1} << 30;
  const auto used = [](const CudaOptions& options) { return cuda(options)->context().memory()->used(); };
  const std::size_t before = used(ample);
  const emulator::Setting hopper("EMULATOR_CAPABILITY", "9.0");
  EXPECT_EQ(used(ample), before + (std::size_t{28} << 20));
  EXPECT_EQ(used(small), before);
}

/// Without pools memory comes from cudaMalloc and goes by cudaFree, which waits: not in work that repeats.
TEST(CudaMemory, WithoutPoolsRepeatedWorkNeitherAllocatesNorFrees) {
  const emulator::Setting plain("EMULATOR_POOLS", "unsupported");
  const auto backend = cuda();
  run_all(*backend, scene());
  emulator_reset_counters();
  run_all(*backend, scene());
  const unsigned long long waits = emulator_counter("synchronisations");
  EXPECT_EQ(emulator_counter("allocations"), 0u);
  const emulator::Setting pools("EMULATOR_POOLS", "supported");
  const auto pooled = cuda();
  run_all(*pooled, scene());
  emulator_reset_counters();
  run_all(*pooled, scene());
  EXPECT_EQ(emulator_counter("synchronisations"), waits);
}

TEST(CudaErrors, ThoseThatADeviceDoesNotSurviveAreKnown) {
  using carbo::internal::is_sticky;
  for (const cudaError_t error :
       {cudaErrorIllegalAddress, cudaErrorLaunchTimeout, cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable,
        cudaErrorContained, cudaErrorTensorMemoryLeak, cudaErrorMpsRpcFailure, cudaErrorExternalDevice})
    EXPECT_TRUE(is_sticky(error)) << cudaGetErrorName(error);
  for (const cudaError_t error : {cudaSuccess, cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorNotReady,
                                  cudaErrorStreamCaptureUnsupported})
    EXPECT_FALSE(is_sticky(error)) << cudaGetErrorName(error);
}

/// A batch that leaves NaN in a good matrix costs a second look, and no jitter.
TEST(CudaCholesky, WhatABatchGetsWrongIsFactoredAlone) {
  Pair pair;
  const Scene scene(40, 6, 2);
  const Rows rows(scene.x);
  const std::vector<GpParameters> two(2, fixture::parameters(scene.gp));
  const std::vector<int> groups = {0, 1};
  std::vector<double> logs;
  for (const double l : scene.gp.lengthscales) logs.push_back(std::log(l));
  logs.push_back(0.1);
  logs.push_back(std::log(0.02));
  const std::vector<LikelihoodRequest> requests(2, {rows.view(), scene.y, groups, logs, std::nullopt});
  std::vector<LikelihoodValue> right(2), wrong(2);
  pair.cuda->likelihoods(requests, right);
  const auto expected = pair.cuda->factor(rows.view(), scene.y, two);
  const emulator::Setting batches("EMULATOR_BATCHED_CHOLESKY", "wrong");
  pair.cuda->likelihoods(requests, wrong);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(wrong[i].jitter, 0) << i;
    EXPECT_EQ(wrong[i].log_likelihood, right[i].log_likelihood) << i;
    EXPECT_EQ(wrong[i].gradient, right[i].gradient) << i;
  }
  const auto found = pair.cuda->factor(rows.view(), scene.y, two);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(found[i]->jitter(), 0) << i;
    EXPECT_EQ(predictions(*found[i], scene.candidates), predictions(*expected[i], scene.candidates)) << i;
  }
}

/// Factors side by side on streams, which run in any order that events allow.
TEST(CudaCholesky, LargeMatricesAreFactoredOneByOneInAnyOrder) {
  const emulator::Setting lazy("EMULATOR_STREAMS", "lazy");
  const Scene scene(513, 4, 1);
  const Rows rows(scene.x);
  std::vector<GpParameters> five(5, fixture::parameters(scene.gp));
  for (std::size_t i = 0; i < 5; ++i) five[i].signal_variance *= 1.0 + 0.1 * static_cast<double>(i);
  Pair pair;
  emulator_reset_counters();
  const auto found = pair.cuda->factor(rows.view(), scene.y, five);
  EXPECT_EQ(emulator_live("cuSOLVER handles"), 4);
  const auto expected = pair.cpu->factor(rows.view(), scene.y, five);
  for (std::size_t i = 0; i < 5; ++i)
    expect_near(predictions(*found[i], scene.candidates), predictions(*expected[i], scene.candidates),
                8 * scene.tolerance());
}

}  // namespace
}  // namespace cuda_pair
