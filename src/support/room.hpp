#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace carbo::internal {

/// Room for `more` elements, growing as push_back does: adding them then moves and allocates nothing.
template <class T>
void make_room(std::vector<T>& elements, std::size_t more) {
  if (elements.capacity() - elements.size() >= more) return;
  elements.reserve(std::max(elements.size() + more, 2 * elements.capacity()));
}

}  // namespace carbo::internal
