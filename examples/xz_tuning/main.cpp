// Finds settings of xz that suit one kind of file. Every run of xz has its own price, from hundredths of a second to
// seconds of CPU time, and the search is given a budget of CPU seconds rather than a number of runs.

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <carbo/carbo.hpp>

#include "arguments.hpp"
#include "report.hpp"
#include "scratch.hpp"
#include "sensor_data.hpp"
#include "xz.hpp"

namespace {

using namespace xz_tuning;

constexpr std::uint64_t data_seed = 1;

carbo::Options search_options(const Arguments& arguments) {
  carbo::Options options;
  options.budget = arguments.budget;
  options.batch_size = arguments.workers;
  options.seed = arguments.seed;
  options.accounting = carbo::Accounting::sum;  // CPU seconds of all workers together
  options.execution = carbo::Execution::asynchronous;
  return options;
}

carbo::Result search(const Arguments& arguments, const std::string& file, std::size_t baseline_bytes) {
  const auto objective = [&](const carbo::Configuration& configuration) -> carbo::Evaluation {
    const Compression run = compress(filter_arguments(configuration), file);
    if (!run.error.empty()) throw carbo::EvaluationFailed(run.cpu_seconds, run.error);
    return {.objective = std::log(static_cast<double>(run.bytes)), .cost = run.cpu_seconds};
  };
  ProgressLine line(baseline_bytes);
  carbo::Hooks hooks;
  hooks.progress = [&](const carbo::Progress& progress) { line.show(progress); };
  carbo::Result result = carbo::minimize(search_space(), search_options(arguments), objective, hooks);
  line.finish();
  return result;
}

int tune(const Arguments& arguments) {
  const std::string data = sensor_records(arguments.size, data_seed);
  ScratchFile file("carbo_sensor_records", data);
  const Compression baseline = compress({"-T1", "-9e"}, file.path());
  if (!baseline.error.empty()) throw std::runtime_error("xz -9e: " + baseline.error);
  std::printf("Data: %s bytes of sensor records. xz -9e: %s bytes in %.2f CPU seconds.\n",
              grouped(data.size()).c_str(), grouped(baseline.bytes).c_str(), baseline.cpu_seconds);
  std::printf("Budget: %g CPU seconds, %zu at a time, seed %llu.\n", arguments.budget, arguments.workers,
              static_cast<unsigned long long>(arguments.seed));

  const carbo::Result result = search(arguments, file.path(), baseline.bytes);
  if (arguments.verbose) print_receipts(result);
  if (!result.best) throw std::runtime_error("no run of xz succeeded");
  std::size_t failures = 0;
  for (const carbo::Observation& run : result.observations)
    failures += run.status != carbo::ObservationStatus::succeeded;
  std::printf("%zu runs of xz (%zu failed), %.1f CPU seconds, %.1f seconds in all; ended by: %s.\n",
              result.observations.size(), failures, result.spent, result.elapsed_seconds,
              carbo::to_string(result.stop_reason));

  file.keep("carbo_sensor_records_" + std::to_string(data.size()) + ".bin");
  print_comparison(result, baseline, file.path());
  const std::string mismatch = verify(filter_arguments(result.best->configuration), file.path(), data);
  if (!mismatch.empty()) throw std::runtime_error("the best result is not usable: " + mismatch);
  std::printf("Decompressed again and compared: identical.\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse_arguments(argc, argv);
    if (arguments.help) {
      std::printf("%s", usage().c_str());
      return 0;
    }
    return tune(arguments);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "xz_tuning: %s (--help lists the options)\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xz_tuning: %s\n", error.what());
    return 1;
  }
}
