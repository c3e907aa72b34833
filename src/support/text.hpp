#pragma once

#include <sstream>
#include <string>

namespace carbo::internal {

/// Joins text and numbers for messages; doubles are printed with the digits that tell them apart at a glance.
template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

}  // namespace carbo::internal
