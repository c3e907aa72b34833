#include "cost/expression.hpp"
#include "support/not_finite.hpp"
#include "support/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <locale>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <carbo/space.hpp>

namespace carbo::internal {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

const Space& layers_space() {
  static const Space space{integer("units1", 1, 1000), integer("units2", 1, 1000),      real("epochs", 0, 100),
                           discrete("rate", {0.5, 2}), categorical("kind", {"a", "b"}), ordinal("size", {"s", "l"})};
  return space;
}

/// At units1 = 3, units2 = 4, epochs = 0.5, rate = 2.
double value(const std::string& text) {
  return Expression(layers_space().parameters(), text, "field").at(std::vector<double>{3, 4, 0.5, 2, 1, 0});
}

TEST(Expression, NumbersNamesAndOperators) {
  EXPECT_EQ(value("units1 * units2 * epochs"), 6);
  EXPECT_EQ(value("units1"), 3);
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value(" \t( units1+units2 )\n*rate\r"), 14);
  EXPECT_EQ(value("units1 - units2 - 5"), -6);
  EXPECT_EQ(value("units2 / rate / 4"), 0.5);
  EXPECT_EQ(value(".5 + 5. + 1e-3 + 2.5E+2 + 1e3"), .5 + 5. + 1e-3 + 2.5E+2 + 1e3);
  EXPECT_EQ(value("abs(-2) + ceil(1.2) + floor(1.8) + sqrt(16)"), 9);
  EXPECT_EQ(value("max(units1, units2, 1) - min (units1,units2) + max(5)"), 6);
}

TEST(Expression, LogarithmIsNatural) {
  EXPECT_EQ(value("log(units1)"), std::log(3.0));
  EXPECT_EQ(value("exp(1)"), std::exp(1.0));
}

TEST(Expression, PowersBindFromTheRightAndTighterThanSigns) {
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("(2 ^ 3) ^ 2"), 64);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("(-2) ^ 2"), 4);
  EXPECT_EQ(value("2 ^ -units1 ^ 2"), std::exp2(-9));
  EXPECT_EQ(value("units1 * -units2 ^ 2"), -48);
  EXPECT_EQ(value("units2 ^ -1 * 8"), 2);
  EXPECT_EQ(value("units1 - -units2"), 7);
  EXPECT_EQ(value("+units1 + +log(1)"), 3);
}

TEST(Expression, ComputesInTheOrderWritten) {
  EXPECT_EQ(value("(epochs * 1e-200 * 1e200) * 1e200 * 1e-200 * 2"), 1);
  EXPECT_EQ(value("1e-300 * epochs * 1e200 * 1e200"), 1e-300 * 0.5 * 1e200 * 1e200);
  EXPECT_EQ(value("(units1 + 1e16) - 1e16"), (3 + 1e16) - 1e16);
}

TEST(Expression, ValuesThatAreNotFiniteComeOutAsSuch) {
  EXPECT_EQ(value("1 / 0"), infinity);
  EXPECT_EQ(value("-1 / (units1 - 3)"), -infinity);
  EXPECT_EQ(value("log(0)"), -infinity);
  EXPECT_TRUE(std::isnan(value("0 / 0")));
  EXPECT_TRUE(std::isnan(value("sqrt(-1)")));
  EXPECT_TRUE(std::isnan(value("max(1, 0 / 0)")));
  EXPECT_TRUE(std::isnan(value("max(0 / 0, 1)")));
  EXPECT_TRUE(std::isnan(value("min(1, 0 / 0, 2)")));
}

TEST(Expression, FollowsTheNumbersItIsGiven) {
  const Expression expression(layers_space().parameters(), "units2 - units1", "field");
  EXPECT_EQ(expression.at(std::vector<double>{1, 10, 0, 2, 0, 0}), 9);
  EXPECT_EQ(expression.at(std::vector<double>{10, 1, 0, 2, 0, 0}), -9);
  const Expression zero(layers_space().parameters(), "1 / epochs", "field");
  EXPECT_EQ(zero.at(std::vector<double>{1, 1, -0.0, 2, 0, 0}), infinity);  // as a configuration would hold it: +0
}

TEST(Expression, NamesThatArePrefixesOfOneAnother) {
  const Space space{real("a", 0, 9),  real("ab", 0, 9), real("abc", 0, 9), real("a1", 0, 9),
                    real("_a", 0, 9), real("e1", 0, 9), real("logs", 0, 9)};
  const Expression sum(space.parameters(), "a + 10*ab + 100*abc + 1e3*a1 + 1e4*_a + 1e5*e1 + 1e6*logs", "field");
  EXPECT_EQ(sum.at(std::vector<double>{1, 2, 3, 4, 5, 6, 7}), 7654321);
}

TEST(Expression, HundredParameters) {
  std::vector<Parameter> parameters;
  std::string text = "0";
  std::vector<double> numbers;
  double expected = 0;
  for (int i = 0; i < 100; ++i) {
    parameters.push_back(real(internal::text("p", i), 0, 100));
    text += " + " + std::to_string(i + 1) + " * p" + std::to_string(i);
    numbers.push_back(i % 7);
    expected += (i + 1.0) * (i % 7);
  }
  EXPECT_EQ(Expression(Space(parameters).parameters(), text, "field").at(numbers), expected);
}

TEST(Expression, DecimalPointWhateverTheLocale) {
  struct German : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
  const double read = value("max(1.5, 1234.25) + .5");
  std::locale::global(before);
  EXPECT_EQ(read, 1234.75);
}

TEST(Expression, ThreadsWithExpressionsOfTheirOwn) {
  std::vector<double> sums(4, 0.0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sums, t] {
      const Expression expression(layers_space().parameters(), "units1 + " + std::to_string(t), "field");
      for (int i = 1; i <= 500; ++i) sums[t] += expression.at(std::vector<double>{double(i), 1, 0, 2, 0, 0});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 125250 + 500.0 * double(t));
}

// A random expression and, beside it, its value by C++. One call an operation: nothing may be fused.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  struct Part {
    std::string text;
    double value;
  };

  Part sum(int depth) { return chain(depth, "+-", &Generator::product); }

 private:
  [[gnu::noinline]] static double apply(char operation, double a, double b) {
    switch (operation) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      default:
        return std::pow(a, b);
    }
  }

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  Part chain(int depth, const char* operations, Part (Generator::*operand)(int)) {
    Part all = (this->*operand)(depth);
    for (int i = below(3); i > 0; --i) {
      const char operation = operations[below(2)];
      const Part next = (this->*operand)(depth);
      all = {all.text + (below(2) ? " " : "") + operation + next.text, apply(operation, all.value, next.value)};
    }
    return all;
  }

  Part product(int depth) { return chain(depth, "*/", &Generator::signed_power); }

  Part signed_power(int depth) {
    const Part power = this->power(depth);
    const int sign = below(6);
    if (sign == 0) return {" -" + power.text, -power.value};
    return {(sign == 1 ? " +" : "") + power.text, power.value};
  }

  Part power(int depth) {
    Part base = atom(depth);
    if (below(4)) return base;
    const Part exponent = signed_power(depth - 1);
    return {base.text + "^" + exponent.text, apply('^', base.value, exponent.value)};
  }

  Part atom(int depth) {
    static const Part leaves[] = {{"units1", 3},  {"units2", 4}, {"epochs", 0.5}, {"rate", 2},
                                  {"1e-3", 1e-3}, {"0.1", 0.1},  {"17", 17},      {"2.5E2", 250}};
    const int kind = depth > 0 ? below(4) : 3;
    if (kind == 0) {
      const Part inner = sum(depth - 1);
      return {"( " + inner.text + ")", inner.value};
    }
    if (kind == 1) return call(depth);
    return leaves[below(8)];
  }

  Part call(int depth) {
    using Function = double (*)(double);
    static const std::pair<const char*, Function> functions[] = {{"abs", std::fabs}, {"ceil", std::ceil},
                                                                 {"exp", std::exp},  {"floor", std::floor},
                                                                 {"log", std::log},  {"sqrt", std::sqrt}};
    const Part first = sum(depth - 1);
    const int chosen = below(8);
    if (chosen < 6)
      return {functions[chosen].first + ("(" + first.text) + ")", functions[chosen].second(first.value)};
    const Part second = sum(depth - 1);
    double value = chosen == 6 ? std::max(first.value, second.value) : std::min(first.value, second.value);
    if (std::isnan(first.value) || std::isnan(second.value)) value = not_a_number;
    return {(chosen == 6 ? "max (" : "min (") + first.text + "," + second.text + " )", value};
  }

  std::mt19937 random_;
};

TEST(Expression, RandomExpressionsAgreeWithCpp) {
  Generator generator(20);
  int finite = 0;
  for (int i = 0; i < 600; ++i) {
    const Generator::Part expected = generator.sum(1 + i % 3);
    if (expected.text.size() > Expression::longest) continue;
    const double read = value(expected.text);
    finite += std::isfinite(expected.value) ? 1 : 0;
    if (std::isnan(expected.value)) {
      EXPECT_TRUE(std::isnan(read)) << expected.text;
    } else {
      EXPECT_EQ(read, expected.value) << expected.text;
    }
  }
  EXPECT_GT(finite, 200);
}

TEST(Expression, DeepNestingUpToTheLongestText) {
  const std::size_t depth = (Expression::longest - 1) / 2;
  std::string brackets(2 * depth + 1, '7');
  brackets.replace(0, depth, depth, '(').replace(depth + 1, depth, depth, ')');
  EXPECT_EQ(value(brackets), 7);
  std::string powers = "1";
  while (powers.size() + 2 <= Expression::longest) powers += "^1";
  EXPECT_EQ(value(powers), 1);
  std::string calls;
  for (std::size_t i = 0; i < (Expression::longest - 1) / 5; ++i) calls += "abs(";
  EXPECT_EQ(value(calls + "7" + std::string(calls.size() / 4, ')')), 7);
  EXPECT_EQ(value("1" + std::string(Expression::longest - 1, ' ')), 1);
}

}  // namespace
}  // namespace carbo::internal
