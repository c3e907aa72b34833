#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "cost/expression.hpp"
#include "fuzz/arithmetic.hpp"

// Any bytes are either refused with an InvalidOptions or an expression of the grammar, whose value is that of
// Arithmetic to the bit.
namespace {

using carbo::internal::Expression;

[[noreturn]] void give_up(const std::string& text, const char* what) {
  std::fprintf(stderr, "%s: \"%s\"\n", what, text.c_str());
  std::abort();
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

const std::vector<carbo::Parameter>& parameters() {
  static const std::vector<carbo::Parameter> all = {carbo::real("x", -10.0, 10.0), carbo::integer("layers", 0, 9),
                                                    carbo::categorical("colour", {"red", "blue"}),
                                                    carbo::discrete("e1", {0.0, 0.5, 1e6})};
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<Expression> expression;
  try {
    expression.emplace(parameters(), text, "the field");
  } catch (const carbo::InvalidOptions& error) {
    if (std::string(error.what()).find("the field") != 0) give_up(text, error.what());
  }
  const std::vector<double> points[] = {{-2.5, 3, 1, 0.5}, {0, 0, 0, 0}, {7.25, 9, 1, 1e6}};
  for (const std::vector<double>& point : points) {
    const Arithmetic::Names names = {{"x", point[0]}, {"layers", point[1]}, {"e1", point[3]}};
    const std::optional<double> expected = Arithmetic::evaluate(text, names);
    if (!expression && expected && size <= Expression::longest) give_up(text, "refused, though it is arithmetic");
    if (!expression) continue;
    if (!expected) give_up(text, "taken, though it is no arithmetic");
    if (!same(expression->at(point), *expected)) give_up(text, "another value than that of the grammar");
  }
  return 0;
}
