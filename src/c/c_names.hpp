#pragma once

#include <string>
#include <string_view>

namespace carbo::internal::c {

/// The selector's options are flat, the optimizer's named as in C++.
enum class Face { selector, optimizer };
/// That a function belongs to.
Face face_of(std::string_view function);

/// A message of the library in the words of carbo.h: of the selector "backend.memory_bytes" is "memory_bytes",
/// "cost.model is linear" is "cost_model is CARBO_COST_LINEAR". What stands between double quotes is the caller's and
/// stays as it is; a quote or a backslash inside has a backslash before it.
std::string in_c_names(std::string_view message, Face face = Face::selector);

/// The message without the library's name of the call that failed, where `function` is that call: "fit: nothing …" of
/// carbo_selector_fit is "nothing …".
std::string_view without_call(std::string_view function, std::string_view message);

}  // namespace carbo::internal::c
