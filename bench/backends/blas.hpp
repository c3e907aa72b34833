#pragma once

#include <cstddef>
#include <string>

namespace carbo::bench {

/// A matrix product that was installed beside Carbo, found at run time: OpenBLAS.
struct Blas {
  std::string name{};  ///< "OpenBLAS 0.3.21, SkylakeX"
  /// c = a · b, square, on the calling thread; may run on several at once. Null where there is none.
  void (*product)(const double* a, const double* b, double* c, std::size_t size) = nullptr;
};

/// Looked for once: the file that CARBO_BENCH_BLAS names, or libopenblas where the loader looks; none where that is
/// empty.
const Blas& installed_blas();

}  // namespace carbo::bench
