#include <algorithm>
#include <carbo/error.hpp>
#include <string>
#include <utility>

#include "backend/backend.hpp"
#include "backend/checks.hpp"
#include "backend/cpu/candidates.hpp"
#include "backend/cpu/factor.hpp"
#include "backend/cpu/features.hpp"
#include "backend/cpu/field.hpp"
#include "backend/cpu/likelihood.hpp"
#include "backend/cpu/race.hpp"
#include "backend/cpu/score.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/cpu/search.hpp"
#include "backend/cpu/sweep.hpp"

namespace carbo::internal {
namespace {

/// The host object behind an interface; throws InvalidOptions where another backend made it.
template <class Own, class Interface>
Own& own(Interface& object, const char* what) {
  auto* mine = dynamic_cast<Own*>(&object);
  if (mine == nullptr) throw InvalidOptions(std::string(what) + " does not belong to the cpu backend");
  return *mine;
}

const CpuField* own_offset(const Field* offset, std::size_t candidates) {
  if (offset == nullptr) return nullptr;
  const auto& field = own<const CpuField>(*offset, "the offset's field");
  check_size(field.size(), candidates, "offset, candidates of its field");
  check_size(field.means(), 1, "offset, means of its field");
  check_has_values(field, "offset");
  return &field;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const BackendOptions& options)
      : pool_(std::make_shared<ThreadPool>(options.threads)),
        panels_per_tile_(std::max<std::size_t>(1, options.tile / panel_width)) {}

  std::string name() const override { return "cpu"; }

  void limit_work(const WorkLimits& limits) override {
    // Buffers that wait to be lent are kept for ever: those of wider limits would pass these.
    if (limits.threads < limits_.threads || limits.fit_bytes < limits_.fit_bytes) scratch_.clear();
    limits_ = limits;
    pool_->limit(limits.threads);
  }

  /// Preparing would take threads from the work.
  bool asynchronous() const override { return false; }
  const Footprint& footprint() const override { return cpu_footprint(); }

  std::unique_ptr<CandidateSet> make_candidates(MatrixView encoded) override {
    return std::make_unique<CpuCandidates>(pool_, encoded, panels_per_tile_);
  }
  std::unique_ptr<CandidateSet> make_candidates(const SobolRows& rows) override {
    check_sobol_rows(rows);
    return std::make_unique<CpuCandidates>(pool_, rows, panels_per_tile_);
  }

  void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) override {
    compute_likelihoods(*pool_, scratch_, requests, values, limits_.fit_bytes);
  }

  std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                std::span<const GpParameters> parameters,
                                                std::span<const double> counts) override {
    std::vector<std::unique_ptr<GpFactor>> factors(parameters.size());
    const auto make = [&](std::size_t i) {
      factors[i] = std::make_unique<CpuFactor>(pool_, points, targets, parameters[i], counts);
    };
    const std::size_t whole = parameters.size() - parameters.size() % pool_->threads();
    pool_->parallel_for(whole, make);
    for (std::size_t i = whole; i < parameters.size(); ++i) make(i);
    return factors;
  }

  std::unique_ptr<Field> sweep(const GpFactor& factor, const CandidateSet& candidates, bool with_variance,
                               Affine units, const Field* offset) override {
    const auto& gp = own<const CpuFactor>(factor, "sweep: the factor");
    const auto& set = own<const CpuCandidates>(candidates, "sweep: the candidate set");
    check_size(set.columns(), gp.columns(), "sweep, columns of the candidates");
    return sweep_candidates(scratch_, gp, set, with_variance, units, own_offset(offset, set.size()));
  }

  std::unique_ptr<Field> sweep_for_search(const GpFactor& factor, const CandidateSet& candidates, Affine units,
                                          const Field* offset) override {
    const auto& set = own<const CpuCandidates>(candidates, "sweep: the candidate set");
    DeferredMeans means{&own<const CpuFactor>(factor, "sweep: the factor"), units, {}};
    check_size(set.columns(), means.factor->columns(), "sweep, columns of the candidates");
    if (const CpuField* added = own_offset(offset, set.size()))
      means.offset.assign(added->mean_row(0, 0), added->mean_row(set.panels(), 0));
    return std::make_unique<CpuField>(set.size(), std::move(means));
  }

  std::unique_ptr<FeatureTable> make_features(MatrixView values) override {
    return std::make_unique<CpuFeatures>(*pool_, values);
  }

  std::unique_ptr<Field> linear_field(const FeatureTable& features, const LinearTerm& term,
                                      const Field* offset) override {
    const auto& table = own<const CpuFeatures>(features, "linear_field: the feature table");
    return table.linear_field(*pool_, scratch_, term, own_offset(offset, table.size()));
  }

  std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) override {
    check_field_values(means, variances);
    auto field = std::make_unique<CpuField>(means.size(), !variances.empty());
    std::copy(means.begin(), means.end(), field->mean_row(0, 0));
    if (!variances.empty()) std::copy(variances.begin(), variances.end(), field->base_row(0));
    return field;
  }

  std::vector<double> fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                std::span<const double> point, std::span<const double> normals) override;

  BestTwo best(const CandidateSet& candidates, const ScoreRequest& request) override {
    const auto& set = own<const CpuCandidates>(candidates, "best: the candidate set");
    check_score_request(set, request);
    return pick_best(set, request);
  }

  void scores(const CandidateSet& candidates, const ScoreRequest& request, std::span<double> out) override {
    const auto& set = own<const CpuCandidates>(candidates, "scores: the candidate set");
    check_score_request(set, request);
    check_size(out.size(), set.size(), "scores, room");
    set.for_each_panel(1, [&](std::size_t, std::size_t p) {
      double panel[panel_width];
      score_panel(set, request, p, panel);
      const std::size_t first = p * panel_width;
      std::copy_n(panel, std::min(panel_width, set.size() - first), out.begin() + static_cast<std::ptrdiff_t>(first));
    });
  }

  std::unique_ptr<Search> make_search(const CandidateSet& candidates, const SearchSetup& setup) override {
    return make_bounded_search(candidates, setup, 0);
  }
  std::unique_ptr<BoundedSearch> make_bounded_search(const CandidateSet& candidates, const SearchSetup& setup,
                                                     double ceiling_shift) override {
    const auto& set = own<const CpuCandidates>(candidates, "search: the candidate set");
    return std::make_unique<CpuSearch>(pool_, scratch_, set, setup, ceiling_shift);
  }

  std::size_t race(const CandidateSet& candidates, const Field& log_cost, double log_cost_limit) override;

 private:
  std::shared_ptr<ThreadPool> pool_;
  std::size_t panels_per_tile_;
  ScratchPool scratch_;
  WorkLimits limits_;
};

std::vector<double> CpuBackend::fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                          std::span<const double> point, std::span<const double> normals) {
  const auto& set = own<const CpuCandidates>(candidates, "fantasise: the candidate set");
  check_fantasy(point, set.columns(), normals, members.size());
  const std::size_t per_member = normals.size() / members.size();
  std::vector<FantasyPass> passes;
  for (std::size_t m = 0; m < members.size(); ++m) {
    FantasyPass pass;
    pass.normals = normals.subspan(m * per_member, per_member);
    pass.factor = &own<CpuFactor>(*members[m].factor, "fantasise: the factor");
    pass.field = &own<CpuField>(*members[m].field, "fantasise: the field");
    check_size(pass.factor->columns(), set.columns(), "fantasise, columns of the factor");
    check_size(pass.field->size(), set.size(), "fantasise, candidates of the field");
    if (!pass.field->has_variance()) throw InvalidOptions("fantasise: the field must be swept with its variance");
    if (pass.field->conditioned()) check_size(pass.field->means(), per_member, "fantasise, means of the field");
    passes.push_back(std::move(pass));
  }
  pool_->parallel_for(passes.size(), [&](std::size_t m) {
    if (!passes[m].field->conditioned()) passes[m].field->spread(per_member);
    own<CpuFactor>(*members[m].factor, "fantasise: the factor").fantasise(point, passes[m].normals);
  });
  apply_fantasies(scratch_, set, passes);
  std::vector<double> values;
  for (const FantasyPass& pass : passes) {
    const std::vector<double>& own_values = pass.factor->fantasies().back().values;
    values.insert(values.end(), own_values.begin(), own_values.end());
  }
  return values;
}

std::size_t CpuBackend::race(const CandidateSet& candidates, const Field& log_cost, double log_cost_limit) {
  const auto& set = own<const CpuCandidates>(candidates, "race: the candidate set");
  const auto& field = own<const CpuField>(log_cost, "race: the log cost's field");
  check_size(field.size(), set.size(), "race, candidates of the log cost's field");
  check_size(field.means(), 1, "race, means of the log cost's field");
  check_has_values(field, "race, log cost");
  const std::span<const double> log_costs(field.mean_row(0, 0), set.size());
  std::vector<std::uint32_t> entrants;
  entrants.reserve(set.available());
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.mask()[i] != 0 && log_costs[i] <= log_cost_limit) entrants.push_back(static_cast<std::uint32_t>(i));
  if (entrants.empty()) return Scored::none;
  return run_race(*pool_, entrants, log_costs, set.squared_distances_to_design());
}

}  // namespace

}  // namespace carbo::internal

/// What a level shows of itself; see cpu_level.hpp.
extern "C" carbo::internal::Backend* CARBO_LEVEL_ENTRY(const carbo::BackendOptions& options) {
  return new carbo::internal::CpuBackend(options);
}
