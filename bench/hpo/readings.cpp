#include "bench/hpo/readings.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/hpo/result_tables.hpp"
#include "bench/support/markdown.hpp"
#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

constexpr double comparable = 0.01;  ///< of the error

/// CArBO's savings on one problem.
using Reading = std::function<double(const replay::Summary&)>;

const replay::MethodSummary& next_best(const replay::Summary& cell) {
  return method_of(cell, replay::rivals[cell.savings.value().rival]);
}

double by_medians(const replay::Summary& cell) { return cell.savings.value().share; }

std::vector<double> mean_trace(const replay::MethodSummary& method) {
  std::vector<double> curve(method.traces.front().size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    for (const std::vector<double>& trace : method.traces) curve[i] += trace[i];
    curve[i] /= static_cast<double>(method.traces.size());
  }
  return curve;
}

double by_means(const replay::Summary& cell) {
  std::vector<std::vector<double>> curves;
  for (const std::string& rival : replay::rivals) curves.push_back(mean_trace(method_of(cell, rival)));
  return replay::savings(mean_trace(method_of(cell, replay::ours)), curves[replay::best_final(curves)]);
}

/// The median over the seeds of what each run saves against the next best's run with its seed.
double run_by_run(const replay::Summary& cell) {
  const replay::Traces &ours = method_of(cell, replay::ours).traces, &rival = next_best(cell).traces;
  std::vector<double> saved;
  for (std::size_t seed = 0; seed < ours.size(); ++seed) saved.push_back(replay::savings(ours[seed], rival[seed]));
  return replay::median(saved);
}

double by_comparable_ends(const replay::Summary& cell) {
  const replay::MethodSummary &ours = method_of(cell, replay::ours), &rival = next_best(cell);
  return lenient_savings(ours.middle, rival.middle, comparable * final_error(cell, rival));
}

/// The same with the roles exchanged.
double comparable_ends_of_next_best(const replay::Summary& cell) {
  const replay::MethodSummary &ours = method_of(cell, replay::ours), &rival = next_best(cell);
  return lenient_savings(rival.middle, ours.middle, comparable * final_error(cell, ours));
}

std::string reading_cell(const std::vector<replay::Summary>& cells, const Reading& reading) {
  std::vector<double> saved;
  for (const replay::Summary& cell : cells) saved.push_back(reading(cell));
  const auto level = std::count_if(saved.begin(), saved.end(), [](double share) { return share >= 0; });
  return bench::percent(replay::mean(saved)) + bench::format(" (%td of %zu)", level, saved.size());
}

}  // namespace

double lenient_savings(std::span<const double> ours, std::span<const double> rival, double tolerance) {
  if (ours.size() != rival.size() || ours.size() < 2)
    throw std::invalid_argument("savings compare two curves on one grid of at least two points");
  const auto share = [&](std::span<const double> curve, double end) {
    const std::size_t last = curve.size() - 1;
    return static_cast<double>(std::min(replay::first_reach(curve, end + tolerance), last)) /
           static_cast<double>(last);
  };
  return ours.back() <= rival.back() + tolerance ? 1.0 - share(ours, rival.back()) : share(rival, ours.back()) - 1.0;
}

std::string readings_section(const ExperimentResults& tables) {
  const std::vector<std::pair<std::string, Reading>> readings = {
      {"Medians over the seeds (Table 2)", by_medians},
      {"Means over the seeds", by_means},
      {"Run by run, the median", run_by_run},
      {"Within 1 % of the error", by_comparable_ends},
      {"The next best against CArBO, within 1 %", comparable_ends_of_next_best}};
  bench::TextTable table{{"savings by"}};
  for (const BatchResults& group : tables.batches) table[0].push_back(bench::format("b = %zu", group.batch));
  for (const auto& [title, reading] : readings) {
    auto& row = table.emplace_back();
    row = {title};
    for (const BatchResults& group : tables.batches) row.push_back(reading_cell(group.problems, reading));
  }
  return "## Other readings of \"savings\"\n\n"
         "Mean over the problems of what CArBO saves against the next best, in brackets on how many it saves or is\n"
         "level. By means, curves are means over the seeds and the next best is the one whose mean ends lowest. Run\n"
         "by run, each run is compared with the next best's run of its seed, and a problem counts with the median.\n"
         "Within 1 %, it is enough to come that close to the error with which the other ends; that is easy for both, "
         "so\n"
         "the last row has what the next best saves against CArBO in the same way.\n\n" +
         bench::markdown(table);
}

}  // namespace carbo::hpo
