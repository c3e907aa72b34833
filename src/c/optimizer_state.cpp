// Save and restore of c_optimizer.h, and what a restored study has running.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "c/convert.hpp"
#include "c/optimizer_calls.hpp"
#include "c/optimizer_records.hpp"

using namespace carbo::internal::c;

extern "C" {

carbo_status carbo_restore_options_init(carbo_restore_options* options, uint64_t struct_size) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    require_struct_size(struct_size, sizeof *options, "options");
    *options = {};
    options->struct_size = sizeof *options;
  });
}

carbo_status carbo_optimizer_restore(const char* state, int64_t length, const carbo_restore_options* options,
                                     carbo_optimizer** optimizer) {
  return guarded(__func__, [&] {
    require_pointer(optimizer, "optimizer");
    *optimizer = nullptr;
    require_pointer(state, "state");
    const std::string_view words(state, room(length, "length"));
    const carbo::RestoreOptions given = restore_options(options, words);
    *optimizer = add_handle(HeldOptimizer{carbo::Optimizer::restore(words, given)});
  });
}

carbo_status carbo_optimizer_save(carbo_optimizer* optimizer, const char** state, int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(state, "state");
    held.state = held.optimizer.save();
    *state = held.state.c_str();
    if (length != nullptr) *length = static_cast<int64_t>(held.state.size());
  });
}

carbo_status carbo_optimizer_release_state(carbo_optimizer* optimizer) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) { std::string().swap(held.state); });
}

carbo_status carbo_optimizer_pending_suggestions(carbo_optimizer* optimizer, carbo_suggestion* suggestions,
                                                 double* numbers, int64_t room_given, int64_t* count) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(count, "count");
    const std::size_t most = room(room_given, "room");
    if (most > 0) {
      require_pointer(suggestions, "suggestions");
      require_struct_size(suggestions->struct_size, sizeof *suggestions, "suggestions");
      require_pointer(numbers, "numbers");
    }
    const std::vector<carbo::Suggestion> pending = held.optimizer.pending_suggestions();
    for (std::size_t i = 0; i < std::min(most, pending.size()); ++i) {
      suggestions[i] = c_suggestion(pending[i]);
      write_numbers(pending[i].configuration, numbers, i);
    }
    *count = static_cast<int64_t>(pending.size());
  });
}

}  // extern "C"
