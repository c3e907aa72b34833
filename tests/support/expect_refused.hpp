#pragma once

#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "support/expect_error.hpp"

namespace carbo {

/// Runs `action`, expects InvalidArray for this reason and every given part in its message.
template <typename Action>
void expect_refused(InvalidArray::Reason reason, const std::vector<std::string>& parts, const Action& action) {
  expect_error<InvalidArray>(
      [&] {
        try {
          action();
        } catch (const InvalidArray& error) {
          EXPECT_EQ(static_cast<int>(error.reason()), static_cast<int>(reason)) << error.what();
          throw;
        }
      },
      parts);
}

}  // namespace carbo
