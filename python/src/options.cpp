#include "options.hpp"

#include <algorithm>
#include <span>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <carbo/error.hpp>

#include "callables.hpp"
#include "engine/options_tree.hpp"
#include "engine/time_unit.hpp"
#include "module.hpp"
#include "program/file/amount.hpp"
#include "python_tree.hpp"
#include "support/edits.hpp"
#include "support/text.hpp"

namespace carbo::python {
namespace {

using internal::Tree;

/// The name with the fewest letters changed; all of them where none is near.
std::string meant(const std::string& word, std::span<const std::string> names) {
  const auto edits = [&](const std::string& name) { return internal::edits_between(word, name); };
  const auto best = std::ranges::min_element(names, {}, edits);
  if (best != names.end() && edits(*best) <= std::max<std::size_t>(1, word.size() / 3))
    return internal::text("; did you mean '", *best, "'?");
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "; known are " : ", ") + name;
  return all;
}

/// Of names with dots those inside a group, without it and without what is further inside, each once.
std::vector<std::string> names_inside(std::span<const std::string> names, const std::string& group) {
  std::vector<std::string> inside;
  for (const std::string& name : names) {
    if (!name.starts_with(group)) continue;
    const std::string rest = name.substr(group.size());
    const std::string first = rest.substr(0, rest.find('.'));
    if (std::ranges::find(inside, first) == inside.end()) inside.push_back(first);
  }
  return inside;
}

void refuse_unread_inside(const Tree& tree, std::span<const std::string> names, const std::string& group) {
  const auto* const members = std::get_if<Tree::Object>(&tree.value());
  if (members == nullptr) return;
  for (const Tree::Member& member : *members) {
    if (!member.read)
      throw InvalidOptions(internal::text("there is no setting '", group, member.key, "'",
                                          meant(member.key, names_inside(names, group))));
    refuse_unread_inside(member.value, names, group + member.key + ".");
  }
}

/// "/group/name: what" as "group.name: what".
std::string dotted(const std::string& message) {
  std::string words = message;
  const std::size_t end = std::min(words.find(": "), words.size());
  if (!words.starts_with('/')) return words;
  std::replace(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end), '/', '.');
  return words.substr(1);
}

/// What a tree cannot hold comes beside it.
struct OptionParts {
  std::vector<CostFeature> features;
  std::optional<Quantity> known, known_part;
  std::vector<std::vector<double>> points;
  std::shared_ptr<const Pool> pool;
};

Options make_options(const Space& space, nb::handle settings, const OptionParts& parts) {
  const Tree tree = to_tree(settings, "");
  const RestoreOptions none;
  internal::GivenAgain given{none};
  Options options;
  try {
    options = internal::read_options(internal::TreeReader(tree), space, given);
  } catch (const InvalidState& error) {
    throw InvalidOptions(dotted(error.what()));
  }
  refuse_unread_settings(tree, internal::option_names());
  options.cost.features = parts.features;
  options.cost.known = parts.known;
  options.cost.known_part = parts.known_part;
  for (const std::vector<double>& numbers : parts.points)
    options.design.points.push_back(space.configuration(numbers));
  options.candidates.pool = parts.pool;
  return options;
}

std::vector<Quantity> to_quantities(nb::handle values, const std::string& place) {
  std::vector<Quantity> all;
  for (const nb::handle value : nb::list(values))
    all.push_back(to_quantity(value, internal::text(place, "[", all.size(), "]")));
  return all;
}

std::optional<Quantity> to_optional_quantity(nb::handle value, const std::string& place) {
  if (value.is_none()) return std::nullopt;
  return to_quantity(value, place);
}

std::vector<CostFeature> make_mlp_features(const nb::dict& shape) {
  return mlp_features({.layers = to_quantities(shape["layers"], "layers"),
                       .epochs = to_quantity(shape["epochs"], "epochs"),
                       .batch_size = to_optional_quantity(shape["batch_size"], "batch_size")});
}

std::vector<CostFeature> make_cnn_features(const nb::dict& shape) {
  const auto one = [&](const char* key) { return to_quantity(shape[key], key); };
  const auto list = [&](const char* key) { return to_quantities(shape[key], key); };
  return cnn_features({.image_size = one("image_size"),
                       .colours = one("colours"),
                       .kernel_size = one("kernel_size"),
                       .channels = list("channels"),
                       .pooling = list("pooling"),
                       .dense = list("dense"),
                       .epochs = one("epochs"),
                       .batch_size = to_optional_quantity(shape["batch_size"], "batch_size")});
}

void bind_parts(nb::module_& module) {
  nb::class_<CostFeature>(module, "CostFeature")
      .def("__init__",
           [](CostFeature* self, nb::str name, nb::object value, bool work, const std::string& place) {
             new (self) CostFeature{to_text(name), to_quantity(value, place), work};
           })
      .def_prop_ro("name", [](const CostFeature& feature) { return to_python(feature.name); })
      .def_ro("work", &CostFeature::work);
  module.def("mlp_features", make_mlp_features);
  module.def("cnn_features", make_cnn_features);
  nb::class_<OptionParts>(module, "OptionParts")
      .def(nb::init<>())
      .def_rw("features", &OptionParts::features)
      .def_rw("points", &OptionParts::points)
      .def("set_known", [](OptionParts& parts, nb::object value) { parts.known = to_quantity(value, "cost.known"); })
      .def("set_known_part",
           [](OptionParts& parts, nb::object value) { parts.known_part = to_quantity(value, "cost.known_part"); })
      .def("set_pool", [](OptionParts& parts, const Pool& pool) { parts.pool = std::make_shared<const Pool>(pool); });
}

}  // namespace

Quantity to_quantity(nb::handle value, const std::string& place) {
  if (nb::isinstance<nb::str>(value)) return Quantity(to_text(value));
  if (PyCallable_Check(value.ptr()) != 0) {
    return Quantity([call = NumbersCallable(nb::borrow(value))](const Configuration& configuration) {
      return call.call<double>(configuration);
    });
  }
  if (PySequence_Check(value.ptr()) != 0) {
    std::vector<double> column;
    if (nb::try_cast(value, column)) return Quantity::pool_column(std::move(column));
  }
  const double number = nb::isinstance<nb::bool_>(value) ? -1 : PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr && !nb::isinstance<nb::bool_>(value)) return Quantity(number);
  PyErr_Clear();
  throw InvalidOptions(internal::text(
      place, " is ", nb::repr(value).c_str(),
      "; give a number, arithmetic over parameters as text, a callable, or one number ", "a row of the pool"));
}

void refuse_unread_settings(const Tree& settings, std::span<const std::string> names) {
  refuse_unread_inside(settings, names, "");
}

void bind_options(nb::module_& module) {
  bind_parts(module);
  nb::class_<Options>(module, "Options")
      .def("__init__", [](Options* self, const Space& space, nb::object settings,
                          const OptionParts& parts) { new (self) Options(make_options(space, settings, parts)); })
      .def("tree", [](const Options& options) { return to_python(internal::tree_of(options)); })
      .def_ro("budget", &Options::budget)
      .def_ro("batch_size", &Options::batch_size);
  module.def("option_names", [] {
    nb::list names;
    for (const std::string& name : internal::option_names()) names.append(to_python(name));
    return names;
  });
  module.def("parse_amount", [](nb::str words) {
    std::string fault;
    const auto amount = program::parse_amount(to_text(words), fault);
    if (!amount) throw InvalidOptions("budget " + fault);
    return nb::make_tuple(amount->number, to_python(amount->unit));
  });
  module.def("counts_evaluations", [](nb::str unit) { return program::counts_evaluations(to_text(unit)); });
  module.def("seconds_per_unit", [](nb::str unit) { return internal::seconds_per_unit(to_text(unit)); });
}

}  // namespace carbo::python
