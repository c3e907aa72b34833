#pragma once

namespace carbo::program {

/// The whole program: what it ends with.
int run_program(int count, const char* const* words);

}  // namespace carbo::program
