// Prints which backend libcarbo runs, and why.

#include <cstdio>

#include <carbo/selector.hpp>

int main() {
  const carbo::Selector selector({.columns = 1});
  std::puts(selector.backend_reason().c_str());
}
