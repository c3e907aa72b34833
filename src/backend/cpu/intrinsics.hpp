#pragma once

// GCC 12 says that its own AVX-512 intrinsics, wherever Eigen uses them, read a variable that is not initialised, or
// may: they hand one to instructions that do not look at it. Included before Eigen, the remark is silenced where it
// is made.
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
