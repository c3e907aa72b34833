#pragma once

#include <string>

#include <carbo/space.hpp>

namespace carbo::internal {

/// The shortest text that reads back as the same double; whole numbers below 1e15 without an exponent.
std::string number_text(double number);

/// The values that a parameter takes, for messages: `in [0, 1]`, `a whole number in [1, 8]`, `one of 'sgd', 'adam'`.
std::string domain_text(const Parameter& parameter);

/// One number of a configuration as people write it: a label where the parameter has labels.
std::string value_text(const Parameter& parameter, double number);

}  // namespace carbo::internal
