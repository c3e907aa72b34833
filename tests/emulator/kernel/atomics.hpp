// Atomic operations of PTX. Included by translated kernels only.
#pragma once
#include "values.hpp"

namespace ptx {

// The scheduler runs one emulated thread at a time, so that an atomic needs no host atomic.
template <class T, class Operation>
T atomic(std::uint8_t* address, Operation operation) {
  const T before = load<T>(address);
  store<T>(address, operation(before));
  return before;
}

template <class T>
T atom_add(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return T(a + b); });
}
template <class T>
T atom_min(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return std::min(a, b); });
}
template <class T>
T atom_max(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return std::max(a, b); });
}
template <class T>
T atom_exch(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T) { return b; });
}
template <class T>
T atom_inc(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return a >= b ? T(0) : T(a + 1); });
}
template <class T>
T atom_dec(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return a == 0 || a > b ? b : T(a - 1); });
}
template <class T>
T atom_and(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return T(a & b); });
}
template <class T>
T atom_or(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return T(a | b); });
}
template <class T>
T atom_xor(std::uint8_t* p, T b) {
  return atomic<T>(p, [=](T a) { return T(a ^ b); });
}
template <class T>
T atom_cas(std::uint8_t* p, T expected, T desired) {
  return atomic<T>(p, [=](T a) { return a == expected ? desired : a; });
}

}  // namespace ptx
