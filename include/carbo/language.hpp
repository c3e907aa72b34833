#pragma once

// Comes before anything that an older standard would stumble over. Compilers go on after an #error, and a hundred
// lines about std::span would follow; a file that is missing ends the compilation.
#if !defined(__cplusplus) || __cplusplus < 202002L
#include <Carbo needs C++20: compile with -std=c++20 or later>
#endif
