#pragma once

#include <string>
#include <string_view>

namespace carbo::internal {

/// What this processor, or the operating system on it, lacks of a level of x86-64 (v2, v3 or v4, as the psABI has
/// them): names with blanks between them, empty where it can run code compiled for the level. Any level but these is
/// lacking nothing.
std::string missing_features(std::string_view level);

}  // namespace carbo::internal
