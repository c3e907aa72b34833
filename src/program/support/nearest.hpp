#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carbo::program {

/// The name that a mistyped one was probably meant to be; empty where none is near.
std::string nearest(std::string_view word, std::span<const std::string> names);
/// `; did you mean 'X'?` where one is near, and otherwise `; known are A, B, ...`.
std::string suggestion_for(std::string_view word, std::span<const std::string> names);
/// Separated by commas; `last` stands before the last one, such as " or ".
std::string joined(std::span<const std::string> words, std::string_view last = ", ");

}  // namespace carbo::program
