#include "backend/cpu/search.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "backend/checks.hpp"

namespace carbo::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Candidates that every pick scores first: of the first one the highest by more rows, of later ones finished ones.
constexpr std::size_t seeds_per_pick = 2 * narrow_multiple;
constexpr std::size_t seeds_looked_at = 8 * seeds_per_pick;
constexpr std::size_t seed_rows = 4 * LazyField::first_rows;

}  // namespace

void Ranking::offer(std::size_t index, double score) {
  if (std::isnan(score) || count_ == 0) return;
  const auto before = [&](const Scored& one) {
    return one.score > score || (one.score == score && one.index < index);
  };
  if (full() && before(best_.back())) return;
  const auto place = std::partition_point(best_.begin(), best_.end(), before);
  if (place != best_.end() && place->index == index) return;
  best_.insert(place, {index, score});
  if (best_.size() > count_) best_.pop_back();
}

double Ranking::threshold() const {
  if (count_ == 0) return infinity;
  return full() ? std::max(floor_, best_.back().score) : floor_;
}

CpuSearch::CpuSearch(std::shared_ptr<ThreadPool> pool, ScratchPool& scratch, const CpuCandidates& candidates,
                     const SearchSetup& setup, double ceiling_shift)
    : pool_(std::move(pool)),
      scratch_(scratch),
      candidates_(candidates),
      setup_(setup),
      ceiling_shift_(ceiling_shift),
      norms_(checked_fantasies(setup)) {
  for (GpFactor* factor : setup.factors) {
    auto* own = dynamic_cast<CpuFactor*>(factor);
    if (own == nullptr) throw InvalidOptions("search: the factor does not belong to the cpu backend");
    check_size(candidates.columns(), own->columns(), "search, columns of the candidates");
    check_size(own->fantasised(), factors_.empty() ? own->fantasised() : factors_.front()->fantasised(),
               "search, fantasised points of a factor");
    factors_.push_back(own);
    fields_.push_back(std::make_unique<LazyField>(*own, candidates));
    fields_.back()->assume_errors();
    members_.push_back({own, &fields_.back()->field()});
  }
  setup_.factors = {};
  begin_cost(setup.log_cost_factor);
  versions_.assign(candidates.panels() * panel_width, 0);
  take_over_fantasies();
}

ScoreRequest CpuSearch::score_request(const SearchRequest& request) const {
  ScoreRequest scores;
  scores.objective = members_;
  scores.incumbents = request.incumbents;
  scores.log_cost = setup_.log_cost;
  scores.acquisition = request.acquisition;
  scores.log_cost_limit = request.log_cost_limit;
  return scores;
}

std::vector<double> CpuSearch::fantasise(std::span<const double> point, std::span<const double> normals) {
  check_finite(point, "fantasise, point");
  return fantasise_all({point.data(), 1, point.size()}, normals);
}

std::vector<double> CpuSearch::fantasise_all(MatrixView points, std::span<const double> normals) {
  const std::size_t fantasies = norms_.fantasies();
  check_size(normals.size(), points.rows * fantasies, "fantasise, normals");
  check_size(points.columns, candidates_.columns(), "fantasise, coordinates");
  check_finite(points, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  const std::size_t per_member = fantasies / factors_.size();
  std::vector<double> values(normals.size());
  pool_->parallel_for(factors_.size(), [&](std::size_t m) {
    std::vector<double> own;  // of every point in turn
    for (std::size_t i = 0; i < points.rows; ++i) {
      const auto these = normals.subspan(i * fantasies + m * per_member, per_member);
      own.insert(own.end(), these.begin(), these.end());
    }
    const std::vector<double> made = factors_[m]->fantasise_all(points, own);
    for (std::size_t i = 0; i < points.rows; ++i)
      std::copy_n(made.data() + i * per_member, per_member, values.data() + i * fantasies + m * per_member);
    if (!fields_[m]->field().conditioned()) fields_[m]->spread(per_member);
    fields_[m]->follow_factor();
    if (setup_.precision == Precision::automatic)
      fields_[m]->weigh_responses(scratch_, {known_.data(), std::min(known_.size(), narrow_multiple)});
  });
  for (std::size_t i = 0; i < points.rows; ++i) norms_.add(normals.subspan(i * fantasies, fantasies));
  return values;
}

double CpuSearch::log_cost(std::size_t best) const {
  return setup_.log_cost == nullptr ? -infinity : setup_.log_cost->mean(best);
}

bool CpuSearch::ceilings_hold(const SearchRequest& request) const {
  if (ceilings_.empty() || !norms_.as_expected()) return false;
  if (!kernels::scores_no_higher(request.acquisition, swept_acquisition_)) return false;
  if (!std::all_of(fields_.begin(), fields_.end(), [](const auto& field) { return field->errors_as_assumed(); }))
    return false;
  for (std::size_t i = 0; i < request.incumbents.size(); ++i) {
    // Before the first fantasised point there is one incumbent a factor.
    const std::size_t before = i * swept_incumbents_.size() / request.incumbents.size();
    if (request.incumbents[i] > swept_incumbents_[before]) return false;
  }
  return true;
}

std::vector<double> CpuSearch::all_ceilings(const ScoreRequest& request, Until until, double cut) const {
  const CeilingContext context = ceiling_context(request);
  std::vector<double> all(candidates_.panels() * panel_width, -infinity);
  candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) {
    std::uint32_t available[panel_width];
    const Gathered gathered = available_of(p, available);
    if (gathered.empty()) return;
    double ceilings[panel_width];
    ceilings_of(context, until, scratch_, gathered, From::one_panel, cut, ceilings);
    for (std::size_t j = 0; j < gathered.size(); ++j) all[gathered[j]] = ceilings[j];
  });
  return all;
}

void CpuSearch::look_ahead(const SearchRequest& request) {
  norms_.expect(request.normals_ahead);
  for (const auto& field : fields_) field->assume_errors();
}

void CpuSearch::keep_ceilings(const SearchRequest& request, std::vector<double> ceilings) {
  ceilings_ = std::move(ceilings);
  swept_acquisition_ = request.acquisition;
  swept_incumbents_.assign(request.incumbents.begin(), request.incumbents.end());
  ++work_.sweeps;
}

std::vector<Contender> CpuSearch::reaching(const ScoreRequest& request, double threshold) const {
  const CeilingContext context = ceiling_context(request);
  std::vector<std::vector<Contender>> by_panel(candidates_.panels());
  candidates_.for_each_panel(1, [&](std::size_t, std::size_t p) {
    std::uint32_t promising[panel_width];
    std::size_t count = 0;
    for (std::size_t j = 0; j < panel_width; ++j) {
      const std::size_t candidate = p * panel_width + j;
      if (!(ceilings_[candidate] < threshold) && may_be_picked(candidates_, request, p, j))
        promising[count++] = static_cast<std::uint32_t>(candidate);
    }
    if (count == 0) return;
    double ceilings[panel_width];
    // One bound for all fantasies would rule out few of those that were kept.
    ceilings_of(context, Until::now, scratch_, {promising, count}, From::one_panel, -infinity, ceilings);
    Contender found[panel_width];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (!(ceilings[i] < threshold)) found[kept++] = {promising[i], ceilings[i]};
    by_panel[p].assign(found, found + kept);
  });
  std::size_t count = 0;
  for (const std::vector<Contender>& own : by_panel) count += own.size();
  std::vector<Contender> contenders;
  contenders.reserve(count);
  for (const std::vector<Contender>& own : by_panel) contenders.insert(contenders.end(), own.begin(), own.end());
  return contenders;
}

Gathered CpuSearch::available_of(std::size_t panel, std::uint32_t* room) const {
  std::size_t count = 0;
  for (std::size_t j = 0; j < panel_width; ++j)
    if (candidates_.mask()[panel * panel_width + j] != 0)
      room[count++] = static_cast<std::uint32_t>(panel * panel_width + j);
  return {room, count};
}

std::vector<Contender> CpuSearch::known_seeds(const ScoreRequest& request) const {
  std::vector<Contender> seeds;
  for (const std::uint32_t candidate : known_) seeds.push_back({candidate, infinity});
  update_ceilings(request, seeds, infinity);
  std::erase_if(seeds, [](const Contender& one) { return one.score == -infinity; });
  return seeds;
}

std::vector<Contender> CpuSearch::seeds_of_panels(const ScoreRequest& request,
                                                  std::span<const double> ceilings) const {
  std::vector<Contender> seeds;
  for (std::size_t p = 0; p < candidates_.panels(); ++p) {
    Contender best[2] = {{Scored::none, -infinity}, {Scored::none, -infinity}};
    for (std::size_t j = 0; j < panel_width; ++j) {
      const Contender one{p * panel_width + j, ceilings[p * panel_width + j]};
      if (!(one.score > best[1].score) || !may_be_picked(candidates_, request, p, j)) continue;
      best[1] = one.score > best[0].score ? std::exchange(best[0], one) : one;
    }
    for (const Contender& one : best)
      if (one.index != Scored::none) seeds.push_back(one);
  }
  return seeds;
}

void CpuSearch::know_highest(std::span<const double> ceilings) {
  std::vector<Contender> highest;
  for (std::size_t i = 0; i < ceilings.size(); ++i)
    if (ceilings[i] > -infinity && finished(i)) highest.push_back({i, ceilings[i]});
  if (highest.size() < panel_width) return;
  select_highest(highest, 2 * panel_width);
  highest.resize(std::min(highest.size(), 2 * panel_width));
  known_.clear();
  for (const Contender& one : highest) known_.push_back(static_cast<std::uint32_t>(one.index));
}

void CpuSearch::seed(const ScoreRequest& request, std::vector<Contender> seeds, Ranking& ranking) {
  const auto keep_highest = [&](std::size_t count) {
    select_highest(seeds, count);
    seeds.resize(std::min(seeds.size(), count));
  };
  if (fantasised() == 0 && fields_.front()->all_rows() > seed_rows) {
    keep_highest(seeds_looked_at);
    solve(seeds, seed_rows);
    update_ceilings(request, seeds, -infinity);
  }
  keep_highest(seeds_per_pick);
  refresh(seeds);
  finish(request, seeds, ranking);
}

std::vector<Scored> CpuSearch::top(const SearchRequest& request, std::size_t count) {
  const ScoreRequest scores = score_request(request);
  check_score_request(candidates_, scores);
  check_normals_ahead(request.normals_ahead, norms_.fantasies());
  begin(request, scores);
  picks_left_ = request.picks_left;
  Ranking ranking(count, request.floor);
  const bool hold = ceilings_hold(request);
  if (!hold) look_ahead(request);
  std::vector<double> ceilings;  // of all; empty where they are still to be computed
  if (known_.size() >= seeds_per_pick) {
    seed(scores, known_seeds(scores), ranking);
  } else {
    ceilings = all_ceilings(scores, Until::now, -infinity);
    seed(scores, seeds_of_panels(scores, ceilings), ranking);
    if (known_.size() < seeds_per_pick) know_highest(ceilings);
  }
  if (!hold) {
    if (ceilings.empty() || norms_.horizon() > norms_.points())
      ceilings = all_ceilings(scores, Until::horizon, ranking.threshold());
    keep_ceilings(request, std::move(ceilings));
  }
  settle(scores, reaching(scores, ranking.threshold()), ranking);
  return ranking.take();
}

std::vector<Scored> CpuSearch::top_with(const SearchRequest& request, std::size_t count,
                                        const kernels::AcquisitionSpec& other, Scored& beside) {
  const ScoreRequest scores = score_request(request);
  check_score_request(candidates_, scores);
  check_normals_ahead(request.normals_ahead, norms_.fantasies());
  begin(request, scores);  // which knows of the picks that follow; the look under `other` does not
  return Search::top_with(request, count, other, beside);
}

void CpuSearch::update_ceilings(const ScoreRequest& request, std::span<Contender> contenders, double cut) const {
  if (contenders.empty()) return;
  const CeilingContext context = ceiling_context(request);
  const std::size_t tasks = (contenders.size() + panel_width - 1) / panel_width;
  pool_->parallel_for(tasks, [&](std::size_t task) {
    const std::size_t first = task * panel_width;
    const std::size_t count = std::min(panel_width, contenders.size() - first);
    std::uint32_t candidates[panel_width];
    double ceilings[panel_width];
    for (std::size_t i = 0; i < count; ++i) candidates[i] = static_cast<std::uint32_t>(contenders[first + i].index);
    ceilings_of(context, Until::now, scratch_, {candidates, count}, From::anywhere, cut, ceilings);
    for (std::size_t i = 0; i < count; ++i) {
      const bool allowed =
          may_be_picked(candidates_, request, candidates[i] / panel_width, candidates[i] % panel_width);
      contenders[first + i].score = allowed ? ceilings[i] : -infinity;
    }
  });
}

void CpuSearch::ceilings(const SearchRequest& request, std::span<double> out) {
  const ScoreRequest scores = score_request(request);
  check_score_request(candidates_, scores);
  check_normals_ahead(request.normals_ahead, norms_.fantasies());
  check_size(out.size(), candidates_.size(), "ceilings, room");
  begin(request, scores);
  look_ahead(request);
  ceilings_.clear();
  const std::vector<double> all = all_ceilings(scores, Until::horizon, request.floor);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = may_be_picked(candidates_, scores, i / panel_width, i % panel_width) ? all[i] : -infinity;
}

}  // namespace carbo::internal
