#include "bench/draw/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

namespace carbo::draw {

std::string method_colour(const std::string& method) {
  // Okabe and Ito's palette.
  static const std::map<std::string, std::string> colours = {{"random", "#8a8a8a"},      {"ei", "#e69f00"},
                                                             {"eipu", "#009e73"},        {"design_ei", "#d55e00"},
                                                             {"design_eipu", "#cc79a7"}, {"carbo", "#0072b2"}};
  const auto found = colours.find(method);
  if (found != colours.end()) return found->second;
  std::string known;
  for (const auto& [name, colour] : colours) known += (known.empty() ? "" : ", ") + name;
  throw std::invalid_argument("no colour for the method \"" + method + "\"; those with one: " + known);
}

std::string series_colour(std::size_t i) {
  // Tol's muted palette.
  constexpr std::array<const char*, 9> colours = {"#332288", "#cc6677", "#88ccee", "#117733", "#882255",
                                                  "#999933", "#44aa99", "#aa4499", "#ddcc77"};
  return colours[i % colours.size()];
}

std::string sequence_colour(std::size_t i, std::size_t count) {
  if (i >= count)
    throw std::invalid_argument("colour " + std::to_string(i) + " of a sequence of " + std::to_string(count));
  // From a yellow green through blue green to a dark violet, as viridis has them: lightness falls evenly.
  constexpr std::array<std::array<double, 3>, 4> stops = {
      {{157, 205, 60}, {38, 160, 136}, {49, 96, 141}, {62, 18, 80}}};
  const double place = count == 1 ? stops.size() - 1.0
                                  : static_cast<double>(i) * (stops.size() - 1.0) / static_cast<double>(count - 1);
  const std::size_t before = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(before);
  std::array<int, 3> mixed{};
  for (std::size_t c = 0; c < 3; ++c)
    mixed[c] = static_cast<int>(std::lround(stops[before][c] * (1 - part) + stops[before + 1][c] * part));
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", mixed[0] & 255, mixed[1] & 255, mixed[2] & 255);
  return text;
}

}  // namespace carbo::draw
