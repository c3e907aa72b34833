#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace carbo::test {

/// Random choices that follow from a seed alone: the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  /// From 0 to `count` − 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool chance(double probability) { return uniform() < probability; }
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace carbo::test
