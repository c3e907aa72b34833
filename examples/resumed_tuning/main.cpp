// The tuning of xz as a job that may end at any moment: every process goes on where the last one stopped, and makes a
// few runs of xz. What it all comes to is the same, to the bit, as in one process.
//
//   resumed_tuning STATE RUNS
//
// STATE is a file, which the first process makes; RUNS is how many runs of xz this process makes at most. The budget
// is of steps that a run of xz takes by its settings, because CPU time is another one every time.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <carbo/carbo.hpp>

#include "scratch.hpp"
#include "sensor_data.hpp"
#include "xz.hpp"

namespace {

constexpr std::size_t data_bytes = 64u << 10;

double steps(const carbo::Configuration& x) {
  const bool tree = x.category("mf").starts_with("bt");
  const double per_byte = std::sqrt(x.real("depth")) * std::log2(x.real("nice")) * (tree ? 3.0 : 1.0);
  return per_byte * (x.category("mode") == "normal" ? 2.0 : 1.0);
}

carbo::Options search_options() {
  carbo::Options options{.budget = 4000.0, .seed = 7, .max_evaluations = 45};
  options.cost.unit = "steps";
  options.candidates.count = 1024;
  options.backend.kind = carbo::BackendKind::cpu;
  options.backend.memory_bytes = std::size_t{1} << 30;
  return options;
}

carbo::Optimizer begun_or_restored(const std::string& file) {
  const carbo::Space space = resumed_tuning::search_space();
  if (!std::filesystem::exists(file)) return {space, search_options()};
  std::ostringstream state;
  state << std::ifstream(file).rdbuf();
  carbo::RestoreOptions given;
  given.constraints["lc + lp <= 4"] = [space](const carbo::Configuration& x) {
    return space.allows(space.configuration(x.numbers()));
  };
  return carbo::Optimizer::restore(state.str(), given);
}

/// Under another name first: a process that ends while it writes leaves the last state as it was.
void save(const carbo::Optimizer& optimizer, const std::string& file) {
  std::ofstream(file + ".new") << optimizer.save() << std::flush;
  std::filesystem::rename(file + ".new", file);
}

void evaluate(carbo::Optimizer& optimizer, const carbo::Suggestion& suggestion, const std::string& data) {
  const auto run = resumed_tuning::compress(resumed_tuning::filter_arguments(suggestion.configuration), data);
  const double cost = steps(suggestion.configuration);
  if (run.error.empty())
    optimizer.tell(suggestion.id, {.objective = std::log(static_cast<double>(run.bytes)), .cost = cost});
  else
    optimizer.fail(suggestion.id, cost, run.error);
}

void go_on(const std::string& file, std::size_t runs) {
  const resumed_tuning::ScratchFile data("carbo_sensor_records", resumed_tuning::sensor_records(data_bytes, 1));
  carbo::Optimizer optimizer = begun_or_restored(file);
  for (const std::string& warning : optimizer.warnings()) std::printf("warning: %s\n", warning.c_str());
  for (std::size_t made = 0; made < runs && !optimizer.done(); ++made) {
    // What was under way when a process ended is evaluated first.
    const auto left_over = optimizer.pending_suggestions();
    const auto batch = left_over.empty() ? optimizer.ask(1) : left_over;
    if (batch.empty()) break;
    save(optimizer, file);
    evaluate(optimizer, batch.front(), data.path());
  }
  save(optimizer, file);
  std::printf("%zu runs of xz, %.1f steps, %.0f bytes at best; %s\n", optimizer.observations().size(),
              optimizer.spent(), std::exp(optimizer.best().value().objective),
              carbo::to_string(optimizer.stop_reason()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::invalid_argument("usage: resumed_tuning STATE RUNS");
    go_on(argv[1], std::strtoull(argv[2], nullptr, 10));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "resumed_tuning: %s\n", error.what());
    return 1;
  }
}
