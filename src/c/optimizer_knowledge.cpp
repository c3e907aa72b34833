// What the models of an optimizer know, and texts about it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "c/c_names.hpp"
#include "c/convert.hpp"
#include "c/enumerators.hpp"
#include "c/optimizer_calls.hpp"
#include "c/optimizer_records.hpp"

using namespace carbo::internal::c;
using carbo::internal::text;

namespace {

/// A categorical or ordinal parameter.
const carbo::Parameter& labelled(const HeldOptimizer& held, int64_t parameter) {
  const std::vector<carbo::Parameter>& all = held.optimizer.space().parameters();
  if (parameter < 0 || parameter >= static_cast<int64_t>(all.size()))
    throw Refusal(CARBO_OUT_OF_RANGE, text("parameter ", parameter, " of ", all.size(), "; they count from 0"));
  const carbo::Parameter& found = all[static_cast<std::size_t>(parameter)];
  if (found.labels().empty())
    throw Refusal(CARBO_INVALID_CONFIGURATION,
                  text("parameter '", found.name(), "' has no labels: its numbers are its values"));
  return found;
}

void check_room(const carbo_fitted_model& fitted, std::size_t parameters) {
  require_struct_size(fitted.struct_size, sizeof fitted, "fitted");
  if (fitted.lengthscales != nullptr && fitted.lengthscale_room < static_cast<int64_t>(parameters))
    throw Refusal(CARBO_SHAPE, text("fitted.lengthscale_room is ", fitted.lengthscale_room,
                                    "; give room for one a parameter, of which there are ", parameters));
}

void write_fitted(const std::optional<carbo::FittedModel>& model, carbo_fitted_model& to) {
  to.found = model ? 1 : 0;
  if (!model) return;
  const carbo::Hyperparameters& from = model->hyperparameters;
  if (to.lengthscales != nullptr) std::ranges::copy(from.lengthscales, to.lengthscales);
  to.signal_variance = from.signal_variance;
  to.noise_variance = from.noise_variance;
  to.mean = from.mean.value_or(std::numeric_limits<double>::quiet_NaN());
  to.shift = model->shift;
  to.scale = model->scale;
  to.jitter = model->jitter;
  to.points = static_cast<int64_t>(model->points.known);
  to.points_used = static_cast<int64_t>(model->points.used);
}

/// 0 stands for the library's own.
carbo::ImportanceOptions importance_options(int64_t points, int64_t sequences) {
  carbo::ImportanceOptions options;
  if (points != 0) options.points = count(points, "points", 16);
  if (sequences != 0) options.sequences = count(sequences, "sequences", 2);
  return options;
}

}  // namespace

extern "C" {

const char* carbo_phase_name(carbo_phase phase) { return carbo::to_string(static_cast<carbo::Phase>(phase)); }

const char* carbo_stop_reason_name(carbo_stop_reason reason) {
  return carbo::to_string(static_cast<carbo::StopReason>(reason));
}

carbo_status carbo_optimizer_message(carbo_optimizer* optimizer, char* buffer, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&] { copy_text(handle_message(optimizer), buffer, capacity, length); });
}

carbo_status carbo_optimizer_backend_reason(carbo_optimizer* optimizer, char* buffer, int64_t capacity,
                                            int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    copy_text(in_c_names(held.backend_reason, Face::optimizer), buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_warnings(carbo_optimizer* optimizer, char* buffer, int64_t capacity, int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    std::string lines;
    for (const std::string& warning : held.optimizer.warnings())
      lines += (lines.empty() ? "" : "\n") + in_c_names(warning, Face::optimizer);
    copy_text(lines, buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_memory_plan(carbo_optimizer* optimizer, char* buffer, int64_t capacity,
                                         int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    copy_text(in_c_names(held.optimizer.memory_plan().describe(), Face::optimizer), buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_describe(carbo_optimizer* optimizer, const double* numbers, char* buffer,
                                      int64_t capacity, int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    copy_text(configuration_of(held, numbers).to_string(), buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_label(carbo_optimizer* optimizer, int64_t parameter, double number, char* buffer,
                                   int64_t capacity, int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const carbo::Parameter& own = labelled(held, parameter);
    const double last = static_cast<double>(own.labels().size()) - 1;
    if (!(number >= 0 && number <= last && number == std::floor(number)))
      throw Refusal(CARBO_INVALID_CONFIGURATION, text("parameter '", own.name(), "' has no label ", number,
                                                      "; give a whole number from 0 to ", last));
    copy_text(own.labels()[static_cast<std::size_t>(number)], buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_number(carbo_optimizer* optimizer, int64_t parameter, const char* label,
                                    double* number) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(label, "label");
    require_pointer(number, "number");
    const carbo::Parameter& own = labelled(held, parameter);
    const auto found = std::ranges::find(own.labels(), label);
    if (found == own.labels().end())
      throw Refusal(CARBO_INVALID_CONFIGURATION, text("parameter '", own.name(), "' has no label '", label, "'"));
    *number = static_cast<double>(found - own.labels().begin());
  });
}

carbo_status carbo_optimizer_failure(carbo_optimizer* optimizer, int64_t place, char* buffer, int64_t capacity,
                                     int64_t* length) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    copy_text(observations_from(held, place, 1).front().reason, buffer, capacity, length);
  });
}

carbo_status carbo_optimizer_predict(carbo_optimizer* optimizer, const double* numbers, int64_t count,
                                     double coverage, carbo_prediction* predictions) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const std::size_t wanted = room(count, "count");
    std::vector<carbo::Configuration> points;
    for (std::size_t i = 0; i < wanted; ++i) points.push_back(configuration_of(held, numbers, i));
    if (wanted > 0) {
      require_pointer(predictions, "predictions");
      require_struct_size(predictions->struct_size, sizeof *predictions, "predictions");
    }
    const std::vector<carbo::Prediction> found = held.optimizer.predict(points, coverage);
    std::ranges::transform(found, predictions, c_prediction);
  });
}

carbo_status carbo_optimizer_recommend(carbo_optimizer* optimizer, double* numbers, int64_t* successes,
                                       carbo_prediction* prediction) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    require_pointer(numbers, "numbers");
    if (prediction != nullptr) require_struct_size(prediction->struct_size, sizeof *prediction, "prediction");
    const std::optional<carbo::Recommendation> found = held.optimizer.recommend();
    if (successes != nullptr) *successes = found ? static_cast<int64_t>(found->successes) : 0;
    if (!found) return;
    write_numbers(found->configuration, numbers);
    if (prediction != nullptr) *prediction = c_prediction(found->prediction);
  });
}

carbo_status carbo_optimizer_importance(carbo_optimizer* optimizer, carbo_modelled model, int64_t points,
                                        int64_t sequences, carbo_importance* shares, double* standard_deviation) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const carbo::Modelled which = enumerated(model, last_modelled, "model");
    require_pointer(shares, "shares");
    require_struct_size(shares->struct_size, sizeof *shares, "shares");
    const std::optional<carbo::Importance> found =
        held.optimizer.importance(which, importance_options(points, sequences));
    if (standard_deviation != nullptr)
      *standard_deviation = found ? found->standard_deviation : std::numeric_limits<double>::quiet_NaN();
    if (!found) return;
    std::ranges::transform(found->parameters, shares, [](const carbo::ParameterImportance& own) {
      return carbo_importance{sizeof(carbo_importance), own.first_order, own.total, own.first_order_spread,
                              own.total_spread};
    });
  });
}

carbo_status carbo_optimizer_hyperparameters(carbo_optimizer* optimizer, carbo_modelled model,
                                             carbo_fitted_model* fitted, carbo_cost_model* cost_model) {
  return handle_call(optimizer, __func__, [&](HeldOptimizer& held) {
    const carbo::Modelled which = enumerated(model, last_modelled, "model");
    require_pointer(fitted, "fitted");
    check_room(*fitted, held.optimizer.space().parameters().size());
    const carbo::FittedModels found = held.optimizer.hyperparameters();
    write_fitted(which == carbo::Modelled::cost ? found.cost : found.objective, *fitted);
    if (cost_model != nullptr) *cost_model = found.cost_model ? static_cast<carbo_cost_model>(*found.cost_model) : -1;
  });
}

carbo_status carbo_optimizer_options_init(carbo_optimizer_options* options, uint64_t struct_size) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    require_struct_size(struct_size, sizeof *options, "options");
    *options = default_optimizer_options();
  });
}

}  // extern "C"
