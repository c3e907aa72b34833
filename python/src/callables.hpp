#pragma once

#include <memory>
#include <span>

#include <nanobind/nanobind.h>

#include <carbo/space.hpp>

namespace carbo::python {

namespace nb = nanobind;

/// Whether this thread is inside a callable of the caller's that a study runs: no call of a study may wait there.
inline bool& inside_callable() {
  thread_local bool inside = false;
  return inside;
}

/// One number a parameter, as a tuple of floats.
inline nb::tuple to_tuple(std::span<const double> numbers) {
  nb::list all;
  for (const double number : numbers) all.append(number);
  return nb::tuple(all);
}

/// A Python callable that is called with the numbers of a configuration, from whatever thread. Cheap to copy, with
/// and without the GIL. What it raises passes through as nb::python_error.
class NumbersCallable {
 public:
  explicit NumbersCallable(nb::object callable)
      : callable_(new nb::object(std::move(callable)), [](nb::object* held) {
          // Never given back where the interpreter is gone.
          if (nb::detail::cleanup_guard guard{}) delete held;
        }) {}

  template <class Value>
  Value call(const Configuration& configuration) const {
    const nb::gil_scoped_acquire gil;
    struct Inside {
      bool before = inside_callable();
      Inside() { inside_callable() = true; }
      ~Inside() { inside_callable() = before; }
    } const inside;
    return nb::cast<Value>((*callable_)(to_tuple(configuration.numbers())));
  }

 private:
  std::shared_ptr<nb::object> callable_;
};

}  // namespace carbo::python
