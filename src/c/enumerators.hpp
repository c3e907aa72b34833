#pragma once

#include <cstddef>
#include <cstdint>

#include <carbo/carbo.h>
#include <carbo/carbo.hpp>

#include "support/text.hpp"

// Numbers of the C face as those of the C++ face. The enumerators of both have the same values, from 0 to the last.
namespace carbo::internal::c {

inline constexpr Goal last_goal = Goal::maximize;
inline constexpr Transform last_transform = Transform::automatic;
inline constexpr Incumbent last_incumbent = Incumbent::posterior_mean;
inline constexpr CostModelKind last_cost_model = CostModelKind::known;
inline constexpr CostError last_cost_error = CostError::absolute;
inline constexpr CostWeight last_cost_weight = CostWeight::moment;
inline constexpr FantasyMode last_fantasy_mode = FantasyMode::batched;
inline constexpr BackendKind last_backend = BackendKind::cuda;
inline constexpr Acquisition last_acquisition = static_cast<Acquisition>(CARBO_ACQUISITION_COUNT - 1);
inline constexpr ParameterKind last_parameter_kind = ParameterKind::discrete;
inline constexpr Scale last_scale = Scale::log;
inline constexpr InitialDesign last_design = InitialDesign::points;
inline constexpr Accounting last_accounting = Accounting::wall_clock;
inline constexpr Execution last_execution = Execution::asynchronous;
inline constexpr Batches last_batches = Batches::top_up;
inline constexpr PickCost last_pick_cost = PickCost::own;
inline constexpr Estimation last_estimation = Estimation::map;
inline constexpr CandidateSource last_source = CandidateSource::enumeration;
inline constexpr Origin last_origin = Origin::prior;
inline constexpr ObservationStatus last_status = ObservationStatus::timed_out;
inline constexpr Modelled last_modelled = Modelled::cost;

static_assert(int(last_goal) == CARBO_MAXIMIZE && int(last_transform) == CARBO_TRANSFORM_AUTOMATIC &&
              int(last_transform) == CARBO_TRANSFORMS - 1 && int(Transform::log) == CARBO_TRANSFORM_LOG &&
              int(Transform::rank) == CARBO_TRANSFORM_RANK &&
              int(Transform::shifted_log) == CARBO_TRANSFORM_SHIFTED_LOG &&
              int(Transform::power) == CARBO_TRANSFORM_POWER &&
              int(Transform::half_rank) == CARBO_TRANSFORM_HALF_RANK && int(last_incumbent) == CARBO_POSTERIOR_MEAN &&
              int(CostModelKind::log_gp) == CARBO_COST_LOG_GP && int(CostModelKind::linear) == CARBO_COST_LINEAR &&
              int(CostModelKind::linear_mean_gp) == CARBO_COST_LINEAR_MEAN_GP &&
              int(last_cost_model) == CARBO_COST_KNOWN && int(last_cost_model) == CARBO_COST_MODELS - 1 &&
              int(CostWeight::mean) == CARBO_COST_MEAN && int(last_cost_weight) == CARBO_COST_MOMENT &&
              int(last_cost_error) == CARBO_COST_ABSOLUTE && int(last_fantasy_mode) == CARBO_FANTASIES_BATCHED &&
              int(BackendKind::cpu) == CARBO_BACKEND_CPU && int(last_backend) == CARBO_BACKEND_CUDA);
static_assert(int(ParameterKind::integer) == CARBO_INTEGER && int(ParameterKind::categorical) == CARBO_CATEGORICAL &&
              int(ParameterKind::ordinal) == CARBO_ORDINAL && int(last_parameter_kind) == CARBO_DISCRETE &&
              int(last_scale) == CARBO_LOG_SCALE && int(InitialDesign::paper) == CARBO_DESIGN_PAPER &&
              int(InitialDesign::uniform) == CARBO_DESIGN_UNIFORM && int(last_design) == CARBO_DESIGN_POINTS &&
              int(Accounting::sum) == CARBO_ACCOUNTING_SUM && int(Accounting::longest) == CARBO_ACCOUNTING_LONGEST &&
              int(last_accounting) == CARBO_ACCOUNTING_WALL_CLOCK && int(last_execution) == CARBO_ASYNCHRONOUS &&
              int(Batches::fill) == CARBO_BATCHES_FILL && int(last_batches) == CARBO_BATCHES_TOP_UP &&
              int(PickCost::in_round) == CARBO_PICK_COST_IN_ROUND && int(last_pick_cost) == CARBO_PICK_COST_OWN &&
              Optimizer::most_per_worker == CARBO_MOST_PER_WORKER && int(last_estimation) == CARBO_MAP &&
              int(CandidateSource::sobol) == CARBO_CANDIDATES_SOBOL &&
              int(last_source) == CARBO_CANDIDATES_ENUMERATION);
static_assert(int(Phase::design) == CARBO_DESIGN && int(Phase::search) == CARBO_SEARCH &&
              int(StopReason::budget) == CARBO_STOP_BUDGET &&
              int(StopReason::evaluations) == CARBO_STOP_EVALUATIONS &&
              int(StopReason::target) == CARBO_STOP_TARGET && int(StopReason::exhausted) == CARBO_STOP_EXHAUSTED &&
              int(StopReason::cancelled) == CARBO_STOP_CANCELLED &&
              int(StopReason::failures) == CARBO_STOP_FAILURES &&
              int(StopReason::strict_budget) == CARBO_STOP_STRICT_BUDGET &&
              int(StopReason::error) == CARBO_STOP_ERROR && int(StopReason::price) == CARBO_STOP_PRICE &&
              int(DesignEnd::share) == CARBO_DESIGN_SHARE && int(DesignEnd::gain) == CARBO_DESIGN_GAIN &&
              int(DesignEnd::exhausted) == CARBO_DESIGN_EXHAUSTED && int(last_origin) == CARBO_PRIOR &&
              int(ObservationStatus::failed) == CARBO_FAILED && int(last_status) == CARBO_TIMED_OUT &&
              int(last_modelled) == CARBO_MODEL_OF_COST);

/// Throws InvalidOptions where it is none.
template <class Enum>
Enum enumerated(int32_t value, Enum last, const char* name) {
  if (value < 0 || value > static_cast<int32_t>(last))
    throw InvalidOptions(text(name, " is ", value, "; give one of its enumerators, 0 to ", static_cast<int>(last)));
  return static_cast<Enum>(value);
}

inline bool flag(int32_t value, const char* name) {
  if (value != 0 && value != 1) throw InvalidOptions(text(name, " is ", value, "; give 0 or 1"));
  return value == 1;
}

/// Numbers from 0 to below `least` are refused where they are used, as in C++.
inline std::size_t count(int64_t value, const char* name, std::size_t least = 0) {
  if (value < 0) throw InvalidOptions(text(name, " is ", value, "; give ", least, " or above"));
  return static_cast<std::size_t>(value);
}

}  // namespace carbo::internal::c
