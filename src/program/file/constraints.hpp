#pragma once

#include <string>

#include <carbo/space.hpp>

namespace carbo::program {

/// A constraint as text: comparisons (<= >= < > == !=, also in chains) of arithmetic over numeric parameters, as cost
/// features are written, or of a label with one in quotes (`solver != "sgd"`); joined by `and` and `or`, of which
/// `and` binds tighter. Thread-safe. Throws InvalidSpace that says what is wrong.
Space::Predicate constraint(const Space& space, const std::string& text);

}  // namespace carbo::program
