#pragma once

#include <filesystem>

namespace carbo::internal {

/// Where the file lies that this code is part of: the shared library that holds it, or the executable where it is
/// linked statically. Links are followed. Empty where the system does not say.
std::filesystem::path code_folder();

}  // namespace carbo::internal
