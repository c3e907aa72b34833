#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace carbo::hpo {

/// In the unit square.
struct Place {
  double x = 0;
  double y = 0;
};

using PlaceCost = std::function<double(const Place&)>;

/// Costs made for the figure: one rises from 1 in one corner to 55 in the opposite one, one is about 1 but for a hill
/// of 31.
double ramp_cost(const Place& place);
double hill_cost(const Place& place);

/// `side` × `side` points in the middles of as many equal squares.
std::vector<Place> grid_design(std::size_t side);
/// What the library's cost-effective design chooses where the cost is known and the design may spend `total`; the
/// point that passes it is the last.
std::vector<Place> cost_effective_design(const PlaceCost& cost, double total);

double total_cost(const std::vector<Place>& design, const PlaceCost& cost);
/// Radius of the largest ball without a point of the design whose centre is on a grid of `steps` + 1 lines each way
/// over the square. Throws std::invalid_argument where the design is empty.
double fill_radius(const std::vector<Place>& design, std::size_t steps);

/// Figure 4: the cost-effective design beside a grid of four points that costs the same, over each of the costs.
std::string design_figure();

}  // namespace carbo::hpo
