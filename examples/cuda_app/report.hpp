#pragma once

#include "arguments.hpp"
#include "search.hpp"

void print_head(const Arguments& arguments);
void print_outcome(const char* name, const Outcome& outcome);

/// What the first search saved against the second: the share of the budget that is left when it reaches the second
/// one's final best; negative, with the roles exchanged, where it ends worse. Where both end at the same candidate,
/// how much earlier it got there. In whole batches.
double saved_share(const Outcome& ours, const Outcome& rival, double budget);

void print_saved(double share);
