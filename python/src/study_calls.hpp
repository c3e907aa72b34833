#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "module.hpp"
#include "study_handle.hpp"

namespace carbo::python {

using Numbers = std::vector<double>;

template <class Engine>
constexpr bool in_memory = std::is_same_v<Engine, Optimizer>;

Configuration point(StudyHandle& handle, const Numbers& numbers);
std::map<std::string, double> metrics_of(const nb::dict& metrics);

/// Ask and tell, and what waits to be asked for.
void bind_calls(nb::class_<StudyHandle>& study);

}  // namespace carbo::python
