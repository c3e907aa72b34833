#include <gtest/gtest.h>

#include <carbo/cuda.hpp>

#include "support/device_array.hpp"
#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"

// A selector on the device beside one on the CPU, its arrays in host or in device memory.
namespace carbo {
namespace {

using namespace test;

const SelectorScene& scene() {
  static const SelectorScene the_scene(130, 16);
  return the_scene;
}

void expect_the_cpus_picks(SelectorOptions options) {
  options.backend.kind = BackendKind::cuda;
  Selector cuda = scene().ready(options);
  options.backend.kind = BackendKind::cpu;
  Selector cpu = scene().ready(options);
  EXPECT_TRUE(cuda.on_device());
  EXPECT_NE(cuda.backend_reason().find("device 0"), std::string::npos) << cuda.backend_reason();
  expect_same_scores(dense_scores(cuda, {.alpha = 0.6}), dense_scores(cpu, {.alpha = 0.6}));
  expect_same_picks(suggest(cuda, {.count = 5, .alpha = 0.6}), suggest(cpu, {.count = 5, .alpha = 0.6}));
  expect_same_scores(dense_scores(cuda, {.alpha = 0.6}), dense_scores(cpu, {.alpha = 0.6}));
}

TEST(CudaSelector, PicksAreTheCpus) { expect_the_cpus_picks(on_device()); }

TEST(CudaSelector, PicksAreTheCpusWithEveryWeightOfTheCost) {
  for (const CostWeight weight : {CostWeight::mean, CostWeight::moment}) {
    SelectorOptions options = on_device();
    options.cost.weight = weight;
    expect_the_cpus_picks(options);
  }
}

TEST(CudaSelector, PicksAreTheCpusWithOneFactorAFantasyAndTheMeansIncumbent) {
  SelectorOptions options = on_device();
  options.fantasies.mode = FantasyMode::batched;
  expect_the_cpus_picks(options);
  options = on_device();
  options.incumbent = Incumbent::posterior_mean;
  expect_the_cpus_picks(options);
}

TEST(CudaSelector, TheBestOfThePlainLoopsIsPickedFirst) {
  const std::vector<double> expected =
      oracle::ei_cool(objective_gp(), scene().tried, scene().objectives, scene().pool,
                      oracle::log_costs(cost_gp(), scene().tried, scene().costs, scene().pool), 0.3);
  Selector selector = scene().ready(on_device());
  expect_same_scores(dense_scores(selector, {.alpha = 0.3}), expected);
  EXPECT_EQ(suggest(selector, {.alpha = 0.3}).rows.at(0), best_of(expected));
}

TEST(CudaSelector, TheDesignIsAlgorithmOne) {
  Selector selector(on_device());
  selector.set_pool(scene().known_cost_pool());
  selector.append(scene().observations());
  EXPECT_EQ(design(selector, {.count = 4}), oracle::design_rows(scene().pool, scene().pool_costs, scene().tried, 4));
}

/// All arrays in device memory, laid out and typed as wished.
template <class T>
void expect_picks_of_device_arrays(Order order, std::size_t gap, const Picked& expected, double tolerance) {
  const bool by_rows = order == Order::row_major;
  const std::size_t m = scene().pool.size(), n = scene().tried.size();
  const std::size_t pool_leading = (by_rows ? 3 : m) + gap, tried_leading = (by_rows ? 3 : n) + gap;
  const DeviceArray<T> pool(spread<T>(scene().pool, order, pool_leading));
  const DeviceArray<T> tried(spread<T>(scene().tried, order, tried_leading));
  const DeviceArray<T> objectives(std::vector<T>(scene().objectives.begin(), scene().objectives.end()));
  const DeviceArray<T> costs(std::vector<T>(scene().costs.begin(), scene().costs.end()));
  Selector selector = cuda::make_selector(on_device());
  selector.set_pool({by_rows ? cuda::device_rows(pool.data(), m, 3, pool_leading)
                             : cuda::device_columns(pool.data(), m, 3, pool_leading)});
  selector.append({.points = by_rows ? cuda::device_rows(tried.data(), n, 3, tried_leading)
                                     : cuda::device_columns(tried.data(), n, 3, tried_leading),
                   .objectives = cuda::device_values(objectives.data(), n),
                   .costs = cuda::device_values(costs.data(), n)});
  const DeviceArray<std::int64_t> rows(5);
  const DeviceArray<T> scores(5);
  EXPECT_EQ(
      selector.suggest({.count = 5}, {cuda::device_index_room(rows.data(), 5), cuda::device_room(scores.data(), 5)}),
      5u);
  const std::vector<T> found = scores.read();
  expect_same_picks({rows.read(), {found.begin(), found.end()}}, expected, tolerance);
}

TEST(CudaSelectorArrays, InDeviceMemoryGiveThePicksOfHostMemory) {
  Selector host = scene().ready(on_device());
  const Picked expected = suggest(host, {.count = 5});
  for (const Order order : {Order::row_major, Order::column_major})
    for (const std::size_t gap : {0u, 3u}) expect_picks_of_device_arrays<double>(order, gap, expected, 0);
}

/// The CPU with the rounded values; scores are rounded to single precision on their way out.
TEST(CudaSelectorArrays, InSinglePrecisionGiveThePicksOfTheRoundedValues) {
  SelectorScene rounded = scene();
  for (auto* values : {&rounded.flat_pool, &rounded.flat_tried, &rounded.objectives, &rounded.costs})
    for (double& value : *values) value = static_cast<float>(value);
  Selector cpu = rounded.ready();
  const Picked expected = suggest(cpu, {.count = 5});
  expect_picks_of_device_arrays<float>(Order::row_major, 2, expected, 1e-7);
  expect_picks_of_device_arrays<float>(Order::column_major, 0, expected, 1e-7);
}

TEST(CudaSelectorScores, AreTheSameWhereverTheyAreWrittenTo) {
  Selector selector = scene().ready(on_device());
  const Picked picked = suggest(selector, {.count = 2});
  const std::size_t m = scene().pool.size();
  const std::vector<double> expected = dense_scores(selector);
  for (const std::int64_t row : picked.rows) EXPECT_EQ(expected[static_cast<std::size_t>(row)], -infinity);
  const DeviceArray<double> doubles(m);
  const DeviceArray<float> singles(m);
  selector.scores({}, cuda::device_room(doubles.data(), m));
  selector.scores({}, cuda::device_room(singles.data(), m));
  EXPECT_EQ(doubles.read(), expected);
  EXPECT_EQ(singles.read(), std::vector<float>(expected.begin(), expected.end()));
  EXPECT_EQ(suggest(selector, {}).rows.at(0), best_of(expected));
}

/// The application's loop: picks in device memory, results in device memory, appended by the same rows.
TEST(CudaSelectorLoop, GoesAsOnTheCpu) {
  const std::size_t m = scene().pool.size();
  const DeviceArray<double> pool(scene().flat_pool);
  Selector cuda = cuda::make_selector(on_device()), cpu = scene().ready();
  cuda.set_pool({cuda::device_rows(pool.data(), m, 3)});
  cuda.append(scene().observations());
  const DeviceArray<std::int64_t> rows(3);
  for (int round = 0; round < 3; ++round) {
    const PickRequest request{.count = 3, .alpha = cooling_exponent(10, round, 0)};
    ASSERT_EQ(cuda.suggest(request, {cuda::device_index_room(rows.data(), 3)}), 3u);
    const std::vector<std::int64_t> expected = suggest(cpu, request).rows;
    ASSERT_EQ(rows.read(), expected) << "round " << round;
    std::vector<double> objectives, costs;
    for (const std::int64_t row : expected) {
      objectives.push_back(some_objective(scene().pool[static_cast<std::size_t>(row)]));
      costs.push_back(some_cost(scene().pool[static_cast<std::size_t>(row)]));
    }
    const DeviceArray<double> device_objectives(objectives), device_costs(costs);
    // One stays running.
    cuda.append({.rows = cuda::device_indices(rows.data(), 2),
                 .objectives = cuda::device_values(device_objectives.data(), 2),
                 .costs = cuda::device_values(device_costs.data(), 2)});
    cpu.append({.rows = host_indices(expected.data(), 2),
                .objectives = host_values(objectives.data(), 2),
                .costs = host_values(costs.data(), 2)});
    EXPECT_EQ(cuda.running(), cpu.running());
    EXPECT_EQ(cuda.available(), cpu.available());
    EXPECT_EQ(cuda.observations(), cpu.observations());
  }
  cuda.withdraw(cuda::device_indices(rows.data() + 2, 1));
  EXPECT_EQ(cuda.running(), 2u);
}

TEST(CudaSelectorCosts, KnownOnesMayLieInDeviceMemory) {
  const std::size_t m = scene().pool.size();
  const DeviceArray<double> pool(scene().flat_pool), costs(scene().pool_costs);
  Selector cuda = cuda::make_selector(on_device()), cpu(scene().options());
  cuda.set_pool({cuda::device_rows(pool.data(), m, 3), cuda::device_values(costs.data(), m)});
  cpu.set_pool(scene().known_cost_pool());
  for (Selector* const one : {&cuda, &cpu}) one->append(scene().observations());
  expect_same_picks(suggest(cuda, {.count = 4}), suggest(cpu, {.count = 4}));
}

/// Models that look at every candidate on the host see a pool in device memory too.
TEST(CudaSelectorCosts, ALinearModelSeesAPoolInDeviceMemory) {
  const std::size_t m = scene().pool.size();
  const DeviceArray<double> pool(spread<double>(scene().pool, Order::column_major, m));
  SelectorOptions options = on_device();
  options.cost = {.model = CostModelKind::linear, .features = {work("x0 * x1"), work("x2")}};
  Selector cuda = cuda::make_selector(options);
  cuda.set_pool({cuda::device_columns(pool.data(), m, 3)});
  cuda.append(scene().observations());
  options.backend.kind = BackendKind::cpu;
  Selector cpu = scene().ready(options);
  expect_same_picks(suggest(cuda, {.count = 4}), suggest(cpu, {.count = 4}));
}

TEST(CudaSelectorFitting, EndsWhereTheCpusDoes) {
  SelectorOptions options = on_device();
  options.surrogate.fixed.reset();
  options.cost.surrogate.fixed.reset();
  options.surrogate.restarts = options.cost.surrogate.restarts = 2;
  Selector cuda = scene().ready(options);
  options.backend.kind = BackendKind::cpu;
  Selector cpu = scene().ready(options);
  const SelectorFit found = cuda.fit(), expected = cpu.fit();
  ASSERT_EQ(found.objective.lengthscales.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    const double length = expected.objective.lengthscales[c];
    EXPECT_NEAR(found.objective.lengthscales[c], length, 1e-4 * length);  // where the minimiser ends
  }
  EXPECT_EQ(suggest(cuda, {}).rows, suggest(cpu, {}).rows);
}

}  // namespace
}  // namespace carbo
