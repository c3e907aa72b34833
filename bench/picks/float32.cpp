#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "backend/cpu/covariance.hpp"
#include "bench/picks/jobs.hpp"
#include "bench/support/level_loops.hpp"
#include "bench/support/matern_pass.hpp"
#include "bench/support/timing.hpp"
#include "formulas/log_h.hpp"
#include "formulas/matern.hpp"
#include "replay/statistics.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

constexpr std::size_t columns = hartmann_columns;
static_assert(columns == FloatMaternPanel::columns);
constexpr double unit_roundoff = 0x1p-24;  // of float32

/// The means of all candidates as a float32 first pass would compute them: entries in float32, their sums in float32
/// over a few rows at a time and in float64 over these.
class FloatPass {
 public:
  static constexpr std::size_t rows_at_once = FloatMaternPanel::rows_at_once;

  FloatPass(const Problem& problem, std::span<const double> weights)
      : rows_(problem.rows()), points_(rows_ * columns), weights_(weights.begin(), weights.end()), pool_(0) {
    const std::vector<double>& inverse = problem.objective_gp.inverse_lengthscales;
    for (std::size_t i = 0; i < problem.points.size(); ++i)
      points_[i] = static_cast<float>(problem.points[i] * inverse[i % columns]);
    sums_.resize((problem.candidates() + panel_width - 1) / panel_width * panel_width);
    coordinates_.resize(sums_.size() * columns);
    for (std::size_t j = 0; j < problem.candidates(); ++j)
      for (std::size_t c = 0; c < columns; ++c)
        coordinates_[(j / panel_width * columns + c) * panel_width + j % panel_width] =
            static_cast<float>(problem.pool[j * columns + c] * inverse[c]);
  }

  void run() {
    const LevelLoops& loops = level_loops();
    pool_.parallel_for(sums_.size() / panel_width, [&](std::size_t panel) {
      loops.float_matern_panel({points_.data(), weights_.data(), rows_,
                                coordinates_.data() + panel * panel_width * columns,
                                sums_.data() + panel * panel_width});
    });
  }
  std::span<const double> sums() const { return sums_; }

 private:
  std::size_t rows_;
  std::vector<float> points_;       ///< rows × columns
  std::vector<float> weights_;      ///< one a row
  std::vector<float> coordinates_;  ///< panels of columns × panel_width
  std::vector<double> sums_;
  ThreadPool pool_;
};

/// γ_k of the usual error analysis: k roundings in a row change a value by no more than this share of it.
double gamma(double roundings) { return roundings * unit_roundoff / (1 - roundings * unit_roundoff); }

/// Roundings that an entry weight · k(x_i, x) may be off by, to first order. Coordinates and their differences put
/// 2·√5·‖1/ℓ‖ on a = √5 r (points lie in the unit cube), squares, their sum and the root (d/2 + 3)·a, where
/// a ≤ √5·‖1/ℓ‖; |d log k / da| ≤ 1; polynomials, exponential, products and the weight add no more than 12.
double entry_roundings(std::span<const double> inverse_lengthscales) {
  double squares = 0;
  for (const double inverse : inverse_lengthscales) squares += inverse * inverse;
  return (5 + static_cast<double>(columns) / 2) * std::sqrt(5 * squares) + 12;
}

/// K⁻¹(y − mean), by Eigen.
std::vector<double> weights_of(const Problem& problem, const GpParameters& gp, std::span<const double> targets) {
  const auto n = static_cast<Eigen::Index>(problem.rows());
  Eigen::MatrixXd gram(n, n);
  Eigen::VectorXd residuals(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = [&](Eigen::Index k) { return problem.point_rows().row(static_cast<std::size_t>(k)); };
    residuals(i) = targets[static_cast<std::size_t>(i)] - gp.mean;
    for (Eigen::Index j = 0; j <= i; ++j) {
      double squared = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        const double difference = (row(i)[c] - row(j)[c]) * gp.inverse_lengthscales[c];
        squared += difference * difference;
      }
      gram(i, j) = gp.signal_variance * kernels::matern(squared);
    }
    gram(i, i) += gp.noise_variance;
  }
  const Eigen::VectorXd weights = gram.selfadjointView<Eigen::Lower>().llt().solve(residuals);
  return {weights.begin(), weights.end()};
}

/// Σ_i |K⁻¹(y − mean)|_i · k(x_i, x) for every candidate: what γ is a share of.
std::vector<double> absolute_sums(const Problem& problem, const GpParameters& gp, std::span<const double> targets) {
  std::vector<double> weights = weights_of(problem, gp, targets);
  for (double& weight : weights) weight = std::abs(weight) * gp.signal_variance;
  MaternPass pass(problem.point_rows(), problem.pool_rows(), gp.inverse_lengthscales, weights);
  pass.run();
  const auto sums = pass.sums().first(problem.candidates());
  return {sums.begin(), sums.end()};
}

/// Exact posteriors and scores of all candidates, and what margins are a share of.
struct Exact {
  Exact(const Problem& problem, const Scene& scene)
      : incumbent(problem.lowest_observed()),
        objective(scene.backend().sweep(scene.objective_factor(), scene.candidates(), true)),
        scores(scene.dense_scores(*objective, *scene.log_cost_field())),
        best(*std::max_element(scores.begin(), scores.end())),
        objective_sums(absolute_sums(problem, problem.objective_gp, problem.objective)),
        log_cost_sums(absolute_sums(problem, problem.log_cost_gp, problem.log_costs)) {}

  double sd(std::size_t candidate) const { return std::sqrt(objective->variance(candidate)); }

  double incumbent;
  std::unique_ptr<Field> objective;
  std::vector<double> scores;
  double best;
  std::vector<double> objective_sums;
  std::vector<double> log_cost_sums;
};

/// What a margin of `share` of the absolute sums on both means does to a pick, with exact variances, which no pass
/// has for nothing.
void print_effect(const char* what, double share, const Exact& exact) {
  std::vector<double> in_sd;
  std::vector<double> objective_nats;
  std::vector<double> cost_nats;
  std::size_t reaching = 0;
  for (std::size_t j = 0; j < exact.scores.size(); ++j) {
    const double u = (exact.incumbent - exact.objective->mean(j)) / exact.sd(j);
    in_sd.push_back(share * exact.objective_sums[j] / exact.sd(j));
    objective_nats.push_back(kernels::log_h(u + in_sd.back()) - kernels::log_h(u));
    cost_nats.push_back(alpha * share * exact.log_cost_sums[j]);
    if (exact.scores[j] + objective_nats.back() + cost_nats.back() >= exact.best) ++reaching;
  }
  std::printf(
      "  %s: objective median %.3g posterior sd or %.3g nats, log cost %.3g nats; %.3f %% of the pool could"
      " still be best\n",
      what, replay::median(in_sd), replay::median(objective_nats), replay::median(cost_nats),
      100.0 * static_cast<double>(reaching) / static_cast<double>(exact.scores.size()));
}

}  // namespace

void float32_margin(const JobSize& size) {
  const Problem problem(size.data, size.n, size.m);
  const Scene scene(problem);
  const std::vector<double> weights = weights_of(problem, problem.objective_gp, problem.objective);
  const std::vector<double>& inverse = problem.objective_gp.inverse_lengthscales;
  MaternPass double_pass(problem.point_rows(), problem.pool_rows(), inverse, weights);
  FloatPass float_pass(problem, weights);
  const auto [wide, narrow] = in_turn({[&] { double_pass.run(); }, [&] { float_pass.run(); }}, size.repeats);

  const Exact exact(problem, scene);
  std::vector<double> errors;
  std::vector<double> gaps;
  for (std::size_t j = 0; j < size.m; ++j) {
    errors.push_back(std::abs(float_pass.sums()[j] - double_pass.sums()[j]) / exact.sd(j));
    gaps.push_back(exact.best - exact.scores[j]);
  }
  std::printf(
      "%-13s %s  float32 pass %.4f s, float64 pass %.4f s: %.2f times as fast; error of means median %.3g sd,"
      " largest %.3g sd; scores lie a median of %.3g nats below the best\n",
      "float32", problem.label().c_str(), narrow.seconds, wide.seconds, wide.seconds / narrow.seconds,
      replay::median(errors), *std::max_element(errors.begin(), errors.end()), replay::median(gaps));
  const double entry = entry_roundings(inverse);
  print_effect("proved margin, sums in float32", gamma(static_cast<double>(size.n) + entry), exact);
  print_effect("proved margin, float64 sums of 32", gamma(FloatPass::rows_at_once + entry), exact);
}

}  // namespace carbo::bench
