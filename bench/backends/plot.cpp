#include "bench/backends/plot.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "bench/backends/tables.hpp"
#include "bench/draw/figure.hpp"
#include "bench/draw/palette.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

/// On the GPU lines are wider.
constexpr double cpu_width = 1.4;
constexpr double cuda_width = 3.0;

/// A line of the legend: the same in every panel.
struct Line {
  Job job;
  std::string variant;
  std::string backend;

  friend bool operator==(const Line&, const Line&) = default;
};

Line line_of(const Measurement& m) { return {m.of.job, m.of.variant, m.backend}; }

/// Whether a case belongs into the panel of these sizes, whose m is of no account.
bool belongs(const Case& c, JobSizes panel) {
  panel.m = c.sizes.m;
  panel.batched = c.sizes.batched;
  return relevant(c.job, panel) == c.sizes;
}

/// Sizes of the panels, in which each measurement has its place; those that depend on few sizes have many.
std::vector<JobSizes> panels_of(const Report& report) {
  std::vector<JobSizes> panels;
  for (const Job job : {Job::suggest, Job::batch, Job::append, Job::pick, Job::dense, Job::design})
    for (const Measurement& m : report.measurements)
      if (m.of.job == job &&
          std::none_of(panels.begin(), panels.end(), [&](const JobSizes& panel) { return belongs(m.of, panel); }))
        panels.push_back(m.of.sizes);
  return panels;
}

draw::Curve curve_of(const Report& report, const Line& line, const JobSizes& panel) {
  std::map<double, double> seconds;  // by m
  for (const Measurement& m : report.measurements)
    if (line_of(m) == line && belongs(m.of, panel)) seconds[static_cast<double>(m.of.sizes.m)] = m.seconds.median;
  draw::Curve curve{.width = line.backend == "cpu" ? cpu_width : cuda_width, .join = draw::Join::straight};
  for (const auto& [size, median] : seconds) {
    curve.x.push_back(size);
    curve.middle.push_back(median);
  }
  return curve;
}

draw::Axis axis_of(const std::vector<double>& sizes) {
  draw::Axis axis{
      .label = "candidates m", .scale = draw::Scale::logarithmic, .range = draw::Range{sizes.front(), sizes.back()}};
  for (const double size : sizes) axis.ticks.push_back({size, grouped(size)});
  return axis;
}

}  // namespace

std::string results_plot(const Report& report) {
  std::set<double> distinct_sizes;
  std::vector<Line> lines;
  std::vector<std::string> coloured;  // one a job and variant
  for (const Measurement& m : report.measurements) {
    if (m.of.job == Job::fit) continue;
    distinct_sizes.insert(static_cast<double>(m.of.sizes.m));
    if (std::find(lines.begin(), lines.end(), line_of(m)) == lines.end()) lines.push_back(line_of(m));
    if (std::find(coloured.begin(), coloured.end(), label(m.of)) == coloured.end()) coloured.push_back(label(m.of));
  }
  const std::vector<double> sizes(distinct_sizes.begin(), distinct_sizes.end());
  if (sizes.size() < 2) return "";

  draw::Figure figure{.title = "Time of each job over the number of candidates",
                      .notes = {"thin lines: cpu, wide lines: cuda"},
                      .x = axis_of(sizes),
                      .y = {.label = "seconds, median", .scale = draw::Scale::logarithmic},
                      .columns = 3};
  for (const JobSizes& of : panels_of(report)) {
    draw::Panel panel{.title = text("n = ", of.n),
                      .subtitle = text("d = ", of.d, ", b = ", of.b, ", n_f = ", of.fantasies)};
    for (const Line& line : lines) {
      panel.curves.push_back(curve_of(report, line, of));
      const std::string job = label({line.job, line.variant, {}});
      const auto place = std::find(coloured.begin(), coloured.end(), job);
      if (line.backend == lines.front().backend) panel.curves.back().label = job;  // once for both backends
      panel.curves.back().colour = draw::series_colour(static_cast<std::size_t>(place - coloured.begin()));
    }
    figure.panels.push_back(std::move(panel));
  }
  return svg_document(figure);
}

}  // namespace carbo::bench
