#pragma once

#include "bench/draw/figure.hpp"

namespace carbo::draw {

/// What a curve shows of zero and of what is lower on a logarithmic axis.
inline constexpr double curve_floor = 1e-8;

/// The value at which an entry of a curve is drawn.
double curve_value(double value, Scale scale);
/// Where entry i of a curve of n lies on the x axis.
double curve_position(const Curve& curve, std::size_t i);

/// Throws std::invalid_argument where a figure cannot be drawn, and names panel and mark.
void check(const Figure& figure);

/// Whether a panel has a finite entry in a curve, in bars or in points.
bool has_data(const Panel& panel);

const Axis& x_axis(const Figure& figure, const Panel& panel);
const Axis& y_axis(const Figure& figure, const Panel& panel);

/// Extents of the axes of a panel that has data.
Extent x_extent(const Figure& figure, const Panel& panel);
Extent y_extent(const Figure& figure, const Panel& panel);

}  // namespace carbo::draw
