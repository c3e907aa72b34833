#pragma once

#include <cstddef>
#include <string>

/// Every colour of every figure. Readers who do not see all colours can tell them apart.
namespace carbo::draw {

inline constexpr const char* ink = "#262626";
inline constexpr const char* faint_ink = "#6b6b6b";
inline constexpr const char* axis_colour = "#9a9a9a";
inline constexpr const char* grid_colour = "#e6e6e6";
/// Of a result that went against CArBO.
inline constexpr const char* loss_colour = "#a03030";

/// The colour that a method has in every figure, by its name in files: random, ei, eipu, carbo and the ablations
/// design_ei and design_eipu. Throws std::invalid_argument at another.
std::string method_colour(const std::string& method);

/// Colours of what is no method, in an order that tells neighbours apart: nine, and from the first again.
std::string series_colour(std::size_t i);

/// Colour i of `count` that stand for an ordered quantity, from light to dark. i < count.
std::string sequence_colour(std::size_t i, std::size_t count);

}  // namespace carbo::draw
