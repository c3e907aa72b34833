#include "bench/backends/learning.hpp"

#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <carbo/optimizer.hpp>

#include "bench/support/problem.hpp"
#include "gp/fit.hpp"
#include "gp/log_posterior.hpp"
#include "gp/transform.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

constexpr std::uint64_t seed = 7;

TrainingData training_data(const Problem& problem, const std::vector<double>& values) {
  return {problem.points, TargetTransform(Transform::none, values).standardised(), problem.columns};
}

/// Both GPs' data, and the restarts of their fits.
class FitWorkload : public Workload {
 public:
  FitWorkload(const JobSizes& sizes, const BackendOptions& backend)
      : backend_(make_backend(backend)), problem_(DataSet::late, sizes.n, 1, sizes.d), groups_(sizes.d) {
    std::iota(groups_.begin(), groups_.end(), 0);
    options_.restarts = sizes.restarts;
    data_ = {training_data(problem_, problem_.objective), training_data(problem_, problem_.log_costs)};
    for (const TrainingData& data : data_) {
      FitProblem fit_problem;
      fit_problem.data = &data;
      fit_problem.column_groups = groups_;
      fit_problem.options = &options_;
      fits_.push_back(fit_problem);
    }
  }

 protected:
  std::unique_ptr<Backend> backend_;
  Problem problem_;
  std::vector<int> groups_;
  SurrogateOptions options_;
  std::vector<TrainingData> data_;
  std::vector<FitProblem> fits_;
};

class FitStep final : public FitWorkload {
 public:
  FitStep(const JobSizes& sizes, const BackendOptions& backend) : FitWorkload(sizes, backend) {
    for (const FitProblem& fit_problem : fits_) posteriors_.emplace_back(fit_problem);
    for (const LogPosterior& posterior : posteriors_)
      for (std::size_t r = 0; r < sizes.restarts; ++r) {
        std::vector<double> uniforms(posterior.parameters());
        for (std::uint32_t p = 0; p < uniforms.size(); ++p) uniforms[p] = uniform(seed, Draw::restart, r, p);
        starts_.push_back(posterior.start(uniforms));
      }
    for (std::size_t i = 0; i < starts_.size(); ++i)
      requests_.push_back(posteriors_[i / sizes.restarts].request(starts_[i]));
    values_.resize(requests_.size());
  }
  void run() override { backend_->likelihoods(requests_, values_); }

 private:
  std::deque<LogPosterior> posteriors_;  // never copied
  std::vector<std::vector<double>> starts_;
  std::vector<LikelihoodRequest> requests_;
  std::vector<LikelihoodValue> values_;
};

class WholeFit final : public FitWorkload {
 public:
  using FitWorkload::FitWorkload;
  void run() override {
    for (const FitResult& result : fit(*backend_, fits_, seed))
      if (!std::isfinite(result.log_likelihood)) throw std::runtime_error("fit: no finite likelihood");
  }
};

Space unit_cube(std::size_t columns) {
  std::vector<Parameter> parameters;
  for (std::size_t c = 0; c < columns; ++c) parameters.push_back(real(text("x", c), 0.0, 1.0));
  return Space(std::move(parameters));
}

class Suggest final : public Workload {
 public:
  Suggest(const Case& c, const BackendOptions& backend)
      : sizes_(c.sizes),
        fits_inside_(c.variant == "with fit"),
        problem_(DataSet::late, sizes_.n, 1, sizes_.d),
        space_(unit_cube(sizes_.d)) {
    options_.budget = 1e9;  // never spent here
    options_.seed = seed;
    options_.batch_size = sizes_.b;
    options_.initial_design = InitialDesign::uniform;  // over, since the warm start is told
    options_.incumbent = Incumbent::lowest_observed;   // as modelled: posterior means take two launches a pick more
    options_.pick_cost = PickCost::own;                // as modelled: in rounds other contenders are looked at again
    options_.candidates.count = sizes_.m;
    options_.cost.model = CostModelKind::log_gp;
    options_.fantasies.count = sizes_.fantasies;
    options_.surrogate.restarts = options_.cost.surrogate.restarts = sizes_.restarts;
    options_.backend = backend;
  }
  void prepare() override {
    if (optimizer_ != nullptr && !fits_inside_) return take_back();
    optimizer_ = std::make_unique<Optimizer>(space_, options_);
    for (std::size_t i = 0; i < problem_.rows(); ++i)
      optimizer_->tell(space_.configuration(problem_.point_rows().row(i)),
                       {.objective = problem_.objective[i], .cost = std::exp(problem_.log_costs[i])});
    if (fits_inside_) return;
    run();
    take_back();
  }
  void run() override {
    suggestions_ = optimizer_->ask(sizes_.b);
    if (suggestions_.size() != sizes_.b)
      throw std::runtime_error(text("suggest: ", suggestions_.size(), " suggestions, not ", sizes_.b));
    if (suggestions_.front().receipt.phase != Phase::search)
      throw std::runtime_error(text("suggest: n = ", sizes_.n, " observations are too few for models"));
    shares_ = shares_of(suggestions_);
  }
  std::optional<PickShares> shares() const override { return shares_; }

 private:
  /// Means over the batch, as its receipts report them. They do not tell the rows of candidates that were dropped
  /// before they were finished.
  static std::optional<PickShares> shares_of(const std::vector<Suggestion>& batch) {
    PickShares sum;
    for (const Suggestion& suggestion : batch) {
      const Receipt& receipt = suggestion.receipt;
      if (!receipt.finished_share || !receipt.refreshed_share) return {};
      sum.finished += *receipt.finished_share;
      sum.refreshed += *receipt.refreshed_share;
    }
    const double later =
        batch.size() > 1 ? static_cast<double>(batch.size() - 1) : 1;  // nothing is stale at the first
    const double finished = sum.finished / static_cast<double>(batch.size());
    return PickShares{.finished = finished, .refreshed = sum.refreshed / later, .rows = finished};
  }

  void take_back() {
    for (const Suggestion& suggestion : suggestions_) optimizer_->withdraw(suggestion.id);
    suggestions_.clear();
  }

  JobSizes sizes_;
  bool fits_inside_;
  Problem problem_;
  Space space_;
  Options options_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Suggestion> suggestions_;
  std::optional<PickShares> shares_;
};

}  // namespace

std::unique_ptr<Workload> make_fit_workload(const Case& c, const BackendOptions& backend) {
  if (c.variant == "whole") return std::make_unique<WholeFit>(c.sizes, backend);
  return std::make_unique<FitStep>(c.sizes, backend);
}

std::unique_ptr<Workload> make_suggest_workload(const Case& c, const BackendOptions& backend) {
  return std::make_unique<Suggest>(c, backend);
}

}  // namespace carbo::bench
