#include <cstddef>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/enumerators.hpp"
#include "c/status.hpp"
#include "gp/fit.hpp"
#include "support/text.hpp"

namespace carbo::internal::c {
namespace {

std::vector<CostFeature> features(const carbo_selector_options& options) {
  const std::size_t size = count(options.cost_feature_count, "cost_feature_count");
  if (size > 0) require_pointer(options.cost_features, "cost_features");
  std::vector<CostFeature> converted;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = text("cost_features[", i, "]");
    require_pointer(options.cost_features[i], name.c_str());
    const bool is_work = options.cost_feature_is_work != nullptr &&
                         flag(options.cost_feature_is_work[i], text("cost_feature_is_work[", i, "]").c_str());
    const Quantity value(options.cost_features[i]);
    converted.push_back(is_work ? work(value) : feature(value));
  }
  return converted;
}

CostOptions cost_options(const carbo_selector_options& options) {
  CostOptions cost;
  cost.model = enumerated(options.cost_model, last_cost_model, "cost_model");
  cost.weight = enumerated(options.cost_weight, last_cost_weight, "cost_weight");
  cost.robust = flag(options.cost_robust, "cost_robust");
  cost.surrogate.noise_floor = options.cost_noise_floor;
  cost.surrogate.restarts = count(options.cost_restarts, "cost_restarts", 1);
  cost.surrogate.max_points = count(options.cost_max_points, "cost_max_points", least_max_points);
  cost.features = features(options);
  if (options.known_cost != nullptr) cost.known = options.known_cost;
  if (options.known_cost_part != nullptr) cost.known_part = options.known_cost_part;
  return cost;
}

class CallbackAllocator final : public DeviceAllocator {
 public:
  CallbackAllocator(carbo_allocate allocate, carbo_release release, void* state)
      : allocate_(allocate), release_(release), state_(state) {}
  void* allocate(std::size_t bytes, void* stream) override { return allocate_(state_, bytes, stream); }
  void release(void* memory, std::size_t bytes, void* stream) noexcept override {
    release_(state_, memory, bytes, stream);
  }

 private:
  carbo_allocate allocate_;
  carbo_release release_;
  void* state_;
};

}  // namespace

SelectorOptions selector_options(const carbo_selector_options* given) {
  require_pointer(given, "options");
  require_struct_size(given->struct_size, sizeof *given, "options");
  SelectorOptions options;
  options.columns = count(given->columns, "columns", 1);
  options.goal = enumerated(given->goal, last_goal, "goal");
  options.seed = given->seed;
  options.transform = enumerated(given->transform, last_transform, "transform");
  options.incumbent = enumerated(given->incumbent, last_incumbent, "incumbent");
  options.allow_repeats = flag(given->allow_repeats, "allow_repeats");
  options.surrogate.noise_floor = given->noise_floor;
  options.surrogate.restarts = count(given->restarts, "restarts", 1);
  options.surrogate.max_points = count(given->max_points, "max_points", least_max_points);
  options.cost = cost_options(*given);
  options.fantasies.count = count(given->fantasies, "fantasies", 1);
  options.fantasies.mode = enumerated(given->fantasy_mode, last_fantasy_mode, "fantasy_mode");
  options.backend.kind = enumerated(given->backend, last_backend, "backend");
  options.backend.threads = count(given->threads, "threads");
  options.backend.memory_bytes = count(given->memory_bytes, "memory_bytes");
  options.backend.device = given->device;
  return options;
}

DeviceResources device_resources(const carbo_selector_options& options) {
  DeviceResources resources;
  if (flag(options.use_stream, "use_stream"))
    resources.stream = options.stream;
  else if (options.stream != nullptr)
    throw InvalidOptions("stream is given, but use_stream is 0; set it to 1, or leave the stream null");
  if ((options.allocate == nullptr) != (options.release == nullptr))
    throw InvalidOptions("of allocate and release one is null; give both or none");
  if (options.allocate != nullptr)
    resources.allocator =
        std::make_shared<CallbackAllocator>(options.allocate, options.release, options.allocator_state);
  return resources;
}

PickRequest pick_request(const carbo_pick_request* request) {
  PickRequest converted = request_without_count(request);
  converted.count = count(request->count, "count", 1);
  return converted;
}

PickRequest request_without_count(const carbo_pick_request* request) {
  require_pointer(request, "request");
  require_struct_size(request->struct_size, sizeof *request, "request");
  PickRequest converted{.alpha = request->alpha, .cost_limit = request->cost_limit};
  converted.acquisition = enumerated(request->acquisition, last_acquisition, "acquisition");
#define CARBO_COPY(name, standard, lowest, highest) converted.acquisition_parameters.name = request->name;
  CARBO_ACQUISITION_PARAMETERS(CARBO_COPY)
#undef CARBO_COPY
  return converted;
}

}  // namespace carbo::internal::c
