// Ask and tell of c_optimizer.h: each function converts its arguments, makes one call and keeps what was thrown
// inside.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "c/c_names.hpp"
#include "c/convert.hpp"
#include "c/enumerators.hpp"
#include "c/handles.hpp"
#include "c/optimizer_calls.hpp"
#include "c/optimizer_records.hpp"
#include "engine/history.hpp"

using namespace carbo::internal::c;
using carbo::internal::text;

namespace carbo::internal::c {

Configuration configuration_of(const HeldOptimizer& held, const double* numbers, std::size_t place) {
  require_pointer(numbers, "numbers");
  const std::size_t width = held.optimizer.space().parameters().size();
  return held.optimizer.space().configuration(std::span(numbers + place * width, width));
}

std::size_t room(int64_t size, const char* name) {
  if (size < 0) throw Refusal(CARBO_SHAPE, text(name, " is ", size, "; give 0 or above"));
  return static_cast<std::size_t>(size);
}

std::span<const Observation> observations_from(const HeldOptimizer& held, int64_t first, int64_t wanted) {
  const std::span<const Observation> all = held.optimizer.observations();
  const auto size = static_cast<int64_t>(all.size());
  if (first < 0 || wanted < 0 || first > size || wanted > size - first)
    throw Refusal(CARBO_OUT_OF_RANGE, text(wanted, " observations from place ", first,
                                           " on were asked for; there are ", size, ", counted from 0"));
  return all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(wanted));
}

}  // namespace carbo::internal::c

namespace {

/// Ids of C are signed, so that -1 is none.
std::uint64_t suggestion_id(int64_t id) {
  if (id < 0)
    throw Refusal(CARBO_UNKNOWN_SUGGESTION,
                  text("suggestion ", id, " was never given out; tell ids that carbo_optimizer_ask wrote"));
  return static_cast<std::uint64_t>(id);
}

}  // namespace

extern "C" {

carbo_status carbo_optimizer_create(const carbo_optimizer_options* options, carbo_optimizer** optimizer) {
  return guarded(__func__, [&] {
    require_pointer(optimizer, "optimizer");
    *optimizer = nullptr;
    carbo::Space space = optimizer_space(options);
    carbo::Options converted = optimizer_options(*options, space);
    *optimizer = add_handle(HeldOptimizer{carbo::Optimizer(std::move(space), std::move(converted))});
  });
}

carbo_status carbo_optimizer_destroy(carbo_optimizer* optimizer) {
  return guarded(__func__, [&] { remove_handle(optimizer); });
}

carbo_status carbo_optimizer_ask(carbo_optimizer* optimizer, int64_t count, carbo_suggestion* suggestions,
                                 double* numbers, int64_t* written) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(written, "written");
    const std::size_t wanted = room(count, "count");
    if (wanted > 0) {
      require_pointer(suggestions, "suggestions");
      require_struct_size(suggestions->struct_size, sizeof *suggestions, "suggestions");
      require_pointer(numbers, "numbers");
    }
    held.backend_reason.reserve(longest_reason);  // what can fail comes before suggestions that would be lost
    const std::vector<carbo::Suggestion> asked = held.optimizer.ask(wanted);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      suggestions[i] = c_suggestion(asked[i]);
      write_numbers(asked[i].configuration, numbers, i);
    }
    if (!asked.empty()) held.backend_reason.assign(asked.front().receipt.backend_reason, 0, longest_reason);
    *written = static_cast<int64_t>(asked.size());
  });
}

carbo_status carbo_optimizer_rank(carbo_optimizer* optimizer, int64_t count, double* numbers, double* log_scores,
                                  int64_t* pool_indices, int64_t* written) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(written, "written");
    const std::size_t wanted = room(count, "count");
    if (wanted > 0) {
      require_pointer(numbers, "numbers");
      require_pointer(log_scores, "log_scores");
    }
    const std::vector<carbo::RankedCandidate> ranked = held.optimizer.rank(wanted);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      write_numbers(ranked[i].configuration, numbers, i);
      log_scores[i] = ranked[i].log_score;
      if (pool_indices != nullptr)
        pool_indices[i] = ranked[i].pool_index ? static_cast<int64_t>(*ranked[i].pool_index) : -1;
    }
    *written = static_cast<int64_t>(ranked.size());
  });
}

carbo_status carbo_optimizer_tell(carbo_optimizer* optimizer, int64_t id, double objective, double cost) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    held.optimizer.tell(suggestion_id(id), {objective, cost});
  });
}

carbo_status carbo_optimizer_fail(carbo_optimizer* optimizer, int64_t id, double cost, const char* reason,
                                  int32_t timed_out) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    held.optimizer.fail(suggestion_id(id), cost, reason != nullptr ? reason : "", flag(timed_out, "timed_out"));
  });
}

carbo_status carbo_optimizer_withdraw(carbo_optimizer* optimizer, int64_t id) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) { held.optimizer.withdraw(suggestion_id(id)); });
}

carbo_status carbo_optimizer_tell_observation(carbo_optimizer* optimizer, const carbo_observation* observation,
                                              const double* numbers, const char* reason) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    held.optimizer.tell(observation_of(observation, configuration_of(held, numbers), reason));
  });
}

carbo_status carbo_optimizer_adopt(carbo_optimizer* optimizer, const double* numbers, int64_t* id) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(id, "id");
    *id = static_cast<int64_t>(held.optimizer.adopt(configuration_of(held, numbers)));
  });
}

carbo_status carbo_optimizer_enqueue(carbo_optimizer* optimizer, const double* numbers) {
  return handle_call(optimizer, __func__,
                     [&](HeldOptimizer& held) { held.optimizer.enqueue(configuration_of(held, numbers)); });
}

carbo_status carbo_optimizer_dequeue(carbo_optimizer* optimizer, const double* numbers, int32_t* found) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const bool taken = held.optimizer.dequeue(configuration_of(held, numbers));
    if (found != nullptr) *found = taken ? 1 : 0;
  });
}

carbo_status carbo_optimizer_enqueued(carbo_optimizer* optimizer, double* numbers, int64_t room_given,
                                      int64_t* count) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(count, "count");
    const std::size_t most = room(room_given, "room");
    if (most > 0) require_pointer(numbers, "numbers");
    const std::vector<carbo::Configuration> waiting = held.optimizer.enqueued();
    for (std::size_t i = 0; i < std::min(most, waiting.size()); ++i) write_numbers(waiting[i], numbers, i);
    *count = static_cast<int64_t>(waiting.size());
  });
}

carbo_status carbo_optimizer_pending(carbo_optimizer* optimizer, int64_t* ids, int64_t room_given, int64_t* count) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(count, "count");
    const std::size_t most = room(room_given, "room");
    if (most > 0) require_pointer(ids, "ids");
    const std::vector<std::uint64_t> pending = held.optimizer.pending();
    for (std::size_t i = 0; i < std::min(most, pending.size()); ++i) ids[i] = static_cast<int64_t>(pending[i]);
    *count = static_cast<int64_t>(pending.size());
  });
}

carbo_status carbo_optimizer_observations(carbo_optimizer* optimizer, int64_t first, int64_t count,
                                          carbo_observation* observations, double* numbers) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const std::span<const carbo::Observation> seen = observations_from(held, first, count);
    if (seen.empty()) return;
    require_pointer(observations, "observations");
    require_struct_size(observations->struct_size, sizeof *observations, "observations");
    for (std::size_t i = 0; i < seen.size(); ++i) {
      observations[i] = c_observation(seen[i]);
      if (numbers != nullptr) write_numbers(seen[i].configuration, numbers, i);
    }
  });
}

carbo_status carbo_optimizer_best(carbo_optimizer* optimizer, int64_t* place) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(place, "place");
    const std::span<const carbo::Observation> seen = held.optimizer.observations();
    const carbo::Observation* const best = carbo::internal::best_of(seen, held.optimizer.options().goal);
    *place = best == nullptr ? -1 : best - seen.data();
  });
}

carbo_status carbo_optimizer_get_info(carbo_optimizer* optimizer, carbo_optimizer_info* info) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(info, "info");
    require_struct_size(info->struct_size, sizeof *info, "info");
    const carbo::Optimizer& from = held.optimizer;
    const auto pending = static_cast<int64_t>(from.pending().size());
    info->enqueued = static_cast<int64_t>(from.enqueued().size());
    info->pending = pending;
    info->phase = static_cast<carbo_phase>(from.phase());
    info->stop_reason = static_cast<carbo_stop_reason>(from.stop_reason());
    info->accounting = static_cast<carbo_accounting>(from.accounting());
    info->parameters = static_cast<int64_t>(from.space().parameters().size());
    info->observations = static_cast<int64_t>(from.observations().size());
    info->spent = from.spent();
  });
}

}  // extern "C"
