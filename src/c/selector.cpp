// The selector of carbo.h: each function converts its arguments, makes one call and keeps what was thrown inside.

#include <algorithm>
#include <utility>

#include "c/c_names.hpp"
#include "c/convert.hpp"
#include "c/handles.hpp"
#include "support/text.hpp"

using namespace carbo::internal::c;

namespace {

void write_report(const carbo::SelectorFit& fit, carbo_fit_report& report) {
  report.cost_model = static_cast<carbo_cost_model>(fit.cost_model);
  report.transform = static_cast<carbo_transform>(fit.transform);
  report.observations = static_cast<int64_t>(fit.observations);
  report.points = static_cast<int64_t>(fit.objective_points.known);
  report.points_used = static_cast<int64_t>(fit.objective_points.used);
  report.cost_points = static_cast<int64_t>(fit.cost_points.known);
  report.cost_points_used = static_cast<int64_t>(fit.cost_points.used);
  report.signal_variance = fit.objective.signal_variance;
  report.noise_variance = fit.objective.noise_variance;
  report.objective_jitter = fit.objective_jitter;
  report.cost_jitter = fit.cost_jitter;
  report.seconds = fit.seconds;
  if (report.lengthscales != nullptr)
    std::copy(fit.objective.lengthscales.begin(), fit.objective.lengthscales.end(), report.lengthscales);
}

/// Before the fit: one that cannot be reported would be lost.
void check_report(const carbo_fit_report& report, std::size_t columns) {
  require_struct_size(report.struct_size, sizeof report, "report");
  if (report.lengthscales != nullptr && report.lengthscale_room < static_cast<int64_t>(columns))
    throw Refusal(CARBO_SHAPE, carbo::internal::text("report.lengthscale_room is ", report.lengthscale_room,
                                                     "; give room for one a column, of which there are ", columns));
}

}  // namespace

extern "C" {

carbo_status carbo_selector_create(const carbo_selector_options* options, carbo_selector** selector) {
  return guarded(__func__, [&] {
    require_pointer(selector, "selector");
    *selector = nullptr;
    carbo::SelectorOptions converted = selector_options(options);
    const std::size_t columns = converted.columns;
    *selector =
        add_handle(Held<carbo_selector>{carbo::Selector(std::move(converted), device_resources(*options)), columns});
  });
}

carbo_status carbo_selector_destroy(carbo_selector* selector) {
  return guarded(__func__, [&] { remove_handle(selector); });
}

carbo_status carbo_selector_message(carbo_selector* selector, char* buffer, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&] { copy_text(handle_message(selector), buffer, capacity, length); });
}

carbo_status carbo_selector_backend_reason(carbo_selector* selector, char* buffer, int64_t capacity,
                                           int64_t* length) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    copy_text(in_c_names(call.selector.backend_reason()), buffer, capacity, length);
  });
}

carbo_status carbo_selector_set_pool(carbo_selector* selector, const carbo_matrix* rows, const carbo_vector* costs) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    call.selector.set_pool({.rows = matrix(rows, "rows"), .costs = vector_or_none(costs, "costs")});
  });
}

carbo_status carbo_selector_append_points(carbo_selector* selector, const carbo_matrix* points,
                                          const carbo_vector* objectives, const carbo_vector* costs) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    call.selector.append({.points = matrix(points, "points"),
                          .objectives = vector(objectives, "objectives"),
                          .costs = vector_or_none(costs, "costs")});
  });
}

carbo_status carbo_selector_append_rows(carbo_selector* selector, const carbo_indices* rows,
                                        const carbo_vector* objectives, const carbo_vector* costs) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    call.selector.append({.rows = indices(rows, "rows"),
                          .objectives = vector(objectives, "objectives"),
                          .costs = vector_or_none(costs, "costs")});
  });
}

carbo_status carbo_selector_fit(carbo_selector* selector, carbo_fit_report* report) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    if (report != nullptr) check_report(*report, call.columns);
    const carbo::SelectorFit fit = call.selector.fit();
    if (report != nullptr) write_report(fit, *report);
  });
}

carbo_status carbo_selector_suggest(carbo_selector* selector, const carbo_pick_request* request,
                                    const carbo_index_room* rows, const carbo_vector_room* scores, int64_t* written) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    require_pointer(written, "written");
    const carbo::PickOutput output{.rows = index_room(rows, "rows"), .scores = vector_room_or_none(scores, "scores")};
    *written = static_cast<int64_t>(call.selector.suggest(pick_request(request), output));
  });
}

carbo_status carbo_selector_design(carbo_selector* selector, const carbo_pick_request* request,
                                   const carbo_index_room* rows, int64_t* written) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    require_pointer(written, "written");
    const carbo::PickOutput output{.rows = index_room(rows, "rows")};
    *written = static_cast<int64_t>(call.selector.design(pick_request(request), output));
  });
}

carbo_status carbo_selector_scores(carbo_selector* selector, const carbo_pick_request* request,
                                   const carbo_vector_room* scores) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    call.selector.scores(request_without_count(request), vector_room(scores, "scores"));
  });
}

carbo_status carbo_selector_withdraw(carbo_selector* selector, const carbo_indices* rows) {
  return handle_call(selector, __func__,
                     [&](Held<carbo_selector>& call) { call.selector.withdraw(indices(rows, "rows")); });
}

carbo_status carbo_selector_get_info(carbo_selector* selector, carbo_selector_info* info) {
  return handle_call(selector, __func__, [&](Held<carbo_selector>& call) {
    require_pointer(info, "info");
    require_struct_size(info->struct_size, sizeof *info, "info");
    const carbo::Selector& from = call.selector;
    info->on_device = from.on_device() ? 1 : 0;
    info->pool_size = static_cast<int64_t>(from.pool_size());
    info->available = static_cast<int64_t>(from.available());
    info->running = static_cast<int64_t>(from.running());
    info->observations = static_cast<int64_t>(from.observations());
  });
}

}  // extern "C"
