// Throughput of the cpu backend's large operations, each beside the machine's own limit measured in the same run with
// the same flags. Every job is a child process, so that its peak memory is its own.
//
//     bench_throughput [dense|append|race|race_large|likelihood|memory]...      default: all
#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "bench/support/matern_pass.hpp"
#include "bench/support/timing.hpp"
#include "support/random.hpp"
#include "support/thread_pool.hpp"

namespace {

using namespace carbo::bench;
using namespace carbo::internal;

constexpr std::size_t columns = MaternPass::columns;
constexpr int repeats = 7;

std::vector<double> random_values(std::size_t count, std::uint64_t stream) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = uniform(stream, Draw::uniform_configuration, i);
  return values;
}

GpParameters gp_parameters() {
  GpParameters parameters;
  parameters.inverse_lengthscales.assign(columns, 2.0);
  parameters.noise_variance = 1e-3;
  return parameters;
}

/// Square Eigen products, one after the other on every thread.
class Gemm {
 public:
  explicit Gemm(ThreadPool& pool) : pool_(pool) {
    for (std::size_t i = 0; i < pool.threads(); ++i)
      operands_.push_back({Matrix::Random(size, size), Matrix::Random(size, size), Matrix(size, size)});
  }
  void run() {
    pool_.parallel_for(operands_.size(), [&](std::size_t i) {
      for (int r = 0; r < rounds; ++r) operands_[i].c.noalias() = operands_[i].a * operands_[i].b;
    });
  }
  double flops() const { return 2.0 * rounds * static_cast<double>(operands_.size()) * size * size * size; }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
  static constexpr int size = 1000;
  static constexpr int rounds = 5;
  struct Operands {
    Matrix a, b, c;
  };
  ThreadPool& pool_;
  std::vector<Operands> operands_;
};

/// A GP with n rows and m candidates on the backend.
struct Scene {
  Scene(std::size_t n, std::size_t m) : rows(n), candidates_count(m), backend(make_backend({})) {
    const std::vector<double> points = random_values(n * columns, 1);
    const std::vector<double> targets = random_values(n, 2);
    const GpParameters parameters = gp_parameters();
    factor = std::move(backend->factor({points.data(), n, columns}, targets, {&parameters, 1}).front());
    coordinates = random_values(m * columns, 3);
    candidates = backend->make_candidates({coordinates.data(), m, columns});
  }
  std::size_t rows;
  std::size_t candidates_count;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<GpFactor> factor;
  std::vector<double> coordinates;
  std::unique_ptr<CandidateSet> candidates;
};

void dense() {
  Scene scene(1000, 100000);
  ThreadPool pool(0);
  Gemm gemm(pool);
  const auto score = [&] {
    const auto objective = scene.backend->sweep(*scene.factor, *scene.candidates, true);
    const auto cost = scene.backend->sweep(*scene.factor, *scene.candidates, false);
    const Member member{scene.factor.get(), objective.get()};
    const std::vector<double> incumbent = {0.0};
    ScoreRequest request;
    request.objective = {&member, 1};
    request.incumbents = incumbent;
    request.log_cost = cost.get();
    request.alpha = 0.5;
    if (scene.backend->best(*scene.candidates, request).index == Pick::none) std::abort();
  };
  const auto [product, work] = in_turn({[&] { gemm.run(); }, score}, repeats);
  const double flops = 1e6 * 1e5;
  const double rate = flops / work.seconds;
  const double limit = gemm.flops() / product.seconds;
  std::printf(
      "dense scoring, both GPs     n=1000 m=100000 d=%zu  %.3f s, %.1f Gflop/s (n²m) of Eigen GEMM's %.1f: %.2f"
      " (target 0.60)\n",
      columns, work.seconds, rate * 1e-9, limit * 1e-9, rate / limit);
}

void append() {
  Scene scene(1000, 100000);
  const std::vector<double> points = random_values(scene.rows * columns, 1);
  MaternPass pass({points.data(), scene.rows, columns}, {scene.coordinates.data(), scene.candidates_count, columns},
                  scene.factor->parameters().inverse_lengthscales, std::vector<double>(scene.rows, 1.0));
  const auto field = scene.backend->sweep(*scene.factor, *scene.candidates, true);
  const Member member{scene.factor.get(), field.get()};
  const std::vector<double> normals = random_values(10, 4);
  const auto one_append = [&] {
    scene.factor->drop_fantasies();
    scene.backend->fantasise({&member, 1}, *scene.candidates, {scene.coordinates.data(), columns}, normals);
  };
  const auto [bare, work] = in_turn({[&] { pass.run(); }, one_append}, repeats);
  std::printf(
      "one append, 10 fantasies    n=1000 m=100000 d=%zu  %.4f s, bare Matérn pass %.4f s (%.2f ns an entry):"
      " %.2f of its rate (target 0.80)\n",
      columns, work.seconds, bare.seconds, bare.seconds / 1e8 * 1e9, bare.seconds / work.seconds);
}

void race_of(std::size_t m) {
  const auto backend = make_backend({});
  std::vector<double> coordinates = random_values(m * columns, 3);
  const auto candidates = backend->make_candidates({coordinates.data(), m, columns});
  candidates->set_design({coordinates.data(), 20, columns});
  const std::vector<double> log_costs = random_values(m, 5);
  const auto cost = backend->make_field(log_costs, {});
  const auto sort_twice = [&] {
    for (int sort = 0; sort < 2; ++sort) {
      std::vector<std::pair<double, int>> pairs(m);
      for (std::size_t i = 0; i < m; ++i) pairs[i] = {sort == 0 ? log_costs[i] : coordinates[i], static_cast<int>(i)};
      std::sort(pairs.begin(), pairs.end());
      if (pairs.front().first > pairs.back().first) std::abort();
    }
  };
  std::size_t next = 100;
  std::vector<double> race_times;
  const auto design_point = [&] {
    candidates->add_design_point({coordinates.data() + next++ * columns, columns});
    std::size_t pick = Pick::none;
    race_times.push_back(
        time_of([&] { pick = backend->race(*candidates, *cost, std::numeric_limits<double>::infinity()); }).seconds);
    candidates->exclude(pick);
  };
  const auto [sorts, work] = in_turn({sort_twice, design_point}, repeats);
  std::printf(
      "Algorithm 1, a design point m=%zu d=%zu  %.4f s, its race %.4f s, two std::sorts of pairs %.4f s: %.2f times"
      " (target 1.50)\n",
      m, columns, work.seconds, median(race_times), sorts.seconds, work.seconds / sorts.seconds);
}

void race() { race_of(1000000); }
void race_large() { race_of(10000000); }

void likelihood() {
  const std::size_t n = 1000;
  const std::vector<double> points = random_values(n * columns, 1);
  const std::vector<double> targets = random_values(n, 2);
  const std::vector<int> groups = {0, 1, 2, 3, 4, 5};
  const std::vector<double> theta = {-0.7, -0.7, -0.7, -0.7, -0.7, -0.7, 0.0, -6.9};
  const LikelihoodRequest request{{points.data(), n, columns}, targets, groups, theta, {}};
  for (const bool all_cores : {false, true}) {
    carbo::BackendOptions options;
    options.threads = all_cores ? 0 : 1;
    const auto backend = make_backend(options);
    ThreadPool pool(options.threads);
    Gemm gemm(pool);
    const std::vector<LikelihoodRequest> requests(pool.threads(), request);
    std::vector<LikelihoodValue> values(requests.size());
    const auto [product, work] =
        in_turn({[&] { gemm.run(); }, [&] { backend->likelihoods(requests, values); }}, repeats);
    const double rate = 1e9 * static_cast<double>(requests.size()) / work.seconds;
    const double limit = gemm.flops() / product.seconds;
    std::printf(
        "likelihood with gradient    n=1000 d=%zu  %zu request(s) on %zu thread(s) %.4f s, %.1f Gflop/s (n³) of"
        " Eigen GEMM's %.1f: %.2f\n",
        columns, requests.size(), pool.threads(), work.seconds, rate * 1e-9, limit * 1e-9, rate / limit);
  }
}

void memory() {
  const std::size_t m = 1000000;
  Scene scene(200, m);
  const auto field = scene.backend->sweep(*scene.factor, *scene.candidates, true);
  const auto cost = scene.backend->sweep(*scene.factor, *scene.candidates, false);
  const Member member{scene.factor.get(), field.get()};
  const std::vector<double> normals = random_values(10, 4);
  scene.backend->fantasise({&member, 1}, *scene.candidates, {scene.coordinates.data(), columns}, normals);
  const std::vector<double> incumbents(10, 0.0);
  ScoreRequest request;
  request.objective = {&member, 1};
  request.incumbents = incumbents;
  request.log_cost = cost.get();
  request.alpha = 1;
  const double seconds = time_of([&] {
                           if (scene.backend->best(*scene.candidates, request).index == Pick::none) std::abort();
                         }).seconds;
  scene.candidates->set_design({scene.coordinates.data(), 5, columns});
  scene.backend->race(*scene.candidates, *cost, std::numeric_limits<double>::infinity());
  std::printf(
      "sweep, append, pick, race   n=200 m=1000000 d=%zu n_f=10, caller's rows included (pick %.3f s;"
      " target below 1024 MiB)\n",
      columns, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::pair<const char*, void (*)()> jobs[] = {
      {"dense", dense},           {"append", append},         {"race", race},
      {"race_large", race_large}, {"likelihood", likelihood}, {"memory", memory}};
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  for (const std::string& name : wanted)
    if (std::none_of(std::begin(jobs), std::end(jobs), [&](const auto& job) { return name == job.first; })) {
      std::fprintf(stderr, "unknown job %s; dense, append, race, race_large, likelihood and memory exist\n",
                   name.c_str());
      return 2;
    }
  std::printf("%s, %u cores, float64, medians of %d\n%s\n", processor_name().c_str(),
              std::thread::hardware_concurrency(), repeats, CARBO_BUILD_FLAGS);
  bool good = true;
  for (const auto& [name, job] : jobs)
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end())
      good = run_apart(job) && good;
  return good ? 0 : 1;
}
