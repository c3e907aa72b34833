#include "gp/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <carbo/error.hpp>

#include "gp/bounded_minimizer.hpp"
#include "gp/log_posterior.hpp"
#include "gp/row_choice.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t subset_rows = 256;

// In nats of the whole data set. A start on a subset only has to find the basin.
constexpr MinimizerSettings search_settings{
    .max_evaluations = 80, .gradient_tolerance = 1e-2, .decrease_tolerance = 1e-5};
constexpr MinimizerSettings polish_settings{
    .max_evaluations = 80, .gradient_tolerance = 1e-3, .decrease_tolerance = 1e-8};
constexpr MinimizerSettings many_rows_settings{
    .max_evaluations = 80, .gradient_tolerance = 1e-1, .decrease_tolerance = 1e-5};

/// One start on its way, with the best that it has seen.
struct Start {
  const LogPosterior* posterior;
  BoundedMinimizer minimizer;
  std::vector<double> best_point;
  double best_value = std::numeric_limits<double>::infinity();  ///< minus the log posterior
  double log_likelihood = 0;                                    ///< at the best point
  double mean = 0;
};

Start start_at(const LogPosterior& posterior, std::span<const double> point, const MinimizerSettings& settings,
               const std::optional<Eigen::MatrixXd>& curvature = std::nullopt) {
  return {&posterior, BoundedMinimizer(point, posterior.lower(), posterior.upper(), settings, curvature), {}};
}

void take_value(Start& start, LikelihoodValue value) {
  const std::span<const double> point = start.minimizer.point();
  double objective = std::numeric_limits<double>::infinity();
  value.gradient.resize(point.size());
  if (std::isfinite(value.log_likelihood)) {
    objective = -(value.log_likelihood + start.posterior->add_prior(point, value.gradient));
    for (double& entry : value.gradient) entry = -entry;
  }
  if (objective < start.best_value) {
    start.best_value = objective;
    start.best_point.assign(point.begin(), point.end());
    start.log_likelihood = value.log_likelihood;
    start.mean = value.mean;
  }
  start.minimizer.tell(objective, value.gradient);
}

/// Advances all starts together until each is done: one batched call a step.
void advance_together(GpBackend& backend, std::span<Start> starts) {
  std::vector<Start*> moving;
  std::vector<LikelihoodRequest> requests;
  std::vector<LikelihoodValue> values;
  for (;;) {
    moving.clear();
    requests.clear();
    for (Start& start : starts) {
      if (start.minimizer.done()) continue;
      moving.push_back(&start);
      for (std::size_t block = 0; block < start.posterior->blocks(); ++block)
        requests.push_back(start.posterior->request(start.minimizer.point(), block));
    }
    if (moving.empty()) return;
    values.assign(requests.size(), {});
    backend.likelihoods(requests, values);
    std::span<const LikelihoodValue> left(values);
    for (Start* const start : moving) {
      const std::size_t own = start->posterior->blocks();
      take_value(*start, start->posterior->total(start->minimizer.point(), left.first(own)));
      left = left.subspan(own);
    }
  }
}

/// One problem through both stages of a fit: search by all starts, then, where that ran on a subset, polish.
class Fit {
 public:
  Fit(const FitProblem& problem, std::uint64_t seed)
      : problem_(problem), whole_(problem, rows_of_likelihood(problem, seed)) {
    if (uninformative(*problem.data)) {
      search_settings_.max_evaluations = 1;  // likelihood and mean, but no step
      starting_points_.push_back(whole_.start());
      return;
    }
    const std::size_t rows = fitted_data(problem).size();
    if (rows > most_rows_of_a_start) subset_.emplace(problem, random_rows(rows, subset_rows, seed));
    if (problem.warm_start) starting_points_.push_back(to_log_parameters(*problem.warm_start));
    if (!problem.warm_start || problem.full) add_starting_points(seed);
  }
  Fit(const Fit&) = delete;

  void begin_search(std::vector<Start>& starts) const {
    // A quick fit of many rows goes straight to the polish.
    if (subset_ && starting_points_.size() == 1 && !problem_.draft) return;
    const LogPosterior& searched = subset_ ? *subset_ : whole_;
    for (const auto& point : starting_points_) starts.push_back(start_at(searched, point, search_settings_));
  }

  void begin_polish(GpBackend& backend, std::vector<Start>& starts) const {
    if (!subset_ || problem_.draft) return;
    begin_polish_at(backend, best_point_.empty() || warm_start_leads() ? starting_points_.front() : best_point_,
                    starts);
    for (std::size_t i = 0; problem_.all != nullptr && i < optima_.size(); ++i) {
      const auto is_before = [&](const auto& other) { return near(optima_[i], other); };
      if (is_before(best_point_) ||
          std::any_of(optima_.begin(), optima_.begin() + static_cast<std::ptrdiff_t>(i), is_before))
        continue;
      begin_polish_at(backend, optima_[i], starts);
    }
  }

  /// Takes the best of those starts that are this problem's.
  void take(std::span<const Start> starts) {
    double best = std::numeric_limits<double>::infinity();
    for (const Start& start : starts) {
      if (start.posterior != &whole_ && (!subset_ || start.posterior != &*subset_)) continue;
      evaluations_ += start.minimizer.evaluations();
      if (start.posterior != &whole_) {
        if (searched_++ == 0) first_value_ = start.best_value;
        if (!start.best_point.empty()) optima_.push_back(start.best_point);
      }
      if (!(start.best_value < best)) continue;
      best = best_value_ = start.best_value;
      best_point_ = start.best_point;
      log_likelihood_ = start.log_likelihood;
      mean_ = start.mean;
    }
  }

  FitResult result() const {
    if (best_point_.empty()) {
      throw NumericalError("the likelihood of a Gaussian process with " + std::to_string(whole_.rows()) +
                           " rows failed at every start of its fit; a higher noise_floor would help");
    }
    FitResult result{from_log_parameters(best_point_, mean_), log_likelihood_, evaluations_};
    if (problem_.all != nullptr) result.hyperparameters.mean.reset();
    return result;
  }

 private:
  /// Whether the last optimum led to the best that was found on the subset: it is closer to that of all rows.
  bool warm_start_leads() const {
    constexpr double as_good = 0.1;  // nats
    return problem_.warm_start && whole_.rows() > most_rows_fitted_closely && first_value_ <= best_value_ + as_good;
  }

  static bool near(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr double same = 0.05;
    return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return std::abs(x - y) < same; });
  }

  void begin_polish_at(GpBackend& backend, const std::vector<double>& point, std::vector<Start>& starts) const {
    // The subset's curvature, scaled to all rows, spares the polish from learning it at full price.
    const double ratio = static_cast<double>(whole_.rows()) / static_cast<double>(subset_->rows());
    Eigen::MatrixXd curvature = ratio * likelihood_hessian(backend, *subset_, point);
    for (std::size_t i = 0; i < whole_.parameters(); ++i) {
      curvature(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) -= whole_.prior_curvature(i);
    }
    const bool many = whole_.rows() > most_rows_fitted_closely;
    starts.push_back(start_at(whole_, point, many ? many_rows_settings : polish_settings, curvature));
  }

  void add_starting_points(std::uint64_t seed) {
    if (starting_points_.size() < problem_.options->restarts) starting_points_.push_back(whole_.start());
    std::vector<double> uniforms(whole_.parameters());
    for (std::size_t i = starting_points_.size(); i < problem_.options->restarts; ++i) {
      for (std::size_t j = 0; j < uniforms.size(); ++j) {
        uniforms[j] = uniform(seed, Draw::restart, i, static_cast<std::uint32_t>(j));
      }
      starting_points_.push_back(whole_.start(uniforms));
    }
  }

  const FitProblem& problem_;
  LogPosterior whole_;
  std::optional<LogPosterior> subset_;  ///< where there are many rows
  MinimizerSettings search_settings_ = search_settings;
  std::vector<std::vector<double>> starting_points_;
  std::vector<double> best_point_;
  std::vector<std::vector<double>> optima_;                       ///< that starts found on the subset
  std::size_t searched_ = 0;                                      ///< starts on the subset
  double first_value_ = std::numeric_limits<double>::infinity();  ///< that the first of them found
  double best_value_ = std::numeric_limits<double>::infinity();
  double log_likelihood_ = 0;
  double mean_ = 0;
  std::size_t evaluations_ = 0;
};

}  // namespace

std::vector<FitResult> fit(GpBackend& backend, std::span<const FitProblem> problems, std::uint64_t seed) {
  return fit(backend, problems, std::vector<std::uint64_t>(problems.size(), seed));
}

std::vector<FitResult> fit(GpBackend& backend, std::span<const FitProblem> problems,
                           std::span<const std::uint64_t> seeds) {
  std::vector<std::unique_ptr<Fit>> fits;
  std::vector<Start> searches;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    fits.push_back(std::make_unique<Fit>(problems[i], seeds[i]));
    fits.back()->begin_search(searches);
  }
  advance_together(backend, searches);
  std::vector<Start> polishes;
  for (const auto& one : fits) {
    one->take(searches);
    one->begin_polish(backend, polishes);
  }
  advance_together(backend, polishes);
  std::vector<FitResult> results;
  for (const auto& one : fits) {
    one->take(polishes);
    results.push_back(one->result());
  }
  return results;
}

}  // namespace carbo::internal
