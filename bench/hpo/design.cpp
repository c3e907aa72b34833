#include "bench/hpo/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <carbo/optimizer.hpp>

#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "bench/support/markdown.hpp"

namespace carbo::hpo {

namespace {

constexpr std::size_t heat_cells = 32, heat_levels = 8;  ///< squares a side, and colours
constexpr std::size_t fill_steps = 400;

/// Cost between `lowest` and `highest` as one of the levels, even in its logarithm.
std::size_t heat_level(double cost, double lowest, double highest) {
  const double share = std::log(cost / lowest) / std::log(highest / lowest);
  return std::min(heat_levels - 1, static_cast<std::size_t>(std::max(0.0, share) * heat_levels));
}

/// Squares of the cost's colours. Bars stand on the axis, so rows are drawn from the top one down.
std::vector<draw::Bars> heat_map(const PlaceCost& cost, double lowest, double highest) {
  std::vector<draw::Bars> map;
  const double side = 1.0 / heat_cells;
  for (std::size_t row = heat_cells; row-- > 0;) {
    std::vector<draw::Bars> levels(heat_levels);
    for (std::size_t column = 0; column < heat_cells; ++column) {
      const double left = side * static_cast<double>(column), bottom = side * static_cast<double>(row);
      draw::Bars& bars = levels[heat_level(cost({left + side / 2, bottom + side / 2}), lowest, highest)];
      bars.left.push_back(left);
      bars.right.push_back(left + side);
      bars.height.push_back(bottom + side);
    }
    for (std::size_t level = 0; level < heat_levels; ++level) {
      if (levels[level].height.empty()) continue;
      const double from = lowest * std::pow(highest / lowest, static_cast<double>(level) / heat_levels);
      levels[level].label = bench::format("cost from %.2g", from);
      levels[level].colour = draw::sequence_colour(level, heat_levels);
      map.push_back(std::move(levels[level]));
    }
  }
  return map;
}

draw::Panel design_panel(const std::string& title, const std::vector<Place>& design, const PlaceCost& cost) {
  draw::Points rim{.colour = "#ffffff", .radius = 6.5, .opacity = 1};
  for (const Place& place : design) {
    rim.x.push_back(place.x);
    rim.y.push_back(place.y);
  }
  draw::Points points = rim;
  points.colour = draw::loss_colour;
  points.radius = 4.5;
  return {.title = title,
          .subtitle = bench::format("%zu points, cost %.1f, largest empty ball %.3f", design.size(),
                                    total_cost(design, cost), fill_radius(design, fill_steps)),
          .bars = heat_map(cost, cost({0, 0}), cost({1, 1})),
          .points = {rim, points}};
}

}  // namespace

double design_example_cost(const Place& place) { return std::exp(2 * (place.x + place.y)); }

std::vector<Place> grid_design(std::size_t side) {
  std::vector<Place> design;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      design.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(side),
                        (static_cast<double>(j) + 0.5) / static_cast<double>(side)});
  return design;
}

std::vector<Place> cost_effective_design(const PlaceCost& cost, double total) {
  const auto place_of = [](const Configuration& configuration) {
    return Place{configuration.numbers()[0], configuration.numbers()[1]};
  };
  Options options;
  options.budget = total / options.design.budget_share;
  options.seed = 1;
  options.cost.known = Quantity([&](const Configuration& configuration) { return cost(place_of(configuration)); });
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = 1;
  Optimizer optimizer(Space({real("x", 0, 1), real("y", 0, 1)}), options);
  std::vector<Place> design;
  while (true) {
    const std::vector<Suggestion> next = optimizer.ask(1);
    if (next.empty() || next.front().receipt.phase != Phase::design) return design;
    design.push_back(place_of(next.front().configuration));
    // The design looks at costs alone.
    optimizer.tell(next.front().id, {.objective = 0, .cost = cost(design.back())});
  }
}

double total_cost(const std::vector<Place>& design, const PlaceCost& cost) {
  double sum = 0;
  for (const Place& place : design) sum += cost(place);
  return sum;
}

double fill_radius(const std::vector<Place>& design, std::size_t steps) {
  if (design.empty()) throw std::invalid_argument("a design without points leaves no largest empty ball");
  double largest = 0;
  for (std::size_t i = 0; i <= steps; ++i)
    for (std::size_t j = 0; j <= steps; ++j) {
      const double x = static_cast<double>(i) / static_cast<double>(steps);
      const double y = static_cast<double>(j) / static_cast<double>(steps);
      double nearest = std::numeric_limits<double>::infinity();
      for (const Place& place : design) nearest = std::min(nearest, std::hypot(place.x - x, place.y - y));
      largest = std::max(largest, nearest);
    }
  return largest;
}

std::string design_figure() {
  const std::vector<Place> grid = grid_design(2);
  const double total = total_cost(grid, design_example_cost);
  const draw::Axis unit{.label = "", .range = draw::Range{0, 1}};
  draw::Figure figure{
      .title = "Two initial designs of one cost",
      .notes = {"Colours: cost of an evaluation, exp(2x + 2y), known to the design. The design ends with",
                "the point that passes the grid's cost."},
      .x = unit,
      .y = unit,
      .columns = 2,
      .panel_width = 386,
      .panel_height = 404,
      .legend = draw::LegendPlace::below};
  figure.panels.push_back(design_panel("Grid", grid, design_example_cost));
  figure.panels.push_back(
      design_panel("Cost-effective design", cost_effective_design(design_example_cost, total), design_example_cost));
  return svg_document(figure);
}

}  // namespace carbo::hpo
