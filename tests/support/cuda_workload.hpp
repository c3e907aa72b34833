#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "support/cuda_pair.hpp"

/// All that a backend does in one fit, one batch of picks and one design step, at small sizes.
namespace cuda_workload {

using namespace carbo::internal;
using cuda_pair::Rows;
using cuda_pair::Scene;

/// Results of a workload in the order in which they came.
class Record {
 public:
  /// `after` runs after every call to the backend.
  explicit Record(std::function<void()> after = {}) : after_(std::move(after)) {}
  void add(std::span<const double> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    call_made();
  }
  void add(double value) { add(std::span<const double>(&value, 1)); }
  void add(const std::vector<Scored>& top) {
    for (const Scored& one : top) values_.insert(values_.end(), {static_cast<double>(one.index), one.score});
    call_made();
  }
  void call_made() const {
    if (after_) after_();
  }
  const std::vector<double>& values() const { return values_; }

 private:
  std::function<void()> after_;
  std::vector<double> values_;
};

using Work = void (*)(Backend& backend, const Scene& scene, Record& record);

inline std::vector<GpParameters> two_sets(const Scene& scene) {
  std::vector<GpParameters> sets(2, fixture::parameters(scene.gp));
  sets[1].inverse_lengthscales[0] *= 1.5;
  return sets;
}

/// Three likelihoods at once, a factor alone and two together, what is asked of them, and an append.
inline void fit(Backend& backend, const Scene& scene, Record& record) {
  const Rows rows(scene.x), probes(scene.candidates);
  const std::vector<int> groups(rows.columns, 0);
  const std::vector<std::vector<double>> starts = {{0.0, 0.0, -4.0}, {-0.5, 0.3, -3.0}, {0.4, -0.2, -5.0}};
  std::vector<LikelihoodRequest> requests;
  for (const auto& start : starts) requests.push_back({rows.view(), scene.y, groups, start, {}});
  requests.back().mean = 0.1;
  std::vector<LikelihoodValue> values(requests.size());
  backend.likelihoods(requests, values);
  for (const LikelihoodValue& value : values) {
    record.add(value.log_likelihood);
    record.add(value.gradient);
  }
  const std::vector<GpParameters> sets = two_sets(scene);
  for (const std::size_t count : {1, 2}) {
    const auto factors = backend.factor(rows.view(), scene.y, {sets.data(), count});
    record.call_made();
    GpFactor& factor = *factors.back();
    record.add(factor.append(scene.candidates[0]) ? 1.0 : 0.0);
    std::vector<double> mean(probes.rows), variance(probes.rows);
    factor.predict(probes.view(), mean, variance);
    record.add(mean);
    record.add(variance);
    record.add(factor.leave_one_out().variance);
    record.add(factor.lowest_fitted_mean());
  }
}

/// Two picks by bounds with a swept cost, shared or batched, then the dense pass over the same. In float32 the search
/// computes the cost, too.
inline void pick_batch(Backend& backend, const Scene& scene, std::size_t sets_used, Record& record,
                       Precision precision = Precision::float64) {
  constexpr std::size_t fantasies = 2;
  const Rows rows(scene.x);
  const auto set = backend.make_candidates(Rows(scene.candidates).view());
  const std::vector<GpParameters> sets = two_sets(scene);
  const auto factors = backend.factor(rows.view(), scene.y, {sets.data(), sets_used});
  const auto cost_factor = std::move(backend.factor(rows.view(), scene.y, {&sets[1], 1}).front());
  const Affine units{.shift = 0.1, .scale = 2.0};
  const auto cost = precision == Precision::float32 ? backend.sweep_for_search(*cost_factor, *set, units)
                                                    : backend.sweep(*cost_factor, *set, false, units);
  std::vector<GpFactor*> pointers;
  for (const auto& factor : factors) pointers.push_back(factor.get());
  SearchSetup setup;
  setup.factors = pointers;
  setup.fantasies = fantasies;
  setup.log_cost = cost.get();
  setup.log_cost_factor = cost_factor.get();
  setup.log_cost_units = units;
  setup.precision = precision;
  const auto search = backend.make_bounded_search(*set, setup);
  const std::vector<double> normals = {0.7, -0.4, -1.1, 0.2};
  std::vector<double> incumbents(sets_used, -1.3);
  for (std::size_t pick = 0; pick < 2; ++pick) {
    SearchRequest request;
    request.incumbents = incumbents;
    request.acquisition.parameter = 0.5;
    request.acquisition.moment = carbo::kernels::CostMoment::exact;
    request.normals_ahead = std::span(normals).subspan(pick * fantasies);
    const std::vector<Scored> top = search->top(request, 2);
    record.add(top);
    if (pick == 1) record.add(search->top(request, 3));
    const std::size_t index = top.at(0).index;
    record.add(search->fantasise(scene.candidates[index], std::span(normals).subspan(pick * fantasies, fantasies)));
    set->exclude(index);
    record.call_made();
    incumbents.assign(fantasies, -1.3);
  }
  SearchRequest request;
  request.incumbents = incumbents;
  std::vector<double> ceilings(set->size());
  search->ceilings(request, ceilings);
  record.add(ceilings);
}

inline void shared_batch(Backend& backend, const Scene& scene, Record& record) {
  pick_batch(backend, scene, 1, record);
}
inline void batched_batch(Backend& backend, const Scene& scene, Record& record) {
  pick_batch(backend, scene, 2, record);
}

inline void screened_batch(Backend& backend, const Scene& scene, Record& record) {
  pick_batch(backend, scene, 2, record, Precision::float32);
}

/// Three picks after a running point, in one sequence, with a look under another acquisition beside the first.
inline void picked_batch(Backend& backend, const Scene& scene, Record& record) {
  constexpr std::size_t fantasies = 2;
  const auto set = backend.make_candidates(Rows(scene.candidates).view());
  const std::vector<GpParameters> sets = two_sets(scene);
  const auto factors = backend.factor(Rows(scene.x).view(), scene.y, {sets.data(), 1});
  GpFactor* const factor = factors.front().get();
  SearchSetup setup;
  setup.factors = {&factor, 1};
  setup.fantasies = fantasies;
  const auto search = backend.make_search(*set, setup);
  Incumbents incumbents({-1.3});
  const std::vector<double> normals = {0.7, -0.4, -1.1, 0.2, 0.5, 0.9};
  const auto row = [&](std::size_t i) { return std::vector<double>(&normals[2 * i], &normals[2 * i] + fantasies); };
  const std::vector<double>& running = scene.candidates.back();
  const std::vector<double> values = search->fantasise_all({running.data(), 1, running.size()}, row(2));
  incumbents.add(values);
  record.add(values);
  std::vector<double> picked;
  BatchRequest request;
  request.count = 3;
  request.acquisition.parameter = 0.5;
  request.incumbents = &incumbents;
  request.normals = row;
  request.beside = carbo::kernels::AcquisitionSpec{carbo::Acquisition::gittins, 0.1};
  request.go_on = [&](const Scored& best) {
    picked.insert(picked.end(), {static_cast<double>(best.index), best.score});
    return true;
  };
  request.take = [&](const PickedRow& one) -> std::span<const double> {
    picked.insert(picked.end(), {static_cast<double>(one.best.index), one.best.score,
                                 one.runner_up_score.value_or(0.0), one.incumbent});
    set->exclude(one.best.index);
    return scene.candidates[one.best.index];
  };
  search->pick(request);
  record.add(picked);
  record.add(incumbents.now());
}

/// Dense sweeps, fantasies and scores.
inline void dense_batch(Backend& backend, const Scene& scene, Record& record) {
  const auto set = backend.make_candidates(Rows(scene.candidates).view());
  const std::vector<GpParameters> sets = two_sets(scene);
  const auto factors = backend.factor(Rows(scene.x).view(), scene.y, sets);
  std::vector<std::unique_ptr<Field>> fields;
  std::vector<Member> members;
  for (const auto& factor : factors) {
    fields.push_back(backend.sweep(*factor, *set, true));
    record.call_made();
    members.push_back({factor.get(), fields.back().get()});
  }
  const std::vector<double> normals = {0.7, -0.4, -1.1, 0.2}, incumbents(4, -1.3);
  record.add(backend.fantasise(members, *set, scene.candidates[1], normals));
  ScoreRequest request;
  request.objective = members;
  request.incumbents = incumbents;
  std::vector<double> scores(set->size());
  backend.scores(*set, request, scores);
  record.add(scores);
  const BestTwo pick = backend.best(*set, request);
  record.add(std::vector<Scored>{pick[0], pick[1]});
  record.add(fields[1]->mean(0, 1));
  record.add(fields[1]->variance(0));
}

/// A linear cost over features, the distances to the observations, and two rounds of the race.
inline void design(Backend& backend, const Scene& scene, Record& record) {
  const Rows candidates(scene.candidates);
  const auto set = backend.make_candidates(candidates.view());
  const auto features = backend.make_features(candidates.view());
  record.call_made();
  const std::vector<double> coefficients(candidates.columns, 0.8), shifts(candidates.rows, 0.2);
  const std::vector<double> covariance((candidates.columns + 1) * (candidates.columns + 1), 0.01);
  LinearTerm term;
  term.coefficients = coefficients;
  term.intercept = 0.4;
  term.knee = 0.3;
  term.covariance = covariance;
  term.spread = 0.2;
  const auto offset = backend.make_field(shifts, {});
  const auto cost = backend.linear_field(*features, term, offset.get());
  record.add(cost->mean(candidates.rows - 1));
  record.add(cost->variance(candidates.rows - 1));
  set->set_design(Rows(scene.x).view());
  for (int round = 0; round < 2; ++round) {
    const std::size_t picked = backend.race(*set, *cost, cuda_pair::infinity);
    record.add(static_cast<double>(picked));
    set->exclude(picked);
    record.call_made();
    set->add_design_point(scene.candidates[picked]);
    record.call_made();
    record.add(set->fill());
  }
}

struct Named {
  const char* name;
  Work work;
};
inline constexpr Named all[] = {{"fit", fit},
                                {"shared batch", shared_batch},
                                {"batched batch", batched_batch},
                                {"screened batch", screened_batch},
                                {"picked batch", picked_batch},
                                {"dense batch", dense_batch},
                                {"design", design}};

inline std::vector<double> run(Work work, Backend& backend, const Scene& scene, std::function<void()> after = {}) {
  Record record(std::move(after));
  work(backend, scene, record);
  return record.values();
}

/// Every workload, one after another.
inline std::vector<double> run_all(Backend& backend, const Scene& scene, const std::function<void()>& after = {}) {
  Record record(after);
  for (const Named& one : all) one.work(backend, scene, record);
  return record.values();
}

/// One small scene for all who ask what the workloads must give.
inline const Scene& scene() {
  static const Scene the_scene(33, 130, 3);
  return the_scene;
}

inline const std::vector<double>& expected() {
  static const std::vector<double> values = run_all(*cuda_pair::cuda(), scene());
  return values;
}

}  // namespace cuda_workload
