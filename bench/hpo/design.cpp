#include "bench/hpo/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include <carbo/optimizer.hpp>

#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "bench/support/markdown.hpp"

namespace carbo::hpo {

namespace {

constexpr std::size_t heat_cells = 48, heat_levels = 8;  ///< squares a side, and colours
constexpr std::size_t fill_steps = 400;
constexpr double heat_lowest = 1, heat_highest = 55;  ///< costs at the ends of the colours

/// One of the levels, even in the logarithm of the cost.
std::size_t heat_level(double cost) {
  const double share = std::log(cost / heat_lowest) / std::log(heat_highest / heat_lowest);
  return std::min(heat_levels - 1, static_cast<std::size_t>(std::max(0.0, share) * heat_levels));
}

draw::Bars heat_bars(std::size_t level) {
  const double from = heat_lowest * std::pow(heat_highest / heat_lowest, static_cast<double>(level) / heat_levels);
  return {.label = bench::format("cost from %.2g", from), .colour = draw::sequence_colour(level, heat_levels)};
}

/// Squares of the cost's colours, neighbours of one colour joined. Bars stand on the axis, so rows are drawn from the
/// top one down; before them empty ones, which put the legend in order.
std::vector<draw::Bars> heat_map(const PlaceCost& cost) {
  std::vector<draw::Bars> map;
  for (std::size_t level = 0; level < heat_levels; ++level) map.push_back(heat_bars(level));
  const double side = 1.0 / heat_cells;
  for (std::size_t row = heat_cells; row-- > 0;) {
    const double bottom = side * static_cast<double>(row);
    std::optional<std::size_t> last;
    for (std::size_t column = 0; column < heat_cells; ++column) {
      const double left = side * static_cast<double>(column);
      const std::size_t level = heat_level(cost({left + side / 2, bottom + side / 2}));
      if (last != level) {
        map.push_back(heat_bars(level));
        map.back().left = {left};
        map.back().height = {bottom + side};
      }
      map.back().right = {left + side};
      last = level;
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
          .bars = heat_map(cost),
          .points = {rim, points}};
}

}  // namespace

double ramp_cost(const Place& place) { return std::exp(2 * (place.x + place.y)); }

double hill_cost(const Place& place) {
  const double x = place.x - 0.65, y = place.y - 0.65;
  return 1 + 30 * std::exp(-20 * (x * x + y * y));
}

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
  options.initial_design = InitialDesign::paper;
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
  const draw::Axis unit{.label = "", .range = draw::Range{0, 1}};
  draw::Figure figure{
      .title = "Two initial designs of one cost",
      .notes = {"The cost of an evaluation is known to the design, which ends with the point that passes",
                "the grid's cost. Largest empty ball: its radius, the paper's fill."},
      .x = unit,
      .y = unit,
      .columns = 2,
      .panel_width = 386,
      .panel_height = 404,
      .legend = draw::LegendPlace::below};
  const std::vector<Place> grid = grid_design(2);
  const std::pair<std::string, PlaceCost> costs[] = {{"a cost that rises", ramp_cost}, {"a hill of cost", hill_cost}};
  for (const auto& [name, cost] : costs) {
    figure.panels.push_back(design_panel("Grid, " + name, grid, cost));
    figure.panels.push_back(
        design_panel("Cost-effective, " + name, cost_effective_design(cost, total_cost(grid, cost)), cost));
  }
  return svg_document(figure);
}

}  // namespace carbo::hpo
