#include <numbers>
#include <utility>

#include "bench/study/functions.hpp"
#include "bench/study/prices.hpp"
#include "bench/study/problem.hpp"

namespace carbo::study {

namespace {

Problem michalewicz_problem() {
  Space space = box(5, 0, std::numbers::pi);
  auto cost = multiplicative(space, {1.6, 0.0, 1.2, 0.0, 1.2});
  return {.name = "michalewicz5",
          .title = "Michalewicz-5",
          .price = "iterations × two sizes",
          .space = space,
          .value = michalewicz,
          .cost = cost,
          .optimum = -4.6876581790881495,
          .minimisers = {{2.2029055175, 1.5707963305, 1.2849915686, 1.9230584698, 1.7204697733}}};
}

Problem shekel_problem() {
  Space space = box(4, 0, 10);
  auto cost = multiplicative(space, {-1.4, 0.0, 1.4, 1.4});
  return {.name = "shekel4",
          .title = "Shekel-4",
          .price = "inverse tolerance × two sizes",
          .space = space,
          .value = shekel,
          .cost = cost,
          .optimum = -10.536409816692045,
          .minimisers = {{4.0007465303, 4.0005929368, 3.9996633958, 3.9995097993}}};
}

Problem griewank_problem() {
  Space space = box(6, -30, 50);
  auto cost = multiplicative(space, std::vector<double>(6, -0.8));
  return {.name = "griewank6",
          .title = "Griewank-6, noisy cost",
          .price = "six inverse tolerances, timed with 20 % noise",
          .space = space,
          .value = griewank,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {std::vector<double>(6, 0.0)},
          .log_cost_noise = 0.2};
}

Problem rastrigin_problem() {
  Space space = box(3, -4, 6);
  std::vector<double> best(3, 0.0);
  auto cost = peaked(space, best, 3.0, 0.25);
  return {.name = "rastrigin3",
          .title = "Rastrigin-3",
          .price = "rises towards the optimum",
          .space = space,
          .value = rastrigin,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {std::move(best)}};
}

Problem holder_problem() {
  constexpr double x1 = 8.0550234659, x2 = 9.6645900281;
  Space space = box(2, -10, 10);
  auto cost = multiplicative(space, {3.0, 1.2});
  return {.name = "holder",
          .title = "Hölder table",
          .price = "iterations × size",
          .space = space,
          .value = holder_table,
          .cost = cost,
          .optimum = -19.208502567886747,
          .minimisers = {{x1, x2}, {-x1, x2}, {x1, -x2}, {-x1, -x2}}};
}

Problem dixon_price_problem() {
  constexpr double last = 0.5109485743270583;  // of either sign: it counts by its square
  const std::vector<double> best = {
      1.0, 0.7071067811865476, 0.5946035575013605, 0.5452538663326288, 0.5221368912137069, last};
  std::vector<double> mirrored = best;
  mirrored.back() = -last;
  Space space = box(6, -10, 10);
  auto cost = peaked(space, best, -5.0, 0.25);
  return {.name = "dixon_price6",
          .title = "Dixon–Price-6",
          .price = "falls towards the optimum",
          .space = space,
          .value = log_dixon_price,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {best, std::move(mirrored)}};
}

Problem himmelblau_problem() {
  Space space = box(2, -5, 5);
  auto cost = multiplicative(space, {-4.5, 2.0});
  return {.name = "himmelblau_noisy",
          .title = "Himmelblau, noisy",
          .price = "inverse tolerance × size",
          .space = space,
          .value = log_himmelblau,
          .cost = cost,
          .optimum = 0.0,
          .minimisers = {{3.0, 2.0},
                         {-2.805118087, 3.1313125183},
                         {-3.7793102534, -3.2831859913},
                         {3.5844283403, -1.848126527}},
          .value_noise = 0.1};
}

}  // namespace

std::vector<Problem> verdict_problems() {
  return {michalewicz_problem(), shekel_problem(),      griewank_problem(),  rastrigin_problem(),
          holder_problem(),      dixon_price_problem(), himmelblau_problem()};
}

}  // namespace carbo::study
