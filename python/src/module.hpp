#pragma once

#include <nanobind/nanobind.h>

#include <carbo/error.hpp>

namespace carbo::python {

namespace nb = nanobind;

/// An object that was made before a fork and is used after it: its threads and its file are the other process's.
class OtherProcess : public Error {
  using Error::Error;
};

void bind_errors(nb::module_& module);
void bind_space(nb::module_& module);
void bind_options(nb::module_& module);
void bind_study(nb::module_& module);
void bind_selector(nb::module_& module);
void bind_replay(nb::module_& module);

}  // namespace carbo::python
