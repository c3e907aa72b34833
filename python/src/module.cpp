#include "module.hpp"

#include <carbo/version.h>

NB_MODULE(_carbo, module) {
  using namespace carbo::python;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error("carbo runs in the main interpreter alone; import it there, or in a process of its own");
  module.attr("version") = CARBO_VERSION_STRING;
  bind_errors(module);
  bind_space(module);
  bind_options(module);
  bind_study(module);
  bind_selector(module);
}
