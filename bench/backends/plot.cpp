#include "bench/backends/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "bench/backends/tables.hpp"
#include "bench/study/panels.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

/// Of jobs and their variants, in the order in which they were measured; on the GPU the lines are wider.
constexpr std::array<const char*, 9> colours = {"#d62728", "#1f77b4", "#2ca02c", "#17becf", "#9467bd",
                                                "#8c564b", "#ff7f0e", "#e377c2", "#7f7f7f"};
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

study::Series series_of(const Report& report, const Line& line, const JobSizes& panel,
                        const std::vector<double>& sizes) {
  study::Series series;
  series.width = line.backend == "cpu" ? cpu_width : cuda_width;
  series.middle.assign(sizes.size(), std::numeric_limits<double>::infinity());
  for (const Measurement& m : report.measurements) {
    if (!(line_of(m) == line) || !belongs(m.of, panel)) continue;
    const auto place = std::find(sizes.begin(), sizes.end(), static_cast<double>(m.of.sizes.m)) - sizes.begin();
    series.middle[static_cast<std::size_t>(place)] = m.seconds.median;
  }
  return series;
}

study::ShareAxis axis_of(const std::vector<double>& sizes) {
  study::ShareAxis axis{.label = "candidates m", .ticks = {}};
  for (const double size : sizes) {
    axis.positions.push_back(std::log(size / sizes.front()) / std::log(sizes.back() / sizes.front()));
    axis.ticks.push_back({axis.positions.back(), grouped(size)});
  }
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

  study::PanelFigure figure{.title = "Time of each job over the number of candidates",
                            .y_label = "seconds, median",
                            .notes = {"thin lines: cpu, wide lines: cuda"},
                            .x = axis_of(sizes),
                            .columns = 3};
  for (const JobSizes& of : panels_of(report)) {
    study::Panel panel{.title = text("n = ", of.n),
                       .subtitle = text("d = ", of.d, ", b = ", of.b, ", n_f = ", of.fantasies)};
    for (const Line& line : lines) {
      panel.series.push_back(series_of(report, line, of, sizes));
      const std::string job = label({line.job, line.variant, {}});
      const auto place = std::find(coloured.begin(), coloured.end(), job);
      if (line.backend == lines.front().backend) panel.series.back().label = job;  // once for both backends
      panel.series.back().colour = colours[static_cast<std::size_t>(place - coloured.begin()) % colours.size()];
    }
    figure.panels.push_back(std::move(panel));
  }
  return study::draw(figure);
}

}  // namespace carbo::bench
