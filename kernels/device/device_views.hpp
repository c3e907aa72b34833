#pragma once

#include <cstddef>
#include <cstdint>

namespace carbo::kernels {

/// Encoded candidates in device memory: coordinate c of candidate i is element i · row_stride + c · column_stride, a
/// double, or a float where `single_precision`.
struct CandidateView {
  const void* data = nullptr;
  bool single_precision = false;
  std::size_t size = 0;
  int columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

/// A GP in device memory. Observed rows come first, then fantasised ones. All matrices have room for `stride` rows.
struct GpView {
  const double* points = nullptr;  ///< divided by the lengthscales; coordinate c of row i: c · stride + i
  const double* inverse_lengthscales = nullptr;  ///< one a column
  const double* lower = nullptr;    ///< L; element (i, j), i ≥ j, at j · stride + i; above it: see launch_inverse
  const double* weights = nullptr;  ///< K⁻¹(y − prior mean), one an observed row
  const double* responses = nullptr;        ///< signal variance · β of fantasised point t: t · stride + row
  const double* pivots = nullptr;           ///< ℓ of each fantasised point
  const double* normals = nullptr;          ///< z of fantasised point t and fantasy f: t · fantasies + f
  const double* response_errors = nullptr;  ///< what rounding may add to |r(x)|, the largest up to point t
  std::size_t stride = 0;
  int columns = 0;
  int observed = 0;
  int fantasised = 0;
  int fantasies = 0;  ///< normals a fantasised point; 0 before the first
  double signal_variance = 1;
  double mean = 0;
};

/// Candidates that a kernel works on: places [first, first + size) of a list of `count` indices in device memory, of
/// a number that only the device knows, as far as it goes; or these candidates where `indices` is null.
struct CandidateList {
  const std::uint32_t* indices = nullptr;
  const std::uint64_t* count = nullptr;
  std::size_t size = 0;
  std::size_t first = 0;
};

/// How means of a search are looked at first, as the device chooses: numbers of one word.
using FirstLook = std::uint32_t;
inline constexpr FirstLook in_float64 = 0;  ///< they are exact
inline constexpr FirstLook in_float32 = 1;  ///< bounds, as by the next
inline constexpr FirstLook in_pairs = 2;    ///< of float32

}  // namespace carbo::kernels
