/// What the learned cost models take, each against the GP on the log cost alone, in turn in one run.
///   bench_cost_models [repeats]
/// fit:   an update at n = 500 from the hyperparameters of n = 450, d = 6 (a model that does not predict is fitted
/// anew
///        when its data have grown by half, and compared at every fit); `automatic` compares all three
/// score: 10⁶ candidates, n = 500, features kept: the cost over all of them, and a whole pick

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/to_string.hpp>

#include "backend/backend.hpp"
#include "bench/study/functions.hpp"
#include "bench/support/timing.hpp"
#include "cost/cost_model.hpp"
#include "support/random.hpp"

namespace {

using namespace carbo;
using namespace carbo::internal;
using bench::Timing;

constexpr std::size_t dimension = 6;
constexpr std::size_t rows = 500, rows_before = 450, candidates = 1000000;

Space make_space() {
  std::vector<Parameter> parameters;
  for (int i = 1; i <= 4; ++i) parameters.push_back(integer("units" + std::to_string(i), 10, 300).log());
  parameters.push_back(real("learning_rate", 1e-4, 1e-1).log());
  parameters.push_back(real("weight_decay", 1e-6, 1e-1).log());
  return Space(parameters);
}

CostOptions options_of(CostModelKind kind) {
  CostOptions options;
  options.model = kind;
  options.features = mlp_features({.layers = {123, "units1", "units2", "units3", "units4", 2}});
  return options;
}

/// Uniform configurations, and costs that are their flops, bent by a tenth, with 10 % of noise.
class Scene {
 public:
  Scene() {
    table_.parameters = table_.columns = dimension;
    numbers_ = draw(rows, 1);
    encoded_ = encode(numbers_, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* n = numbers_.data() + i * dimension;
      const double flops = 123 * n[0] + n[0] * n[1] + n[1] * n[2] + n[2] * n[3] + 2 * n[3];
      const double bend = 0.1 * std::sin(6.0 * encoded_[i * dimension + 4]);
      costs_.push_back((2e-3 + 1e-6 * flops) * std::exp(bend + 0.1 * normal(3, Draw::fantasy, i)));
    }
  }

  Backend& backend() { return *backend_; }
  const CandidateTable& table() {
    if (table_.rows == 0) {
      table_.rows = candidates;
      table_.numbers = draw(candidates, 2);
      table_.encoded = encode(table_.numbers, candidates);
    }
    return table_;
  }

  std::unique_ptr<CostModel> model(CostModelKind kind, std::size_t seen) {
    auto result = make_cost_model(space_, options_of(kind), *backend_);
    update(*result, seen);
    return result;
  }
  void update(CostModel& model, std::size_t seen) {
    std::vector<CostObservation> observations;
    for (std::size_t i = 0; i < seen; ++i) {
      const std::span<const double> encoded(encoded_.data() + i * dimension, dimension);
      const std::span<const double> numbers(numbers_.data() + i * dimension, dimension);
      observations.push_back({{encoded, numbers, {}}, costs_[i], false});
    }
    const std::vector<FitProblem> problems = model.prepare(observations);
    model.update(fit(*backend_, problems, 1));
  }
  /// A GP of an objective on the same points.
  std::unique_ptr<GpFactor> objective() {
    std::vector<double> targets;
    for (std::size_t i = 0; i < rows; ++i) {
      targets.push_back(study::hartmann6({encoded_.data() + i * dimension, dimension}));
    }
    GpParameters parameters;
    parameters.inverse_lengthscales.assign(dimension, 2.0);
    parameters.noise_variance = 1e-4;
    return std::move(backend_->factor({encoded_.data(), rows, dimension}, targets, {&parameters, 1}).front());
  }

 private:
  std::vector<double> draw(std::size_t count, std::uint64_t seed) const {
    std::vector<double> numbers(count * dimension);
    for (std::size_t i = 0; i < count; ++i) {
      double unit[dimension];
      for (std::size_t j = 0; j < dimension; ++j) {
        unit[j] = uniform(seed, Draw::random_pick, i, static_cast<std::uint32_t>(j));
      }
      space_.from_unit(unit, {numbers.data() + i * dimension, dimension});
    }
    return numbers;
  }
  std::vector<double> encode(const std::vector<double>& numbers, std::size_t count) const {
    std::vector<double> encoded(count * dimension);
    for (std::size_t i = 0; i < count; ++i) {
      space_.encode({numbers.data() + i * dimension, dimension}, {encoded.data() + i * dimension, dimension});
    }
    return encoded;
  }

  Space space_ = make_space();
  std::unique_ptr<Backend> backend_ = make_backend({});
  std::vector<double> numbers_, encoded_, costs_;
  CandidateTable table_;
};

void print(const char* what, const Timing& plain, const Timing& other) {
  std::printf("  %-34s %8.3f s  %8.3f s  ratio %.2f (CPU %.2f)\n", what, plain.seconds, other.seconds,
              other.seconds / plain.seconds, other.cpu_seconds / plain.cpu_seconds);
}

void bench_fit(Scene& scene, int repeats) {
  std::printf("fit, n = %zu, warm from n = %zu:\n", rows, rows_before);
  const CostModelKind kinds[] = {CostModelKind::log_gp, CostModelKind::linear, CostModelKind::linear_mean_gp,
                                 CostModelKind::automatic};
  std::vector<std::vector<Timing>> timings(std::size(kinds));
  for (int again = 0; again <= repeats; ++again) {
    for (std::size_t k = 0; k < std::size(kinds); ++k) {
      const auto model = scene.model(kinds[k], rows_before);
      const Timing timing = bench::time_of([&] { scene.update(*model, rows); });
      if (again > 0) timings[k].push_back(timing);
      if (again == 0) std::printf("  %s predicts by %s\n", to_string(kinds[k]), to_string(model->kind()));
    }
  }
  for (std::size_t k = 1; k < std::size(kinds); ++k) {
    print(to_string(kinds[k]), bench::median_timing(timings[0]), bench::median_timing(timings[k]));
  }
}

void bench_score(Scene& scene, int repeats) {
  std::printf("score, m = %zu, n = %zu:\n", candidates, rows);
  const auto set = scene.backend().make_candidates({scene.table().encoded.data(), candidates, dimension});
  const auto objective = scene.objective();
  const auto plain = scene.model(CostModelKind::log_gp, rows);
  for (const CostModelKind kind : {CostModelKind::linear, CostModelKind::linear_mean_gp}) {
    const auto other = scene.model(kind, rows);
    const Timing features = bench::time_of([&] { other->field(scene.table(), *set); });
    const auto field = [&](CostModel& model) { return model.field(scene.table(), *set); };
    const auto pick = [&](CostModel& model) {
      const auto log_cost = field(model);
      GpFactor* factor = objective.get();
      SearchSetup setup;
      setup.factors = {&factor, 1};
      setup.log_cost = log_cost.get();
      const double incumbent = -2.5;
      SearchRequest request;
      request.incumbents = {&incumbent, 1};
      request.acquisition.parameter = 1;
      return scene.backend().make_search(*set, setup)->top(request, 1).front().index;
    };
    const auto fields = bench::in_turn<2>({[&] { field(*plain); }, [&] { field(*other); }}, repeats);
    const auto picks = bench::in_turn<2>({[&] { pick(*plain); }, [&] { pick(*other); }}, repeats);
    std::printf("  %s, the first time with features: %.3f s\n", to_string(kind), features.seconds);
    print("cost over all candidates", fields[0], fields[1]);
    print("one pick", picks[0], picks[1]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  std::printf("%s, %s\n", bench::processor_name().c_str(), CARBO_BUILD_FLAGS);
  std::printf("seconds of log_gp, then of the model named; medians of %d, in turn\n", repeats);
  Scene scene;
  bench_fit(scene, repeats);
  bench_score(scene, repeats);
}
