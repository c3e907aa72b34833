#pragma once

/// \file
/// `to_string` of every enumeration of the public face: the enumerator's name, or a few words for phases and the
/// reasons why a run is over. "unknown" for a value that is no enumerator.
#include <carbo/array.hpp>
#include <carbo/cost.hpp>
#include <carbo/error.hpp>
#include <carbo/knowledge.hpp>
#include <carbo/observation.hpp>
#include <carbo/options.hpp>
#include <carbo/run_state.hpp>
#include <carbo/space.hpp>

namespace carbo {

constexpr const char* to_string(Goal goal) {
  switch (goal) {
    case Goal::minimize:
      return "minimize";
    case Goal::maximize:
      return "maximize";
  }
  return "unknown";
}

constexpr const char* to_string(Acquisition acquisition) {
  switch (acquisition) {
#define CARBO_NAME(name, constant, type) \
  case Acquisition::name:                \
    return #name;
    CARBO_ACQUISITIONS(CARBO_NAME)
#undef CARBO_NAME
  }
  return "unknown";
}

constexpr const char* to_string(InitialDesign design) {
  switch (design) {
    case InitialDesign::cost_effective:
      return "cost_effective";
    case InitialDesign::paper:
      return "paper";
    case InitialDesign::uniform:
      return "uniform";
    case InitialDesign::points:
      return "points";
  }
  return "unknown";
}

constexpr const char* to_string(Accounting accounting) {
  switch (accounting) {
    case Accounting::automatic:
      return "automatic";
    case Accounting::sum:
      return "sum";
    case Accounting::longest:
      return "longest";
    case Accounting::wall_clock:
      return "wall_clock";
  }
  return "unknown";
}

constexpr const char* to_string(Execution execution) {
  switch (execution) {
    case Execution::synchronous:
      return "synchronous";
    case Execution::asynchronous:
      return "asynchronous";
  }
  return "unknown";
}

constexpr const char* to_string(Batches batches) {
  switch (batches) {
    case Batches::fixed:
      return "fixed";
    case Batches::fill:
      return "fill";
    case Batches::top_up:
      return "top_up";
  }
  return "unknown";
}

constexpr const char* to_string(Transform transform) {
  switch (transform) {
    case Transform::none:
      return "none";
    case Transform::log:
      return "log";
    case Transform::rank:
      return "rank";
    case Transform::shifted_log:
      return "shifted_log";
    case Transform::power:
      return "power";
    case Transform::half_rank:
      return "half_rank";
    case Transform::automatic:
      return "automatic";
  }
  return "unknown";
}

constexpr const char* to_string(Estimation estimation) {
  switch (estimation) {
    case Estimation::maximum_likelihood:
      return "maximum_likelihood";
    case Estimation::map:
      return "map";
  }
  return "unknown";
}

constexpr const char* to_string(PickCost cost) {
  switch (cost) {
    case PickCost::in_round:
      return "in_round";
    case PickCost::own:
      return "own";
  }
  return "unknown";
}

constexpr const char* to_string(Incumbent incumbent) {
  switch (incumbent) {
    case Incumbent::lowest_observed:
      return "lowest_observed";
    case Incumbent::posterior_mean:
      return "posterior_mean";
  }
  return "unknown";
}

constexpr const char* to_string(FantasyMode mode) {
  switch (mode) {
    case FantasyMode::shared:
      return "shared";
    case FantasyMode::batched:
      return "batched";
  }
  return "unknown";
}

constexpr const char* to_string(CandidateSource source) {
  switch (source) {
    case CandidateSource::automatic:
      return "automatic";
    case CandidateSource::sobol:
      return "sobol";
    case CandidateSource::enumeration:
      return "enumeration";
  }
  return "unknown";
}

constexpr const char* to_string(BackendKind kind) {
  switch (kind) {
    case BackendKind::automatic:
      return "automatic";
    case BackendKind::cpu:
      return "cpu";
    case BackendKind::cuda:
      return "cuda";
  }
  return "unknown";
}

constexpr const char* to_string(CostModelKind kind) {
  switch (kind) {
    case CostModelKind::automatic:
      return "automatic";
    case CostModelKind::log_gp:
      return "log_gp";
    case CostModelKind::linear:
      return "linear";
    case CostModelKind::linear_mean_gp:
      return "linear_mean_gp";
    case CostModelKind::known:
      return "known";
  }
  return "unknown";
}

constexpr const char* to_string(CostError error) {
  switch (error) {
    case CostError::relative:
      return "relative";
    case CostError::absolute:
      return "absolute";
  }
  return "unknown";
}

constexpr const char* to_string(CostWeight weight) {
  switch (weight) {
    case CostWeight::median:
      return "median";
    case CostWeight::mean:
      return "mean";
    case CostWeight::moment:
      return "moment";
  }
  return "unknown";
}

constexpr const char* to_string(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::real:
      return "real";
    case ParameterKind::integer:
      return "integer";
    case ParameterKind::categorical:
      return "categorical";
    case ParameterKind::ordinal:
      return "ordinal";
    case ParameterKind::discrete:
      return "discrete";
  }
  return "unknown";
}

constexpr const char* to_string(Scale scale) {
  switch (scale) {
    case Scale::linear:
      return "linear";
    case Scale::log:
      return "log";
  }
  return "unknown";
}

constexpr const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::warm_start:
      return "warm start";
    case Phase::design:
      return "design";
    case Phase::search:
      return "search";
  }
  return "unknown";
}

constexpr const char* to_string(DesignEnd end) {
  switch (end) {
    case DesignEnd::served:
      return "served";
    case DesignEnd::share:
      return "share";
    case DesignEnd::gain:
      return "gain";
    case DesignEnd::exhausted:
      return "exhausted";
  }
  return "unknown";
}

constexpr const char* to_string(Modelled model) {
  switch (model) {
    case Modelled::objective:
      return "objective";
    case Modelled::cost:
      return "cost";
  }
  return "unknown";
}

constexpr const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::this_run:
      return "this_run";
    case Origin::prior:
      return "prior";
  }
  return "unknown";
}

constexpr const char* to_string(ObservationStatus status) {
  switch (status) {
    case ObservationStatus::succeeded:
      return "succeeded";
    case ObservationStatus::failed:
      return "failed";
    case ObservationStatus::timed_out:
      return "timed_out";
  }
  return "unknown";
}

constexpr const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::running:
      return "running";
    case StopReason::budget:
      return "budget spent";
    case StopReason::evaluations:
      return "maximum number of evaluations";
    case StopReason::target:
      return "target reached";
    case StopReason::exhausted:
      return "every candidate evaluated";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::failures:
      return "too many failures in a row";
    case StopReason::strict_budget:
      return "nothing left that fits the budget";
    case StopReason::error:
      return "error";
    case StopReason::price:
      return "nothing left that is worth its cost";
  }
  return "unknown";
}

constexpr const char* to_string(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return "float32";
    case Scalar::float64:
      return "float64";
  }
  return "unknown";
}

constexpr const char* to_string(Memory memory) {
  switch (memory) {
    case Memory::host:
      return "host";
    case Memory::device:
      return "device";
  }
  return "unknown";
}

constexpr const char* to_string(Order order) {
  switch (order) {
    case Order::row_major:
      return "row_major";
    case Order::column_major:
      return "column_major";
  }
  return "unknown";
}

constexpr const char* to_string(InvalidArray::Reason reason) {
  switch (reason) {
    case InvalidArray::Reason::null_pointer:
      return "null_pointer";
    case InvalidArray::Reason::not_device_memory:
      return "not_device_memory";
    case InvalidArray::Reason::not_host_memory:
      return "not_host_memory";
    case InvalidArray::Reason::other_device:
      return "other_device";
    case InvalidArray::Reason::misaligned:
      return "misaligned";
    case InvalidArray::Reason::overlapping:
      return "overlapping";
    case InvalidArray::Reason::leading_dimension:
      return "leading_dimension";
    case InvalidArray::Reason::shape:
      return "shape";
    case InvalidArray::Reason::not_finite:
      return "not_finite";
    case InvalidArray::Reason::out_of_range:
      return "out_of_range";
  }
  return "unknown";
}

}  // namespace carbo
