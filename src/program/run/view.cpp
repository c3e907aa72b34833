#include "program/run/view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carbo/to_string.hpp>

#include "program/support/terminal.hpp"
#include "support/utf8.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t widest_bar = 40;
constexpr std::size_t widest_sparkline = 40;

/// A text and the columns that it takes; colours take none.
class Line {
 public:
  explicit Line(const ViewStyle& style) : style_(style) {}

  Line& add(std::string_view text, const char* colour = nullptr) {
    const std::string piece = cut(text, left(), style_.utf8);
    columns_ += width_of(piece);
    text_ += style_.colour && colour != nullptr ? fmt::format("\x1b[{}m{}\x1b[0m", colour, piece) : piece;
    return *this;
  }
  std::size_t left() const { return style_.columns - std::min(style_.columns, columns_); }
  std::string text() && { return std::move(text_); }

 private:
  const ViewStyle& style_;
  std::string text_;
  std::size_t columns_ = 0;
};

std::string bar(double share, std::size_t width, bool utf8) {
  const double bounded = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::lround(bounded * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < width; ++i) text += i < filled ? (utf8 ? "█" : "#") : (utf8 ? "░" : ".");
  return text;
}

std::string spent_text(const RunView& view) {
  if (view.most_evaluations) return fmt::format("{} of {} evaluations", view.evaluations, *view.most_evaluations);
  const auto tidy = [&](double amount) {
    const double rounded = std::abs(amount) < 1000 ? std::round(amount * 10) / 10 : std::round(amount);
    return amount_text(std::abs(amount) < 10 ? std::round(amount * 1000) / 1000 : rounded, view.unit);
  };
  return fmt::format("{} of {}", tidy(view.spent), tidy(view.budget));
}

std::string head(const RunView& view, const ViewStyle& style) {
  Line line(style);
  line.add(printable(view.study), "1").add("  ").add(to_string(view.phase));
  if (view.alpha) line.add(fmt::format("  {} {:.2f}", style.utf8 ? "α" : "alpha", *view.alpha));
  const std::size_t busy = static_cast<std::size_t>(
      std::ranges::count_if(view.workers, [](const WorkerView& worker) { return worker.id.has_value(); }));
  line.add(fmt::format("  {} evaluated, {} running", view.evaluations, busy));
  if (view.failures > 0) line.add(fmt::format(", {} failed", view.failures), "31");
  return std::move(line).text();
}

std::string budget_line(const RunView& view, double now, const ViewStyle& style) {
  const double share = spent_share(view);
  std::string rest = fmt::format(" {:3.0f} %  {}", 100 * share, spent_text(view));
  if (const auto left = seconds_left(view, now)) rest += "  " + clock_text(*left) + " left";
  const std::size_t room = style.columns > width_of(rest) + 9 ? style.columns - width_of(rest) - 9 : 0;
  Line line(style);
  line.add("budget  ", "2").add(bar(share, std::min(room, widest_bar), style.utf8), "36").add(rest);
  return std::move(line).text();
}

std::string best_line(const RunView& view, const ViewStyle& style) {
  Line line(style);
  line.add("best    ", "2");
  if (!view.best) return std::move(line.add("none yet")).text();
  const std::string graph = sparkline(view.bests, std::min(widest_sparkline, style.columns / 3), style.utf8);
  line.add(short_number(*view.best), "32")
      .add("  ")
      .add(graph, "36")
      .add("  ")
      .add(printable(view.best_configuration));
  return std::move(line).text();
}

std::string worker_line(const WorkerView& worker, std::size_t index, double now, const ViewStyle& style) {
  Line line(style);
  line.add(fmt::format("{:<8}", fmt::format("#{}", index)), "2");
  if (!worker.id) return std::move(line.add("waits", "2")).text();
  line.add(fmt::format("{:<6} {:>8}  ", *worker.id, clock_text(now - worker.since)));
  return std::move(line.add(printable(worker.configuration))).text();
}

}  // namespace

double spent_share(const RunView& view) {
  const double by_cost = view.budget > 0 ? view.spent / view.budget : 0;
  const double by_count = view.most_evaluations && *view.most_evaluations > 0
                              ? static_cast<double>(view.evaluations) / static_cast<double>(*view.most_evaluations)
                              : 0;
  return view.most_evaluations ? by_count : by_cost;
}

std::optional<double> seconds_left(const RunView& view, double now) {
  const double share = spent_share(view);
  const double before = view.most_evaluations
                            ? static_cast<double>(view.evaluations_before) /
                                  static_cast<double>(std::max<std::size_t>(1, *view.most_evaluations))
                            : view.spent_before / view.budget;
  if (!(share > before) || share >= 1 || view.ending != RunView::Ending::no || view.paused) return {};
  return (1 - share) / (share - before) * (now - view.began);
}

std::vector<std::string> render(const RunView& view, double now, const ViewStyle& style) {
  std::vector<std::string> lines{head(view, style), budget_line(view, now, style), best_line(view, style)};
  if (view.ending == RunView::Ending::draining)
    lines.push_back(std::move(Line(style).add("finishing what runs; Ctrl-C again ends it", "33")).text());
  if (view.ending == RunView::Ending::stopping)
    lines.push_back(std::move(Line(style).add("ending what runs; the study is saved", "33")).text());
  if (view.paused && view.ending == RunView::Ending::no)
    lines.push_back(std::move(Line(style).add("paused; carbo resume goes on", "33")).text());
  const std::size_t room = style.rows > lines.size() ? style.rows - lines.size() : 0;
  const std::size_t shown = view.workers.size() <= room ? view.workers.size() : room > 0 ? room - 1 : 0;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(worker_line(view.workers[i], i, now, style));
  if (shown < view.workers.size() && shown < room)
    lines.push_back(
        std::move(Line(style).add(fmt::format("and {} more workers", view.workers.size() - shown), "2")).text());
  if (lines.size() > style.rows) lines.resize(style.rows);
  return lines;
}

std::string sparkline(const std::vector<double>& values, std::size_t width, bool utf8) {
  static constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* plain[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
  if (values.empty() || width == 0) return {};
  const double low = *std::ranges::min_element(values);
  const double high = *std::ranges::max_element(values);
  const std::size_t count = std::min(width, values.size());
  std::string line;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[(i + 1) * values.size() / count - 1];  // the last of its share
    const double height = high > low ? (value - low) / (high - low) : 0;
    const auto level = static_cast<std::size_t>(std::min(7.0, height * 8));
    line += utf8 ? blocks[level] : plain[level];
  }
  return line;
}

std::string cut(std::string_view text, std::size_t columns, bool utf8) {
  std::string whole;
  std::size_t used = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(1, internal::utf8_length(rest));
    if (used == columns) {
      // The last character makes room for a sign that something is missing.
      if (columns < 2) return whole;
      while (!whole.empty() && (static_cast<unsigned char>(whole.back()) & 0xc0) == 0x80) whole.pop_back();
      whole.pop_back();
      return whole + (utf8 ? "…" : ">");
    }
    whole += !utf8 && length > 1 ? std::string_view("?") : rest.substr(0, length);
    ++used;
    rest.remove_prefix(length);
  }
  return whole;
}

std::string clock_text(double seconds) {
  if (!(seconds < 1e9)) return "long";
  const auto whole = static_cast<long long>(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace carbo::program
