#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "acquisition/choose.hpp"
#include "acquisition/pick_batch.hpp"
#include "design/race_design.hpp"
#include "selector/selector_state.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;
using Reason = InvalidArray::Reason;

/// Rows picked by a call that has not returned: given back unless the call comes to its end.
class Selector::State::Picks {
 public:
  Picks(internal::CandidateSet& set, std::size_t columns, std::uint64_t first_id, std::size_t most)
      : set_(set), columns_(columns), first_id_(first_id) {
    rows_.reserve(most);
    scores_.reserve(most);
    running_.reserve(most);
  }
  /// One row at a time: the set has room for that since it excluded one.
  ~Picks() {
    for (const std::size_t row : rows_) {
      try {
        set_.readmit({&row, 1});
      } catch (...) {
        // The device is lost, and the pool with it; what the call threw says so.
      }
    }
  }
  Picks(const Picks&) = delete;
  Picks& operator=(const Picks&) = delete;

  /// `point`: the row's coordinates; empty: they are read from the set.
  std::span<const double> add(std::size_t row, double score, std::span<const double> point = {}) {
    Running one{row, first_id_ + rows_.size(), std::vector<double>(point.begin(), point.end())};
    if (point.empty()) {
      one.point.resize(columns_);
      set_.read({&row, 1}, one.point);
    }
    set_.exclude(row);
    rows_.push_back(row);
    scores_.push_back(score);
    running_.push_back(std::move(one));
    return running_.back().point;
  }
  std::size_t size() const { return rows_.size(); }
  std::span<const std::size_t> rows() const { return rows_; }
  std::span<const double> scores() const { return scores_; }
  /// The picks are made.
  std::vector<Running> settle() {
    rows_.clear();
    return std::move(running_);
  }

 private:
  internal::CandidateSet& set_;
  std::size_t columns_;
  std::uint64_t first_id_;
  std::vector<std::size_t> rows_;
  std::vector<double> scores_;
  std::vector<Running> running_;
};

void Selector::State::check_acquisition(const PickRequest& request) const {
  if (internal::has_cost_exponent(request.acquisition) && !(request.alpha >= 0 && request.alpha <= 1))
    throw InvalidOptions(text("alpha is ", request.alpha, "; give a number from 0 to 1"));
  internal::validate(request.acquisition, request.acquisition_parameters, options_.cost.weight);
  internal::requested_parameter(request.acquisition, request.alpha, request.acquisition_parameters);
}

internal::PickRule Selector::State::rule(const PickRequest& request) const {
  const double parameter =
      internal::requested_parameter(request.acquisition, request.alpha, request.acquisition_parameters);
  return {
      internal::make_spec(request.acquisition, parameter, options_.cost.weight, learner_->models.objective_scale()),
      std::log(request.cost_limit)};
}

void Selector::State::check_cost_limit(const PickRequest& request) const {
  if (!(request.cost_limit > 0))
    throw InvalidOptions(text("cost_limit is ", request.cost_limit, "; give a number above 0, or infinity"));
}

void Selector::State::check_count(const PickRequest& request) const {
  if (request.count == 0) throw InvalidOptions("count is 0; ask for at least one row");
  if (request.count > available())
    throw InvalidOptions(text("count is ", request.count, ", but only ", available(), " of the pool's ", pool_size(),
                              " rows may still be suggested; ask for fewer, or give another pool"));
}

void Selector::State::check_output(const PickRequest& request, const PickOutput& output) {
  arrays_.check_room(output.rows, request.count, "output.rows");
  const internal::ByteRange rows = internal::bytes_of(output.rows, request.count);
  const auto refuse = [](const char* what) { throw InvalidArray(Reason::overlapping, what); };
  if (rows.overlaps(pool().borrowed)) refuse("output.rows overlaps the pool; give memory of its own");
  if (output.scores.size == 0) return;
  arrays_.check_room(output.scores, request.count, "output.scores");
  const internal::ByteRange scores = internal::bytes_of(output.scores, request.count);
  if (scores.overlaps(rows)) refuse("output.scores overlaps output.rows; give memory of its own");
  if (scores.overlaps(pool().borrowed)) refuse("output.scores overlaps the pool; give memory of its own");
}

void Selector::State::require_objective(const char* call) const {
  if (learned_.empty())
    throw InvalidObservation(text(call, ": nothing was observed; append at least one evaluation first"));
}

std::uint64_t Selector::State::next_id() const {
  return std::max<std::uint64_t>(learned_.size(), running_.empty() ? 0 : running_.back().id + 1);
}

internal::FantasyEnsemble Selector::State::make_ensemble(Acquisition acquisition) {
  return internal::make_ensemble(*backend_, learner_->models, internal::ensemble_options(options_), acquisition,
                                 internal::extreme_sample(*pool_->set, options_.columns));
}

void Selector::State::fantasise_running(internal::FantasyEnsemble& ensemble) const {
  std::vector<double> points;
  std::vector<std::uint64_t> ids;
  for (const Running& one : running_) {
    points.insert(points.end(), one.point.begin(), one.point.end());
    ids.push_back(one.id);
  }
  if (!ids.empty()) ensemble.fantasise_all({points.data(), ids.size(), options_.columns}, ids);
}

std::size_t Selector::State::deliver(Picks& picks, const PickOutput& output) {
  const std::vector<std::int64_t> rows(picks.rows().begin(), picks.rows().end());
  running_.reserve(running_.size() + picks.size());
  arrays_.write(output.rows, rows);
  if (output.scores.size > 0) arrays_.write(output.scores, picks.scores());
  for (Running& one : picks.settle()) running_.push_back(std::move(one));
  return rows.size();
}

std::size_t Selector::State::suggest(const PickRequest& request, const PickOutput& output) {
  internal::CandidateSet& set = *pool().set;
  check_acquisition(request);
  check_cost_limit(request);
  check_count(request);
  check_output(request, output);
  require_objective("suggest");
  take_up(request.count);
  internal::ModelPair& models = learner_->models;
  const auto log_cost = models.cost().field(pool_->table, set, internal::FieldUse::search);
  internal::FantasyEnsemble ensemble = make_ensemble(request.acquisition);
  ensemble.begin(backend_->make_search(set, ensemble.setup(log_cost.get(), models.cost().posterior())));
  fantasise_running(ensemble);
  Picks picks(set, options_.columns, next_id(), request.count);
  const internal::PickRule rule = this->rule(request);
  internal::PickProblem problem{ensemble, next_id()};
  problem.batch.count = request.count;
  problem.batch.acquisition = rule.acquisition;
  problem.batch.limit.log_cost = rule.log_cost_limit;
  problem.batch.with_runner_up = false;
  problem.batch.take = [&](const internal::PickedRow& picked) {
    return picks.add(picked.best.index, picked.best.score, picked.point);
  };
  internal::BatchEnd end{};
  internal::pick_batches({&problem, 1}, {&end, 1});
  return deliver(picks, output);
}

void Selector::State::set_design_to_known() {
  std::vector<double> points;
  for (const internal::LearnedPoint& point : learned_)
    points.insert(points.end(), point.encoded.begin(), point.encoded.end());
  for (const Running& one : running_) points.insert(points.end(), one.point.begin(), one.point.end());
  pool_->set->set_design({points.data(), points.size() / options_.columns, options_.columns});
}

std::size_t Selector::State::design(const PickRequest& request, const PickOutput& output) {
  internal::CandidateSet& set = *pool().set;
  check_cost_limit(request);
  check_count(request);
  if (output.scores.size > 0)
    throw InvalidArray(Reason::shape, "output.scores: a design has no scores; leave it empty");
  check_output(request, output);
  if (!learned_.empty()) take_up(0);
  if (!learner_->models.cost().ready()) require_objective("design");
  const auto log_cost = learner_->models.cost().field(pool_->table, set);
  set_design_to_known();
  Picks picks(set, options_.columns, next_id(), request.count);
  internal::RaceProblem problem{set, *log_cost, request.count};
  problem.log_cost_limit = [&] { return std::log(request.cost_limit); };
  problem.take = [&](std::size_t row) { set.add_design_point(picks.add(row, 0.0)); };
  internal::pick_design(*backend_, problem);
  return deliver(picks, output);
}

template <class Write>
void Selector::State::score(const PickRequest& request, const Write& write) {
  check_acquisition(request);
  check_cost_limit(request);
  require_objective("scores");
  take_up(0);
  internal::ModelPair& models = learner_->models;
  const internal::CandidateSet& set = *pool().set;
  const bool spread = options_.cost.weight != CostWeight::median;
  const auto use = spread ? internal::FieldUse::values_and_variances : internal::FieldUse::values;
  const auto log_cost = models.cost().field(pool_->table, set, use);
  internal::FantasyEnsemble ensemble = make_ensemble(request.acquisition);
  ensemble.begin_dense(*backend_, set);
  fantasise_running(ensemble);
  write(ensemble.dense_request(rule(request), *log_cost));
}

void Selector::State::scores(const PickRequest& request, const MutableVectorRef& output) {
  const internal::CandidateSet& set = *pool().set;
  arrays_.check_room(output, set.size(), "output");
  if (internal::bytes_of(output, set.size()).overlaps(pool_->borrowed))
    throw InvalidArray(Reason::overlapping, "output overlaps the pool; give memory of its own");
  score(request, [&](const internal::ScoreRequest& dense) {
    if (output.memory == Memory::device) {
      internal::DeviceAccess& device = *backend_->device_access();
      if (output.scalar == Scalar::float32) return device.write_scores(set, dense, static_cast<float*>(output.data));
      return device.write_scores(set, dense, static_cast<double*>(output.data));
    }
    std::vector<double> values(set.size());
    backend_->scores(set, dense, values);
    arrays_.write(output, values);
  });
}

OwnedVector Selector::State::scores(const PickRequest& request, Scalar scalar) {
  const std::size_t size = pool().set->size();
  const std::size_t bytes = size * (scalar == Scalar::float32 ? sizeof(float) : sizeof(double));
  OwnedVector owned;
  owned.scalar = scalar;
  owned.size = size;
  if (internal::DeviceAccess* const device = backend_->device_access()) {
    owned.memory = Memory::device;
    owned.device = device->device();
    owned.data = device->allocate(bytes);
  } else {
    owned.data = std::shared_ptr<void>(::operator new(bytes), [](void* memory) { ::operator delete(memory); });
  }
  scores(request, MutableVectorRef{owned.data.get(), scalar, owned.memory, size});
  return owned;
}

}  // namespace carbo
