#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "acquisition/choose.hpp"
#include "support/backend_fixture.hpp"
#include "support/random.hpp"
#include "support/search_cases.hpp"

/// The two ways to a pick, side by side on one case.
namespace search_cases {

/// What changes from pick to pick.
struct Asked {
  std::vector<double> incumbents;
  carbo::kernels::AcquisitionSpec acquisition{};
  double log_cost_limit = 0;
  std::size_t picks_left = 1000;  ///< of the batch
};

/// Refers to the case.
inline carbo::kernels::AcquisitionSpec spec_of(const Case& c) {
  return {c.acquisition,
          c.alpha,
          carbo::internal::moment_of(c.weight),
          c.extremes.empty() ? nullptr : c.extremes.data(),
          c.round_log_cost,
          c.waiting};
}

/// A backend for so many threads and such a tile.
using MakeBackend = std::function<std::unique_ptr<Backend>(std::size_t threads, std::size_t tile)>;

/// Candidates, models and cost of a case on a backend of its own.
struct World {
  World(const Case& c, std::size_t threads, std::size_t tile, const MakeBackend& make = fixture::cpu)
      : backend(make(threads, tile)) {
    set = backend->make_candidates(c.pool());
    factors = backend->factor(c.observed(), c.targets, c.gps);
    if (c.cost == Cost::known) log_cost = backend->make_field(c.log_costs, {});
    if (c.cost == Cost::known_with_spread) log_cost = backend->make_field(c.log_costs, c.cost_variances);
    if (c.cost != Cost::modelled && c.cost != Cost::modelled_late) return;
    GpParameters gp = c.gps.front();
    gp.noise_variance += 1e-4;
    cost_model = std::move(backend->factor(c.observed(), c.cost_targets, {&gp, 1}).front());
    log_cost = backend->sweep(*cost_model, *set, true, cost_units);
  }
  std::vector<std::unique_ptr<Field>> sweep() const {
    std::vector<std::unique_ptr<Field>> fields;
    for (const auto& factor : factors) fields.push_back(backend->sweep(*factor, *set, true));
    return fields;
  }
  std::vector<Member> members(const std::vector<std::unique_ptr<Field>>& fields) const {
    std::vector<Member> members;
    for (std::size_t g = 0; g < fields.size(); ++g) members.push_back({factors[g].get(), fields[g].get()});
    return members;
  }

  static constexpr Affine cost_units{.shift = 0.3, .scale = 4.0};

  std::unique_ptr<Backend> backend;
  std::unique_ptr<CandidateSet> set;
  std::vector<std::unique_ptr<GpFactor>> factors;
  std::unique_ptr<GpFactor> cost_model;
  std::unique_ptr<Field> log_cost;
};

/// Every candidate scored, every field brought up to date at once.
class DensePath {
 public:
  explicit DensePath(const Case& c, const MakeBackend& make = fixture::cpu)
      : world_(c, 2, 0, make), fields_(world_.sweep()), members_(world_.members(fields_)) {}
  World& world() { return world_; }
  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) {
    return world_.backend->fantasise(members_, *world_.set, point, normals);
  }
  BestTwo best(const Asked& asked) const { return world_.backend->best(*world_.set, request(asked)); }
  std::vector<double> scores(const Asked& asked) const {
    std::vector<double> scores(world_.set->size());
    world_.backend->scores(*world_.set, request(asked), scores);
    return scores;
  }

 private:
  ScoreRequest request(const Asked& asked) const {
    ScoreRequest request;
    request.objective = members_;
    request.incumbents = asked.incumbents;
    request.log_cost = world_.log_cost.get();
    request.acquisition = asked.acquisition;
    request.log_cost_limit = asked.log_cost_limit;
    return request;
  }

  World world_;
  std::vector<std::unique_ptr<Field>> fields_;
  std::vector<Member> members_;
};

/// The same by bounds.
class BoundedPath {
 public:
  /// The search begins at once, or (`late`) when it is first asked for.
  explicit BoundedPath(const Case& c, double ceiling_shift = 0, bool late = false,
                       const MakeBackend& make = fixture::cpu)
      : case_(c), ceiling_shift_(ceiling_shift), world_(c, c.threads, c.tile, make) {
    if (!late) begin();
  }
  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) {
    if (search_ != nullptr) return search_->fantasise(point, normals);
    if (fields_.empty()) fields_ = world_.sweep();
    return world_.backend->fantasise(world_.members(fields_), *world_.set, point, normals);
  }
  World& world() { return world_; }
  BoundedSearch& search() {
    if (search_ == nullptr) begin();
    return *search_;
  }
  std::vector<Scored> top(const Asked& asked, std::size_t count, std::span<const double> ahead = {}) {
    return search().top(request(asked, ahead), count);
  }
  /// `floor`: of the request.
  std::vector<double> ceilings(const Asked& asked, std::span<const double> ahead = {}, double floor = -HUGE_VAL) {
    std::vector<double> ceilings(world_.set->size());
    SearchRequest wanted = request(asked, ahead);
    wanted.floor = floor;
    search().ceilings(wanted, ceilings);
    return ceilings;
  }

 private:
  static SearchRequest request(const Asked& asked, std::span<const double> ahead) {
    SearchRequest request;
    request.incumbents = asked.incumbents;
    request.acquisition = asked.acquisition;
    request.log_cost_limit = asked.log_cost_limit;
    request.normals_ahead = ahead;
    request.picks_left = asked.picks_left;
    return request;
  }

  void begin() {
    std::vector<GpFactor*> factors;
    for (const auto& factor : world_.factors) factors.push_back(factor.get());
    SearchSetup setup;
    setup.factors = factors;
    setup.fantasies = case_.fantasies;
    if (case_.cost == Cost::modelled_late) {
      world_.log_cost = world_.backend->sweep_for_search(*world_.cost_model, *world_.set, World::cost_units);
      if (case_.weight != carbo::CostWeight::median) setup.log_cost_factor = world_.cost_model.get();
      setup.log_cost_units = World::cost_units;
    }
    setup.precision = case_.precision;
    setup.margin_share = case_.margin_share;
    setup.log_cost = world_.log_cost.get();
    search_ = world_.backend->make_bounded_search(*world_.set, setup, ceiling_shift_);
  }

  const Case& case_;
  double ceiling_shift_;
  World world_;
  std::vector<std::unique_ptr<Field>> fields_;  ///< of points fantasised before the search begins
  std::unique_ptr<BoundedSearch> search_;
};

/// One batch of a case, played on both paths along the dense picks.
class Game {
 public:
  explicit Game(const Case& c, double ceiling_shift = 0, const MakeBackend& make = fixture::cpu)
      : dense(c, make), bounded(c, ceiling_shift, c.pending_first, make), case_(c), dice_(c.seed + 77) {
    const double lowest = *std::min_element(c.targets.begin(), c.targets.end()) + c.incumbent_offset;
    asked_.incumbents.assign(c.gps.size(), lowest);
    if (c.incumbents == IncumbentMoves::restless)  // from GP to GP, too
      for (std::size_t g = 0; g < c.gps.size(); ++g) asked_.incumbents[g] -= static_cast<double>(g);
    asked_.acquisition = spec_of(c);
    asked_.log_cost_limit = c.log_cost_limit;
    follow_fitted_mean();
    for (std::size_t i = 0; i < c.pending; ++i) take(dice_.below(c.shape.m));
  }

  const Asked& asked() const { return asked_; }
  /// Normals of the points that the batch has still to fantasise, as the case announces them.
  std::vector<double> announced() const {
    const std::size_t remaining =
        case_.pending + case_.shape.batch - std::min(case_.pending + case_.shape.batch, point_ + 1);
    std::size_t points = remaining;
    if (case_.ahead == Ahead::nothing) points = 0;
    if (case_.ahead == Ahead::few) points = std::min<std::size_t>(2, remaining);
    if (case_.ahead == Ahead::too_many) points = remaining + 5;
    const std::uint64_t stray = case_.ahead == Ahead::wrong ? 1 : 0;
    std::vector<double> normals;
    for (std::size_t t = point_; t < point_ + points; ++t)
      for (const double z : normals_of(t, stray)) normals.push_back(z);
    return normals;
  }
  /// Fantasises a candidate on both paths; it leaves unless repeats are allowed.
  void take(std::size_t index) {
    const std::vector<double> normals = normals_of(point_++, 0);
    const std::vector<double> values = dense.fantasise(case_.candidate(index), normals);
    EXPECT_EQ(values, bounded.fantasise(case_.candidate(index), normals));
    if (!case_.repeats) exclude(index);
    if (case_.shrinks)
      for (int i = 0; i < 3; ++i) exclude(dice_.below(case_.shape.m));
    move_incumbents(values);
    if (case_.in_rounds) join_round(index);
    if (case_.alpha_changes && dice_.chance(0.5)) asked_.acquisition.parameter = dice_.between(0, 1);
  }

  DensePath dense;
  BoundedPath bounded;

 private:
  std::vector<double> normals_of(std::size_t point, std::uint64_t stray) const {
    std::vector<double> normals;
    for (std::uint32_t f = 0; f < case_.fantasies; ++f)
      normals.push_back(normal(2 * case_.seed + stray, Draw::fantasy, point, f));
    return normals;
  }
  void exclude(std::size_t index) {
    dense.world().set->exclude(index);
    bounded.world().set->exclude(index);
  }
  void join_round(std::size_t index) {
    carbo::kernels::AcquisitionSpec& spec = asked_.acquisition;
    const bool begins = dice_.chance(0.2);
    spec.round_log_cost = begins ? -HUGE_VAL : std::max(spec.round_log_cost, dense.world().log_cost->mean(index));
    spec.waiting = begins ? 0 : spec.waiting + 1;
  }
  void move_incumbents(const std::vector<double>& values) {
    std::vector<double>& incumbents = asked_.incumbents;
    if (incumbents.size() < values.size()) {
      const std::size_t per_gp = values.size() / incumbents.size();
      std::vector<double> spread;
      for (const double one : incumbents) spread.insert(spread.end(), per_gp, one);
      incumbents = spread;
    }
    for (std::size_t f = 0; f < values.size(); ++f) {
      incumbents[f] = std::min(incumbents[f], values[f] + case_.incumbent_offset);
      if (case_.incumbents == IncumbentMoves::restless) incumbents[f] += dice_.between(-0.5, 0.7);
    }
    follow_fitted_mean();
  }
  void follow_fitted_mean() {
    if (case_.incumbents != IncumbentMoves::fitted_mean) return;
    asked_.incumbents.clear();
    for (std::size_t g = 0; g < case_.gps.size(); ++g) {
      const std::vector<double> lowest = dense.world().factors[g]->lowest_fitted_mean();
      EXPECT_EQ(lowest, bounded.world().factors[g]->lowest_fitted_mean());
      asked_.incumbents.insert(asked_.incumbents.end(), lowest.begin(), lowest.end());
    }
  }

  const Case& case_;
  Dice dice_;
  Asked asked_;
  std::size_t point_ = 0;  ///< fantasised so far
};

/// How many of the batch's picks, runners-up and their scores differ between the paths, in any bit.
inline std::size_t differing_picks(const Case& c, double ceiling_shift = 0, const MakeBackend& make = fixture::cpu) {
  Game game(c, ceiling_shift, make);
  std::size_t differing = 0;
  for (std::size_t pick = 0; pick < c.shape.batch; ++pick) {
    const BestTwo dense = game.dense.best(game.asked());
    std::vector<Scored> top = game.bounded.top(game.asked(), 2, game.announced());
    const std::size_t expected =
        (dense[0].index != Scored::none ? 1u : 0u) + (dense[1].index != Scored::none ? 1u : 0u);
    if (top.size() != expected) ++differing;
    top.resize(2);
    if (top[0].index != dense[0].index || top[0].score != dense[0].score || top[1].index != dense[1].index ||
        top[1].score != dense[1].score)
      ++differing;
    if (dense[0].index == Scored::none) break;
    if (pick + 1 < c.shape.batch) game.take(dense[0].index);
  }
  return differing;
}

/// All that may be picked, best first, ties by index: what `top` must begin with.
inline std::vector<Scored> sorted(const std::vector<double>& scores) {
  std::vector<Scored> all;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > -std::numeric_limits<double>::infinity()) all.push_back({i, scores[i]});
  std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return all;
}

inline void expect_the_dense_picks(const Case& c, const MakeBackend& make = fixture::cpu) {
  SCOPED_TRACE(testing::Message() << c);
  EXPECT_EQ(differing_picks(c, 0, make), 0u);
}

/// (y_best − μ)² overflows: every score is −∞, and the lowest index wins.
inline void expect_an_order_below_all_numbers(const Case& c, const MakeBackend& make = fixture::cpu) {
  Game game(c, 0, make);
  game.take(5);
  Asked asked = game.asked();
  std::fill(asked.incumbents.begin(), asked.incumbents.end(), -1e200);
  const BestTwo pick = game.dense.best(asked);
  EXPECT_EQ(pick[0].score, -std::numeric_limits<double>::infinity());
  const std::vector<Scored> top = game.bounded.top(asked, 2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].index, pick[0].index);
  EXPECT_EQ(top[0].score, pick[0].score);
  EXPECT_EQ(top[1].index, pick[1].index);
}

}  // namespace search_cases
