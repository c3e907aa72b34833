#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "bench/study/functions.hpp"
#include "bench/study/prices.hpp"
#include "bench/study/problem.hpp"
#include "bench/study/tuning_problems.hpp"
#include "formulas/philox.hpp"
#include "replay/statistics.hpp"

namespace carbo::study {

namespace {

Problem branin_problem() {
  Space space{real("x1", -5, 10), real("x2", 0, 15)};
  auto cost = multiplicative(space, {0.0, 3.4});
  return {.name = "branin",
          .title = "Branin",
          .price = "one iteration-like parameter",
          .space = space,
          .value = branin,
          .cost = cost,
          .optimum = 0.39788735772973816,
          .minimisers = {{-3.14159265, 12.275}, {3.14159265, 2.275}, {9.42477796, 2.475}}};
}

Problem camel_problem() {
  Space space{real("x1", -2, 2), real("x2", -1, 1)};
  auto cost = multiplicative(space, {3.2, 0.8});
  return {.name = "camel",
          .title = "Six-hump camel",
          .price = "iterations × size",
          .space = space,
          .value = six_hump_camel,
          .cost = cost,
          .optimum = -1.0316284534898774,
          .minimisers = {{0.08984201, -0.71265640}, {-0.08984201, 0.71265640}}};
}

Problem goldstein_problem() {
  Space space = box(2, -2, 2);
  auto cost = multiplicative(space, {2.5, -1.5});
  return {.name = "goldstein_noisy",
          .title = "Goldstein–Price, noisy",
          .price = "iterations × inverse tolerance",
          .space = space,
          .value = log_goldstein_price,
          .cost = cost,
          .optimum = 1.0986122886681098,
          .minimisers = {{0, -1}},
          .value_noise = 0.1};
}

Problem hartmann3_problem() {
  Space space = box(3, 0, 1);
  auto cost = multiplicative(space, {0.0, 2.0, 2.0});
  return {.name = "hartmann3",
          .title = "Hartmann-3",
          .price = "iterations × size",
          .space = space,
          .value = hartmann3,
          .cost = cost,
          .optimum = -3.862779787332663,
          .minimisers = {{0.11458887, 0.55564889, 0.85254699}}};
}

Problem hartmann6_problem() {
  Space space = box(6, 0, 1);
  auto cost = multiplicative(space, {1.5, 0.0, 1.0, 0.0, 0.0, 1.5});
  return {.name = "hartmann6",
          .title = "Hartmann-6",
          .price = "iterations × two sizes",
          .space = space,
          .value = hartmann6,
          .cost = cost,
          .optimum = -3.3223680114155147,
          .minimisers = {{0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053}}};
}

Problem ackley_problem() {
  Space space = box(5, -5, 10);
  auto cost = multiplicative(space, std::vector<double>(5, 0.7));
  return {.name = "ackley5",
          .title = "Ackley-5",
          .price = "five sizes",
          .space = space,
          .value = ackley,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {std::vector<double>(5, 0.0)}};
}

Problem levy_problem() {
  constexpr double lower = -6, upper = 8;
  Space space = box(4, lower, upper);
  return {.name = "levy4",
          .title = "Levy-4",
          .price = "network of four layers",
          .space = space,
          .value = levy,
          .cost = [](Numbers x) { return layer_products(x, lower, upper); },
          .optimum = 0.0,
          .minimisers = {std::vector<double>(4, 1.0)}};
}

Problem styblinski_problem() {
  Space space = box(4, -5, 5);
  auto cost = multiplicative(space, std::vector<double>(4, 0.9));
  return {.name = "styblinski4",
          .title = "Styblinski–Tang-4",
          .price = "four sizes",
          .space = space,
          .value = styblinski_tang,
          .cost = cost,
          .optimum = 4 * -39.16616570377142,
          .minimisers = {std::vector<double>(4, -2.90353403)}};
}

Problem rosenbrock_problem() {
  Space space = box(4, -2, 2);
  auto cost = multiplicative(space, std::vector<double>(4, 0.9));
  return {.name = "rosenbrock4",
          .title = "Rosenbrock-4, noisy cost",
          .price = "four sizes, timed with 20 % noise",
          .space = space,
          .value = log_rosenbrock,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {std::vector<double>(4, 1.0)},
          .log_cost_noise = 0.2};
}

}  // namespace

CostProfile cost_profile(const Problem& problem) {
  constexpr std::uint64_t draws = 16384, seed = 1;
  const std::size_t dimension = problem.space.parameters().size();
  double at_optimum = std::numeric_limits<double>::infinity();
  for (const auto& minimiser : problem.minimisers) at_optimum = std::min(at_optimum, problem.cost(minimiser));

  std::vector<double> coordinates(dimension), numbers(dimension);
  std::vector<double> costs;
  std::uint64_t cheaper = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const auto block = kernels::philox(seed, i, j);
      coordinates[j] = kernels::unit_double(block.word[0], block.word[1]);
    }
    problem.space.from_unit(coordinates, numbers);
    costs.push_back(problem.cost(numbers));
    cheaper += costs.back() < at_optimum ? 1 : 0;
  }
  const auto [lowest, highest] = std::minmax_element(costs.begin(), costs.end());
  return {.mean = replay::mean(costs),
          .ratio = *highest / *lowest,
          .spread = replay::quantile(costs, 0.95) / replay::quantile(costs, 0.05),
          .optimum_share = static_cast<double>(cheaper) / static_cast<double>(draws)};
}

const char* optimum_class(const CostProfile& profile) {
  if (profile.optimum_share < 1.0 / 3.0) return "cheap";
  return profile.optimum_share > 2.0 / 3.0 ? "dear" : "middling";
}

double affordable(const Problem& problem) { return 10.0 * static_cast<double>(problem.space.parameters().size()); }

std::vector<Problem> all_problems() {
  std::vector<Problem> problems = {branin_problem(), styblinski_problem(), ackley_problem(),
                                   camel_problem(),  goldstein_problem(),  hartmann6_problem(),
                                   levy_problem(),   hartmann3_problem(),  rosenbrock_problem()};
  for (Problem problem : tuning_problems()) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace carbo::study
