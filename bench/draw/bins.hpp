#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/draw/axis.hpp"

/// Values that are not finite are in no bin.
namespace carbo::draw {

/// `count` + 1 edges, rising, of bins of one width (linear) or of one ratio (logarithmic) from the lowest to the
/// highest of the values. Where these are all the same, the bins surround them; without values there are no edges.
/// Throws std::invalid_argument at no bins, at categories, and on a logarithmic scale at a value of 0 or less.
std::vector<double> bin_edges(std::span<const double> values, std::size_t count, Scale scale);

/// How many values lie in each bin: its lower edge belongs to it, and to the last the upper one too. Throws
/// std::invalid_argument at a value outside all bins and at edges that do not rise.
std::vector<double> bin_counts(std::span<const double> values, std::span<const double> edges);

/// The counts as shares of all; zeros where there is no value.
std::vector<double> bin_shares(std::span<const double> values, std::span<const double> edges);

}  // namespace carbo::draw
