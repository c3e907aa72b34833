#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include <carbo/carbo.h>

#include "faults/sweep.hpp"

namespace carbo::test {

/// A call of the C face inside a window; a second time where the first fails, which must be for want of memory and
/// change nothing of what is `visible`.
template <class Visible, class Action>
void faulted_call(const char* name, const Visible& visible, const Action& action) {
  const std::string before = visible();
  for (int attempt = 0; attempt < 2; ++attempt) {
    carbo_status status = CARBO_OK;
    {
      const allocations::Window window;
      status = action();
    }
    if (status == CARBO_OK) return;
    std::array<char, 200> words{};
    EXPECT_EQ(carbo_message(words.data(), static_cast<int64_t>(words.size()), nullptr), CARBO_OK);
    EXPECT_EQ(status, CARBO_OUT_OF_HOST_MEMORY) << name << ": " << carbo_status_name(status) << words.data();
    EXPECT_TRUE(attempt == 0 && allocations::struck()) << name;
    EXPECT_EQ(visible(), before) << name << " failed, and changed something";
  }
  ADD_FAILURE() << name << " failed twice";
}

/// Every bit of it, on a line.
inline std::string exact_line(double value) {
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%a\n", value);
  return digits.data();
}

}  // namespace carbo::test
