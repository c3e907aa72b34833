#include <algorithm>

#include "bench/draw/layout.hpp"
#include "bench/draw/palette.hpp"

namespace carbo::draw {

namespace {

using bench::Svg;
using bench::SvgPoint;

constexpr double sign_width = 26, text_offset = 34;
constexpr double row_height = 20, note_height = 15, entry_gap = 22;
const bench::SvgText note_style = {.size = 11, .colour = faint_ink};

/// A mark that has a label. One of the three is set.
struct Entry {
  const Curve* curve = nullptr;
  const Bars* bars = nullptr;
  const Points* points = nullptr;
  bool bold = false;

  const std::string& label() const { return curve ? curve->label : bars ? bars->label : points->label; }
  bench::SvgText style() const { return {.size = 13, .colour = ink, .bold = bold}; }
  const std::string& colour() const { return curve ? curve->colour : bars ? bars->colour : points->colour; }
};

/// Each label and colour once, in the order of the panels; curves from the top one down. Where the first panel has
/// several, the top one is what the figure is about.
std::vector<Entry> entries_of(const Figure& figure) {
  std::vector<Entry> entries;
  const auto add = [&](const Entry& entry) {
    const auto same = [&](const Entry& other) {
      return other.label() == entry.label() && other.colour() == entry.colour();
    };
    if (!entry.label().empty() && std::none_of(entries.begin(), entries.end(), same)) entries.push_back(entry);
  };
  for (const Panel& panel : figure.panels) {
    const bool stands_out = &panel == &figure.panels.front() && panel.curves.size() > 1;
    for (auto curve = panel.curves.rbegin(); curve != panel.curves.rend(); ++curve)
      add({.curve = &*curve, .bold = stands_out && curve == panel.curves.rbegin()});
    for (const Bars& bars : panel.bars) add({.bars = &bars});
    for (const Points& points : panel.points) add({.points = &points});
  }
  return entries;
}

void draw_box(Svg& svg, SvgPoint start, const std::string& colour, double opacity) {
  const auto [x, y] = start;
  svg.area({{x, y - 6}, {x + sign_width, y - 6}, {x + sign_width, y + 6}, {x, y + 6}}, colour, opacity);
}

/// `start`: left end of the sign, at the middle of its height.
void draw_entry(Svg& svg, SvgPoint start, const Entry& entry) {
  if (entry.curve) {
    if (!entry.curve->lower.empty()) draw_box(svg, start, entry.curve->colour, band_opacity);
    svg.line(start, {start.x + sign_width, start.y}, {.colour = entry.curve->colour, .width = entry.curve->width});
  } else if (entry.bars) {
    draw_box(svg, start, entry.bars->colour, entry.bars->opacity);
  } else {
    draw_point(svg, {start.x + sign_width / 2, start.y}, *entry.points);
  }
  svg.text({start.x + text_offset, start.y + 4.5}, entry.label(), entry.style());
}

void draw_notes(Svg& svg, SvgPoint start, const Figure& figure) {
  for (const std::string& note : figure.notes) {
    svg.text(start, note, note_style);
    start.y += note_height;
  }
}

/// Where the signs of entries in rows are, from (0, 0).
std::vector<SvgPoint> row_places(const std::vector<Entry>& entries, double width) {
  std::vector<SvgPoint> places;
  SvgPoint next;
  for (const Entry& entry : entries) {
    const double needed = text_offset + text_width(entry.label(), entry.style());
    if (next.x > 0 && next.x + needed > width) next = {0, next.y + row_height};
    places.push_back(next);
    next.x += needed + entry_gap;
  }
  return places;
}

}  // namespace

double notes_width(const Figure& figure) {
  double width = 0;
  for (const std::string& note : figure.notes) width = std::max(width, text_width(note, note_style));
  return width;
}

double legend_height(const Figure& figure, double width) {
  const std::vector<SvgPoint> places = row_places(entries_of(figure), width);
  const double rows = places.empty() ? 0 : places.back().y + row_height;
  return rows + note_height * static_cast<double>(figure.notes.size());
}

void draw_legend_column(Svg& svg, SvgPoint corner, const Figure& figure) {
  for (const Entry& entry : entries_of(figure)) {
    draw_entry(svg, corner, entry);
    corner.y += row_height;
  }
  draw_notes(svg, {corner.x, corner.y + 8}, figure);
}

void draw_legend_rows(Svg& svg, SvgPoint corner, double right, const Figure& figure) {
  const std::vector<Entry> entries = entries_of(figure);
  const std::vector<SvgPoint> places = row_places(entries, right - corner.x);
  for (std::size_t i = 0; i < entries.size(); ++i)
    draw_entry(svg, {corner.x + places[i].x, corner.y + places[i].y}, entries[i]);
  draw_notes(svg, {corner.x, corner.y + (places.empty() ? 0 : places.back().y + row_height)}, figure);
}

}  // namespace carbo::draw
