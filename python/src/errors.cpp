#include "module.hpp"

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "python_tree.hpp"

namespace carbo::python {
namespace {

template <class Type>
bool is_a(const std::exception& error) {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

struct Known {
  const char* name;  ///< of the class in carbo/_errors.py
  bool (*is)(const std::exception&);
};

/// Derived ones before their bases.
constexpr Known known[] = {
    {"InvalidSpace", is_a<InvalidSpace>},
    {"InvalidOptions", is_a<InvalidOptions>},
    {"InvalidPool", is_a<InvalidPool>},
    {"InvalidConfiguration", is_a<InvalidConfiguration>},
    {"InvalidObservation", is_a<InvalidObservation>},
    {"UnknownSuggestion", is_a<UnknownSuggestion>},
    {"InvalidState", is_a<InvalidState>},
    {"NumericalError", is_a<NumericalError>},
    {"BackendUnavailable", is_a<BackendUnavailable>},
    {"OutOfMemory", is_a<OutOfMemory>},
    {"DeviceError", is_a<DeviceError>},
    {"InvalidArray", is_a<InvalidArray>},
    {"ConcurrentCall", is_a<ConcurrentCall>},
    {"StorageError", is_a<StorageError>},
    {"StudyBusy", is_a<StudyBusy>},
    {"IncompatibleStudy", is_a<IncompatibleStudy>},
    {"UnknownStudy", is_a<UnknownStudy>},
    {"OtherProcess", is_a<OtherProcess>},
    {"Error", is_a<Error>},
};

void raise(const Error& error) {
  const nb::object classes = nb::module_::import_("carbo._errors");
  for (const Known& each : known) {
    if (!each.is(error)) continue;
    const nb::object made = classes.attr(each.name)(to_python(std::string(error.what())));
    if (const auto* const array = dynamic_cast<const InvalidArray*>(&error))
      made.attr("reason") = to_python(std::string(to_string(array->reason())));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    return;
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        raise(error);
      } catch (nb::python_error& inner) {
        inner.restore();
      }
    }
  });
}

}  // namespace carbo::python
