// parity run | save N | go_on FILE: README's study by C++, for the tests of the Python package to compare with.
// Prints each suggestion as its id and its numbers in hexadecimal; `save` prints the state after N rounds, `go_on`
// restores one and goes on to the end.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <carbo/carbo.hpp>

namespace {

carbo::Evaluation train(const carbo::Configuration& x) {
  const double rate_error = std::log10(x.real("learning_rate") / 0.03);
  const double depth_error = x.real("layers") - 6.0;
  return {.objective = rate_error * rate_error + 0.05 * depth_error * depth_error,
          .cost = 0.5 + 0.1 * x.real("layers") * x.real("layers")};
}

void go_on(carbo::Optimizer& optimizer, int rounds, bool print) {
  for (int round = 0; round != rounds && !optimizer.done(); ++round) {
    for (const carbo::Suggestion& suggestion : optimizer.ask()) {
      if (print) {
        std::printf("%llu", static_cast<unsigned long long>(suggestion.id));
        for (const double number : suggestion.configuration.numbers()) std::printf(" %a", number);
        std::printf("\n");
      }
      optimizer.tell(suggestion.id, train(suggestion.configuration));
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "go_on") {
    std::stringstream text;
    text << std::ifstream(arguments[2]).rdbuf();
    carbo::Optimizer optimizer = carbo::Optimizer::restore(text.str());
    go_on(optimizer, -1, true);
    return 0;
  }
  const carbo::Space space{carbo::real("learning_rate", 1e-4, 1.0).log(), carbo::integer("layers", 1, 8)};
  const carbo::Options options{.budget = 100.0, .batch_size = 2, .seed = 7, .accounting = carbo::Accounting::longest};
  carbo::Optimizer optimizer(space, options);
  const bool saves = what == "save";
  go_on(optimizer, saves ? std::atoi(arguments[2]) : -1, !saves);
  if (saves) std::cout << optimizer.save();
}
