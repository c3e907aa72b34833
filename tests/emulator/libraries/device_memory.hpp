// Typed views of device memory, for use inside enqueued work only. Each asks for exactly the bytes that the routine
// may touch, so that a padded leading dimension does not excuse a buffer that ends early, nor demand padding after
// the last column.
#pragma once
#include <cstdlib>
#include <limits>
#include <string>

#include "emulator.hpp"
#include "kernels.hpp"

namespace standin {

template <class T>
T* device_array(const T* p, Index count, const char* call, const char* argument) {
  if (count <= 0) return nullptr;
  const std::string label = std::string(call) + ": " + argument;
  // Kernels load whole elements; an address between two of them is a misaligned access on the device.
  if (reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0) {
    emulator::defect("%s is not aligned to its element type: %p", label.c_str(), static_cast<const void*>(p));
  }
  return static_cast<T*>(emulator::device(p, static_cast<std::size_t>(count) * sizeof(T), label.c_str()));
}

template <class T>
T* device_matrix(const T* p, Index rows, Index columns, Index ld, const char* call, const char* argument) {
  if (rows <= 0 || columns <= 0) return nullptr;
  return device_array(p, (columns - 1) * ld + rows, call, argument);
}

// A BLAS vector: with a negative increment the first element is the one at the highest address.
template <class T>
struct Vector {
  T* first;
  Index increment;
  T& operator[](Index i) const { return first[i * increment]; }
};

template <class T>
Vector<T> device_vector(const T* p, Index n, Index increment, const char* call, const char* argument) {
  const Index reach = (n - 1) * std::abs(increment);
  T* base = device_array(p, n > 0 ? reach + 1 : 0, call, argument);
  if (base == nullptr) return {nullptr, increment};
  return {increment < 0 ? base + reach : base, increment};
}

// Overwrites what the real library uses as scratch, so that nothing can come to depend on its contents.
template <class T>
void poison(T* p, Index count) {
  for (Index i = 0; i < count; ++i) p[i] = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
void poison_other_triangle(cublasFillMode_t uplo, Index n, T* a, Index lda) {
  for (Index j = 0; j < n; ++j) {
    if (uplo == CUBLAS_FILL_MODE_LOWER) poison(a + j * lda, j);
    if (uplo == CUBLAS_FILL_MODE_UPPER) poison(a + j * lda + j + 1, n - j - 1);
  }
}

}  // namespace standin
