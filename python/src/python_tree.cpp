#include "python_tree.hpp"

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::python {

using internal::Tree;

namespace {

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool truth) const { return nb::bool_(truth); }
  nb::object operator()(std::uint64_t whole) const { return nb::int_(whole); }
  nb::object operator()(double number) const { return nb::float_(number); }
  nb::object operator()(const std::string& text) const { return to_python(text); }
  nb::object operator()(const Tree::Array& elements) const {
    nb::list all;
    for (const Tree& element : elements) all.append(to_python(element));
    return all;
  }
  nb::object operator()(const Tree::Object& members) const {
    nb::dict all;
    for (const Tree::Member& member : members) all[to_python(member.key)] = to_python(member.value);
    return all;
  }
};

/// Whole numbers below 0 are doubles in a tree, as JSON has but one kind of number.
Tree whole_tree(nb::handle value, const std::string& place) {
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  const unsigned long long unsigned_value = PyLong_AsUnsignedLongLong(whole.ptr());
  if (PyErr_Occurred() == nullptr) return Tree(static_cast<std::uint64_t>(unsigned_value));
  PyErr_Clear();
  const double number = PyLong_AsDouble(whole.ptr());
  if (PyErr_Occurred() == nullptr) return Tree(number);
  PyErr_Clear();
  throw InvalidOptions(internal::text(place, " is a whole number that no setting can hold"));
}

Tree object_tree(nb::handle value, const std::string& place) {
  Tree tree = Tree::object();
  for (const nb::handle pair : nb::list(value.attr("items")())) {
    const nb::object key = pair[0];
    if (!nb::isinstance<nb::str>(key))
      throw InvalidOptions(internal::text(place, " has a key that is no text: ", nb::repr(key).c_str()));
    const std::string name = to_text(key);
    tree.set(name, to_tree(pair[1], place.empty() ? name : place + "." + name));
  }
  return tree;
}

}  // namespace

nb::str to_python(const std::string& text) {
  PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

nb::object to_python(const Tree& tree) { return std::visit(ToPython{}, tree.value()); }

std::string to_text(nb::handle text) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  const auto view = nb::borrow<nb::bytes>(bytes);
  return std::string(view.c_str(), view.size());
}

Tree to_tree(nb::handle value, const std::string& place) {
  if (value.is_none()) return Tree();
  if (nb::isinstance<nb::bool_>(value)) return Tree(value.ptr() == Py_True);
  if (nb::isinstance<nb::str>(value)) return Tree(to_text(value));
  if (nb::isinstance<nb::float_>(value)) return Tree(nb::cast<double>(value));
  if (PyIndex_Check(value.ptr()) != 0) return whole_tree(value, place);
  if (nb::hasattr(value, "items")) return object_tree(value, place);
  if (PySequence_Check(value.ptr()) != 0) {
    Tree::Array all;
    for (const nb::handle element : nb::list(value))
      all.push_back(to_tree(element, internal::text(place, "[", all.size(), "]")));
    return Tree(std::move(all));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr) return Tree(number);
  PyErr_Clear();
  throw InvalidOptions(internal::text(place, " is ", nb::repr(value).c_str(),
                                      "; give a number, a text, True, False, ", "None, or a list or dict of these"));
}

}  // namespace carbo::python
