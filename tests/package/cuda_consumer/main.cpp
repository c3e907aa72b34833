// A program outside the tree that links the CUDA backend: it is found where it was installed, and loads.

#include <cstdio>
#include <string>

#include <carbo/carbo.hpp>

int main() {
  carbo::Options options;
  options.budget = 10;
  carbo::Optimizer optimizer(carbo::Space{carbo::real("x", 0.0, 1.0)}, options);
  const std::string reason = optimizer.ask(1).at(0).receipt.backend_reason;
  std::printf("consumer: %s\n", reason.c_str());
  return reason.find("could not be loaded") == std::string::npos ? 0 : 1;
}
