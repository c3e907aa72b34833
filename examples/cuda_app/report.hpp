#pragma once

#include "arguments.hpp"
#include "search.hpp"

void print_head(const Arguments& arguments);
void print_outcome(const char* name, const Outcome& outcome);

/// What the first search saved against the second: see savings.h.
void print_saved(const Outcome& ours, const Outcome& rival, double budget);
