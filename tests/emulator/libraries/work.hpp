// What a call does, reckoned from its arguments: the usual counts of operations, and each operand's elements once for
// reading and once for writing, as far as the routine does either. C of gemm, geam and dgmm counts as written only.
#pragma once
#include "emulator.hpp"
#include "kernels.hpp"

namespace standin {

struct Work {
  Index operations;
  Index bytes;
};

inline Index triangle(Index n) { return n * (n + 1) / 2; }

template <class T>
Work work_of(Index operations, Index elements) {
  return {operations, elements * static_cast<Index>(sizeof(T))};
}
template <class T>
Work gemm_work(Index m, Index n, Index k) {
  return work_of<T>(2 * m * n * k, m * k + k * n + m * n);
}
template <class T>
Work syrk_work(Index n, Index k) {
  return work_of<T>(2 * triangle(n) * k, n * k + 2 * triangle(n));
}
// A triangle of `order` rows, with which `vectors` of as many elements are solved or multiplied.
template <class T>
Work triangular_work(Index order, Index vectors) {
  return work_of<T>(order * order * vectors, triangle(order) + 2 * order * vectors);
}
template <class T>
Work factor_work(Index n) {
  return work_of<T>(n * n * n / 3, 2 * triangle(n));
}

inline Work times(Index count, const Work& one) { return {count * one.operations, count * one.bytes}; }

inline void count_work(const Work& work) {
  emulator::count("library calls");
  emulator::count("library operations", static_cast<std::uint64_t>(work.operations));
  emulator::count("library bytes", static_cast<std::uint64_t>(work.bytes));
}

}  // namespace standin
