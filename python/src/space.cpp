#include <map>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <carbo/space.hpp>

#include "callables.hpp"
#include "module.hpp"
#include "python_tree.hpp"
#include "space/space_tree.hpp"
#include "support/text.hpp"

namespace carbo::python {
namespace {

using internal::Tree;

std::vector<std::string> texts(const nb::list& labels) {
  std::vector<std::string> all;
  for (const nb::handle label : labels) all.push_back(to_text(label));
  return all;
}

Value to_value(nb::handle value, const std::string& name) {
  if (nb::isinstance<nb::str>(value)) return to_text(value);
  if (PyIndex_Check(value.ptr()) != 0 && !nb::isinstance<nb::bool_>(value)) {
    const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
    const long long number = PyLong_AsLongLong(whole.ptr());
    if (PyErr_Occurred() == nullptr) return static_cast<std::int64_t>(number);
    PyErr_Clear();
  } else if (!nb::isinstance<nb::bool_>(value)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) return number;
    PyErr_Clear();
  }
  throw InvalidConfiguration(
      internal::text("'", name, "' is ", nb::repr(value).c_str(), "; give a number or one of its categories"));
}

using PoolArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple numbers_of(const Space& space, const nb::dict& values) {
  std::map<std::string, Value> all;
  for (const auto [key, value] : values) {
    const std::string name = to_text(nb::str(key));
    all.emplace(name, to_value(value, name));
  }
  return to_tuple(space.configuration(all).numbers());
}

nb::list parameter_list(const Space& space) {
  const Tree tree = internal::tree_of(space);
  return nb::cast<nb::list>(to_python(tree)["parameters"]);
}

nb::list constraint_names(const Space& space) {
  nb::list names;
  for (const std::string& name : space.constraint_names()) names.append(to_python(name));
  return names;
}

}  // namespace

void bind_space(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter").def("log", &Parameter::log);
  module.def("real", [](nb::str name, double lower, double upper) { return real(to_text(name), lower, upper); });
  module.def("integer", [](nb::str name, std::int64_t lower, std::int64_t upper) {
    return integer(to_text(name), lower, upper);
  });
  module.def("categorical", [](nb::str name, nb::list labels) { return categorical(to_text(name), texts(labels)); });
  module.def("ordinal", [](nb::str name, nb::list labels) { return ordinal(to_text(name), texts(labels)); });
  module.def("discrete",
             [](nb::str name, std::vector<double> values) { return discrete(to_text(name), std::move(values)); });
  nb::class_<Space>(module, "Space")
      .def(nb::init<std::vector<Parameter>>())
      .def("constrain",
           [](Space& space, nb::object allowed, nb::object description) {
             space.constrain([call = NumbersCallable(std::move(allowed))](
                                 const Configuration& configuration) { return call.call<bool>(configuration); },
                             to_text(description));
           })
      .def("parameters", parameter_list)
      .def("constraint_names", constraint_names)
      .def("numbers", numbers_of)
      .def("check",
           [](const Space& space, const std::vector<double>& numbers) {
             return to_tuple(space.configuration(numbers).numbers());
           })
      .def("violated",
           [](const Space& space, const std::vector<double>& numbers) {
             return to_python(space.violated(space.configuration(numbers)));
           })
      .def("encode", [](const Space& space,
                        const std::vector<double>& numbers) { return space.encode(space.configuration(numbers)); })
      .def("decode", [](const Space& space,
                        const std::vector<double>& encoded) { return to_tuple(space.decode(encoded).numbers()); })
      .def("from_unit",
           [](const Space& space, const std::vector<double>& unit) {
             std::vector<double> numbers(space.parameters().size());
             if (unit.size() != numbers.size())
               throw InvalidConfiguration(internal::text("there are ", unit.size(), " coordinates; the space has ",
                                                         numbers.size(), " parameters"));
             space.from_unit(unit, numbers);
             return to_tuple(numbers);
           })
      .def_prop_ro("cardinality", &Space::cardinality)
      .def_prop_ro("encoded_columns", &Space::encoded_columns);
  nb::class_<Pool>(module, "Pool")
      .def("__init__",
           [](Pool* self, const Space& space, const PoolArray& rows) {
             if (rows.shape(1) != space.parameters().size())
               throw InvalidPool(internal::text("the pool has ", rows.shape(1), " columns; the space has ",
                                                space.parameters().size(), " parameters"));
             new (self) Pool(space, {rows.data(), rows.size()}, rows.shape(0));
           })
      .def("__len__", &Pool::size)
      .def("row", [](const Pool& pool, std::size_t index) { return to_tuple(pool.row(index)); });
  module.def("map_pool", [](const Space& space, const std::string& file) { return Pool::map(space, file); });
}

}  // namespace carbo::python
