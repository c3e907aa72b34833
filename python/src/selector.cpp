#include <carbo/selector.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "gp/surrogate_state.hpp"
#include "guarded.hpp"
#include "python_tree.hpp"
#include "records.hpp"
#include "support/tree_reader.hpp"

namespace carbo::python {
namespace {

using internal::Tree;
using internal::TreeReader;

/// A selector, and the arrays of its pool, which are borrowed where they lie on its device.
class SelectorHandle {
 public:
  SelectorHandle(carbo::Selector selector, std::optional<std::uintptr_t> stream)
      : selector_(std::move(selector), "selector"), stream_(stream) {}

  template <class Call>
  auto call(const Call& call) {
    return selector_.call(call);
  }
  /// Seen until the end of the call.
  std::optional<Tensor> tensor(nb::handle array) const {
    if (array.is_none()) return std::nullopt;
    return Tensor(array, stream_);
  }
  void set_pool(nb::handle rows, nb::handle costs) {
    std::optional<Tensor> matrix = tensor(rows), values = tensor(costs);
    const SelectorPool pool{matrix.value().matrix(), values ? values->values() : VectorRef{}};
    call([&](carbo::Selector& selector) { selector.set_pool(pool); });
    rows_ = std::move(matrix);
  }

 private:
  Guarded<carbo::Selector> selector_;
  std::optional<std::uintptr_t> stream_;
  std::optional<Tensor> rows_;
};

/// `options` are an optimizer's; of what a selector has by default otherwise, those named in `given` count.
SelectorOptions selector_options(std::size_t columns, const Options& options, const std::vector<std::string>& given,
                                 bool allow_repeats) {
  const SelectorOptions standard;
  const auto is_given = [&](const char* name) { return std::ranges::find(given, name) != given.end(); };
  SelectorOptions made{.columns = columns,
                       .goal = options.goal,
                       .seed = options.seed,
                       .transform = is_given("transform") ? options.transform : standard.transform,
                       .incumbent = is_given("incumbent") ? options.incumbent : standard.incumbent,
                       .allow_repeats = allow_repeats,
                       .surrogate = options.surrogate,
                       .cost = options.cost,
                       .fantasies = options.fantasies,
                       .backend = options.backend};
  if (!is_given("cost.model")) made.cost.model = standard.cost.model;
  return made;
}

/// Settings of one pick, by name.
PickRequest pick_request(std::size_t count, double alpha, double cost_limit, const nb::str& acquisition,
                         const nb::dict& parameters) {
  PickRequest request{.count = count, .alpha = alpha, .cost_limit = cost_limit};
  const Tree name(to_text(acquisition)), numbers = to_tree(parameters, "acquisition_parameters");
  try {
    request.acquisition = TreeReader(name, "acquisition").as<Acquisition>();
    const TreeReader reader(numbers, "acquisition_parameters");
#define CARBO_READ(member, standard, lowest, highest) reader.read(#member, request.acquisition_parameters.member);
    CARBO_ACQUISITION_PARAMETERS(CARBO_READ)
#undef CARBO_READ
    internal::refuse_unread(numbers);
  } catch (const InvalidState& error) {
    throw InvalidOptions(error.what());
  }
  return request;
}

using Pick = std::size_t (carbo::Selector::*)(const PickRequest&, const PickOutput&);

template <Pick pick>
std::size_t pick_into(SelectorHandle& handle, const PickRequest& request, nb::object rows, nb::object scores) {
  const std::optional<Tensor> index_room = handle.tensor(rows), score_room = handle.tensor(scores);
  const PickOutput output{index_room.value().index_room(), score_room ? score_room->room() : MutableVectorRef{}};
  return handle.call([&](carbo::Selector& selector) { return (selector.*pick)(request, output); });
}

void append(SelectorHandle& handle, nb::object points, nb::object rows, nb::object objectives, nb::object costs) {
  const std::optional<Tensor> matrix = handle.tensor(points), indices = handle.tensor(rows),
                              values = handle.tensor(objectives), paid = handle.tensor(costs);
  Observations seen;
  if (matrix) seen.points = matrix->matrix();
  if (indices) seen.rows = indices->indices();
  if (values) seen.objectives = values->values();
  if (paid) seen.costs = paid->values();
  handle.call([&](carbo::Selector& selector) { selector.append(seen); });
}

/// In memory of its own: NumPy's view of it on the host, on a device anything that takes DLPack.
nb::object scores(SelectorHandle& handle, const PickRequest& request) {
  auto* const owned = new OwnedVector(
      handle.call([&](carbo::Selector& selector) { return selector.scores(request, Scalar::float64); }));
  const nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<OwnedVector*>(held); });
  const std::size_t shape[] = {owned->size};
  if (owned->memory == Memory::host)
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(owned->data.get(), 1, shape, owner));
  return nb::cast(nb::ndarray<nb::array_api, double, nb::ndim<1>>(
      owned->data.get(), 1, shape, owner, nullptr, nb::dtype<double>(), nb::device::cuda::value, owned->device));
}

nb::dict fit_record(SelectorHandle& handle) {
  const SelectorFit fit = handle.call([](carbo::Selector& selector) { return selector.fit(); });
  nb::dict record;
  record["observations"] = fit.observations;
  record["objective_points"] = record_of(fit.objective_points);
  record["cost_points"] = record_of(fit.cost_points);
  record["hyperparameters"] = to_python(internal::tree_of(fit.objective));
  record["transform"] = to_string(fit.transform);
  record["cost_model"] = to_string(fit.cost_model);
  record["objective_jitter"] = fit.objective_jitter;
  record["cost_jitter"] = fit.cost_jitter;
  record["seconds"] = fit.seconds;
  return record;
}

/// How an array is seen: address, element type, place, order, rows, columns, elements from one row or column to the
/// next.
nb::tuple matrix_view(nb::object array) {
  const Tensor tensor(array, std::nullopt);
  const MatrixRef seen = tensor.matrix();
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(seen.data), to_string(seen.scalar), to_string(seen.memory),
                        to_string(seen.order), seen.rows, seen.columns, seen.leading_dimension);
}

template <auto member>
auto asked(SelectorHandle& handle) {
  return handle.call([](const carbo::Selector& selector) { return (selector.*member)(); });
}

}  // namespace

void bind_selector(nb::module_& module) {
  module.def("array_device", [](nb::object array) {
    const auto [kind, number] = device_of(array);
    return nb::make_tuple(kind, number);
  });
  module.def("matrix_view", matrix_view);
  module.def("cooling_exponent", cooling_exponent);
  nb::class_<PickRequest>(module, "PickRequest")
      .def("__init__", [](PickRequest* self, std::size_t count, double alpha, double cost_limit, nb::str acquisition,
                          const nb::dict& parameters) {
        new (self) PickRequest(pick_request(count, alpha, cost_limit, acquisition, parameters));
      });
  nb::class_<SelectorHandle>(module, "Selector")
      .def(
          "__init__",
          [](SelectorHandle* self, std::size_t columns, const Options& options, const std::vector<std::string>& given,
             bool allow_repeats, std::optional<std::uintptr_t> stream) {
            SelectorOptions settings = selector_options(columns, options, given, allow_repeats);
            DeviceResources resources;
            if (stream) resources.stream = reinterpret_cast<void*>(*stream);
            auto made = [&] {
              const nb::gil_scoped_release free;
              return carbo::Selector(std::move(settings), resources);
            }();
            new (self) SelectorHandle(std::move(made), stream);
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("set_pool", &SelectorHandle::set_pool, nb::arg(), nb::arg().none())
      .def("append", append, nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none())
      .def("fit", fit_record)
      .def("suggest", pick_into<&carbo::Selector::suggest>, nb::arg(), nb::arg(), nb::arg().none())
      .def("design", pick_into<&carbo::Selector::design>, nb::arg(), nb::arg(), nb::arg().none())
      .def("scores", scores)
      .def("scores_into",
           [](SelectorHandle& handle, const PickRequest& request, nb::object room) {
             const std::optional<Tensor> tensor = handle.tensor(room);
             const MutableVectorRef values = tensor.value().room();
             handle.call([&](carbo::Selector& selector) { selector.scores(request, values); });
           })
      .def("withdraw",
           [](SelectorHandle& handle, nb::object rows) {
             const std::optional<Tensor> tensor = handle.tensor(rows);
             const IndexRef indices = tensor.value().indices();
             handle.call([&](carbo::Selector& selector) { selector.withdraw(indices); });
           })
      .def("pool_size", asked<&carbo::Selector::pool_size>)
      .def("available", asked<&carbo::Selector::available>)
      .def("running", asked<&carbo::Selector::running>)
      .def("observations", asked<&carbo::Selector::observations>)
      .def("on_device", asked<&carbo::Selector::on_device>)
      .def("backend_reason", [](SelectorHandle& handle) {
        return to_python(handle.call([](const carbo::Selector& selector) { return selector.backend_reason(); }));
      });
}

}  // namespace carbo::python
