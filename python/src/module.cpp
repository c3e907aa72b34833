#include "module.hpp"

#include <carbo/version.h>

NB_MODULE(_carbo, module) {
  using namespace carbo::python;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error("carbo runs in the main interpreter alone; import it there, or in a process of its own");
  nb::set_leak_warnings(false);  // what a program still holds when it ends is no fault of this module
  module.attr("version") = CARBO_VERSION_STRING;
  bind_errors(module);
  bind_space(module);
  bind_options(module);
  bind_study(module);
  bind_selector(module);
  bind_replay(module);
}
