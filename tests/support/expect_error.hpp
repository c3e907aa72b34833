#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

namespace carbo {

/// Runs `action`, expects the error `Expected` and every given part in its message.
template <typename Expected, typename Action>
void expect_error(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Expected& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "'" << part << "' in: " << error.what();
    }
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error was thrown: " << error.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected a message with '" << (parts.empty() ? "" : parts[0]) << "'";
}

}  // namespace carbo
