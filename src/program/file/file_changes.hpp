#pragma once

#include <string>

#include "program/file/node.hpp"

namespace carbo::program {

// Between the file that a study was begun or last run with, and its file now.

/// What differs in what a result means, a few lines each; empty: nothing.
std::string differences_in_meaning(const Node& before, const Node& now);
/// Names of whatever differs, of sections as a whole, one after the other; empty: nothing but words.
std::string changed_settings(const Node& before, const Node& now);
/// Whether both say the same of what ends the study.
bool same_limits(const Node& before, const Node& now);

}  // namespace carbo::program
