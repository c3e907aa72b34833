#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <carbo/to_string.hpp>

#include "bench/cost/rmse.hpp"
#include "bench/cost/timings.hpp"
#include "bench/draw/figure.hpp"
#include "bench/support/markdown.hpp"
#include "replay/csv.hpp"
#include "support/thread_pool.hpp"

namespace {

using namespace carbo::cost_bench;
namespace bench = carbo::bench;
namespace replay = carbo::replay;

constexpr const char* usage =
    "carbo_cost_rmse [OUT_FOLDER [DATA_FOLDER]]\n"
    "\n"
    "Error of cost models on configurations that they were not taught, by the number of observations, from the\n"
    "measured trainings in DATA_FOLDER (the project's own). Writes rmse.csv, rmse.md and rmse.svg to OUT_FOLDER "
    "(.).\n";

using Curves = std::vector<std::vector<ErrorCurve>>;  ///< by data set, then by model

Curves measure(const std::filesystem::path& data, const RmseSettings& settings) {
  Curves curves(data_sources().size());
  carbo::internal::ThreadPool pool(0);
  pool.parallel_for(curves.size(), [&](std::size_t i) {
    curves[i] = error_curves(read_timings(data, data_sources()[i]), data_sources()[i], settings);
  });
  return curves;
}

std::string csv(const Curves& curves, const RmseSettings& settings) {
  std::vector<replay::CsvRow> rows;
  for (std::size_t s = 0; s < curves.size(); ++s)
    for (std::size_t m = 0; m < curves[s].size(); ++m)
      for (std::size_t i = 0; i < settings.observations.size(); ++i) {
        const ErrorCurve& curve = curves[s][m];
        rows.push_back({data_sources()[s].name, carbo::to_string(compared_models()[m].kind),
                        std::to_string(settings.observations[i]), bench::format("%.4g", curve.lower[i]),
                        bench::format("%.4g", curve.middle[i]), bench::format("%.4g", curve.upper[i])});
      }
  return replay::csv_text({"data", "model", "observations", "rmse_25", "rmse_50", "rmse_75"}, rows);
}

std::string table(const Curves& curves, const RmseSettings& settings) {
  bench::TextTable rows{{"data, model"}};
  for (const std::size_t count : settings.observations) rows[0].push_back(std::to_string(count));
  for (std::size_t s = 0; s < curves.size(); ++s)
    for (std::size_t m = 0; m < curves[s].size(); ++m) {
      auto& row = rows.emplace_back();
      row.push_back(data_sources()[s].title + ", " + compared_models()[m].title);
      for (const double error : curves[s][m].middle) row.push_back(bench::format("%.3f", error));
    }
  return "RMSE of the predicted log cost by number of observations: median of " + std::to_string(settings.repeats) +
         " random splits,\n" + std::to_string(settings.held_out) + " configurations held out.\n\n" +
         bench::markdown(rows);
}

carbo::draw::Axis observation_axis(const RmseSettings& settings) {
  carbo::draw::Axis axis{.label = "observations", .scale = carbo::draw::Scale::logarithmic};
  for (const std::size_t count : settings.observations) {
    const bool labelled = count == 5 || count == 10 || count == 20 || count == 50 || count == 100;
    axis.ticks.push_back({static_cast<double>(count), labelled ? std::to_string(count) : ""});
  }
  return axis;
}

std::string figure(const Curves& curves, const RmseSettings& settings) {
  carbo::draw::Figure figure{
      .title = "Error of cost models on configurations not seen",
      .notes = {"Line: median of " + std::to_string(settings.repeats) + " random splits.", "Band: quartiles.",
                std::to_string(settings.held_out) + " configurations held out.",
                "Measured trainings of perceptrons."},
      .x = observation_axis(settings),
      .y = {.label = "RMSE of the predicted log cost", .scale = carbo::draw::Scale::logarithmic},
      .columns = 3};
  for (std::size_t s = 0; s < curves.size(); ++s) {
    carbo::draw::Panel panel{.title = data_sources()[s].title};
    for (std::size_t m = 0; m < curves[s].size(); ++m)
      panel.curves.push_back({.label = compared_models()[m].title,
                              .colour = compared_models()[m].colour,
                              .x = {settings.observations.begin(), settings.observations.end()},
                              .middle = curves[s][m].middle,
                              .lower = curves[s][m].lower,
                              .upper = curves[s][m].upper,
                              .join = carbo::draw::Join::straight});
    figure.panels.push_back(std::move(panel));
  }
  return svg_document(figure);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 2 || (!words.empty() && words[0].starts_with("--"))) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    const std::filesystem::path out = words.empty() ? "." : words[0];
    const std::filesystem::path data = words.size() > 1 ? words[1] : CARBO_COST_DATA;
    const RmseSettings settings;
    std::filesystem::create_directories(out);
    const Curves curves = measure(data, settings);
    replay::replace_file(out / "rmse.csv", csv(curves, settings));
    replay::replace_file(out / "rmse.md", table(curves, settings));
    replay::replace_file(out / "rmse.svg", figure(curves, settings));
    std::printf("%s\n", table(curves, settings).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_cost_rmse: %s\n", error.what());
    return 1;
  }
}
