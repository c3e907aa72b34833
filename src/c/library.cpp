// What carbo.h has beside the selector: versions, names, messages, defaults.

#include <iterator>

#include "c/convert.hpp"
#include "c/status.hpp"

using namespace carbo::internal::c;

extern "C" {

int32_t carbo_version(void) { return CARBO_VERSION; }

const char* carbo_cuda_build(void) { return CARBO_C_CUDA_STATUS; }

const char* carbo_status_name(carbo_status status) {
  static const char* const names[] = {"CARBO_OK",
                                      "CARBO_NULL_POINTER",
                                      "CARBO_NOT_DEVICE_MEMORY",
                                      "CARBO_NOT_HOST_MEMORY",
                                      "CARBO_OTHER_DEVICE",
                                      "CARBO_MISALIGNED",
                                      "CARBO_OVERLAPPING",
                                      "CARBO_LEADING_DIMENSION",
                                      "CARBO_SHAPE",
                                      "CARBO_NOT_FINITE",
                                      "CARBO_OUT_OF_RANGE",
                                      "CARBO_INVALID_OPTIONS",
                                      "CARBO_INVALID_OBSERVATION",
                                      "CARBO_UNKNOWN_SUGGESTION",
                                      "CARBO_NUMERICAL_ERROR",
                                      "CARBO_UNAVAILABLE",
                                      "CARBO_OUT_OF_MEMORY",
                                      "CARBO_OUT_OF_HOST_MEMORY",
                                      "CARBO_DEVICE_ERROR",
                                      "CARBO_CONCURRENT_CALL",
                                      "CARBO_INVALID_HANDLE",
                                      "CARBO_STRUCT_VERSION",
                                      "CARBO_INTERNAL_ERROR",
                                      "CARBO_INVALID_SPACE",
                                      "CARBO_INVALID_POOL",
                                      "CARBO_INVALID_CONFIGURATION",
                                      "CARBO_INVALID_STATE"};
  static_assert(std::size(names) == CARBO_INVALID_STATE + 1);
  return status >= 0 && status < static_cast<carbo_status>(std::size(names)) ? names[status] : "unknown status";
}

carbo_status carbo_message(char* buffer, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&] { copy_text(last_failure(), buffer, capacity, length); });
}

carbo_status carbo_selector_options_init(carbo_selector_options* options, uint64_t struct_size) {
  return guarded(__func__, [&] {
    require_pointer(options, "options");
    require_struct_size(struct_size, sizeof *options, "options");
    const carbo::SelectorOptions defaults;
    *options = {};
    options->struct_size = sizeof *options;
    options->noise_floor = defaults.surrogate.noise_floor;
    options->restarts = static_cast<int64_t>(defaults.surrogate.restarts);
    options->max_points = static_cast<int64_t>(defaults.surrogate.max_points);
    options->cost_model = static_cast<carbo_cost_model>(defaults.cost.model);
    options->cost_weight = static_cast<carbo_cost_weight>(defaults.cost.weight);
    options->cost_noise_floor = defaults.cost.surrogate.noise_floor;
    options->cost_restarts = static_cast<int64_t>(defaults.cost.surrogate.restarts);
    options->cost_max_points = static_cast<int64_t>(defaults.cost.surrogate.max_points);
    options->fantasies = static_cast<int64_t>(defaults.fantasies.count);
    options->device = defaults.backend.device;
  });
}

carbo_status carbo_pick_request_init(carbo_pick_request* request, uint64_t struct_size) {
  return guarded(__func__, [&] {
    require_pointer(request, "request");
    require_struct_size(struct_size, sizeof *request, "request");
    const carbo::PickRequest defaults;
    *request = {};
    request->struct_size = sizeof *request;
    request->count = static_cast<int64_t>(defaults.count);
    request->alpha = defaults.alpha;
    request->cost_limit = defaults.cost_limit;
    request->acquisition = static_cast<carbo_acquisition>(defaults.acquisition);
#define CARBO_COPY(name, standard, lowest, highest) request->name = defaults.acquisition_parameters.name;
    CARBO_ACQUISITION_PARAMETERS(CARBO_COPY)
#undef CARBO_COPY
  });
}

carbo_status carbo_cooling_exponent(double budget, double spent, double spent_at_design_end, double* alpha) {
  return guarded(__func__, [&] {
    require_pointer(alpha, "alpha");
    *alpha = carbo::cooling_exponent(budget, spent, spent_at_design_end);
  });
}

}  // extern "C"
