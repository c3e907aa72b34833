// The same jobs on the CPU and on a CUDA device, from one program: rates, flops and bytes by formula, shares of the
// machine's own limits measured in the same run, both backends beside each other and the sizes from which on the GPU
// is the faster one. Without a device: what a model says of a card. README.md describes jobs, files and the
// comparison of two results.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cpu_level.hpp"
#include "bench/backends/arguments.hpp"
#include "bench/backends/device_limits.hpp"
#include "bench/backends/environment.hpp"
#include "bench/backends/limits.hpp"
#include "bench/backends/measure.hpp"
#include "bench/backends/plot.hpp"
#include "bench/backends/prediction.hpp"
#include "bench/backends/results.hpp"
#include "bench/backends/tables.hpp"
#include "build_commit.hpp"
#include "replay/csv.hpp"

namespace {

using namespace carbo;
using namespace carbo::bench;

/// Whether a device can be used; why goes into the report.
bool cuda_works(const Arguments& arguments, Report& report) {
  report.environment["device"] = "none used";
  std::string& reason = report.environment["cuda_reason"];
  if (!arguments.cuda) {
    reason = "cuda: not asked for";
    return false;
  }
  internal::BackendChoice choice;
  internal::make_backend({.kind = BackendKind::automatic}, &choice);
  // Where no device can be used the reason is the CPU's: "cpu v3: no CUDA driver was found".
  reason = choice.on_device ? choice.reason : "cuda" + choice.reason.substr(choice.reason.find(':'));
  if (choice.on_device) report.environment["device"] = device_in(choice.reason);
  if (!choice.on_device && arguments.cuda_required)
    throw std::invalid_argument("--backend cuda: no device can be used, " +
                                choice.reason.substr(choice.reason.find(": ") + 2) +
                                "; --backend both measures the CPU and prints the model of a card");
  return choice.on_device;
}

void run_case(const Case& c, const MeasureOptions& options, Report& report) {
  const char* const backend = options.backend.kind == BackendKind::cpu ? "cpu" : "cuda";
  std::fprintf(stderr, "  %s on %s, %s ...", label(c).c_str(), backend, sizes_text(c).c_str());
  try {
    report.measurements.push_back(measure(c, options));
    std::fprintf(stderr, " %s\n", seconds_text(report.measurements.back().seconds.median).c_str());
  } catch (const std::exception& error) {
    report.failures.push_back({c, backend, error.what()});
    std::fprintf(stderr, " %s\n", error.what());
  }
}

void print_section(const char* title, const std::string& body) {
  if (!body.empty()) std::printf("\n## %s\n\n%s", title, body.c_str());
}

/// Throws std::invalid_argument where files cannot be written there.
void make_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK) != 0)
    throw std::invalid_argument("--out: no files can be written into " + folder.string() +
                                (failure ? ": " + failure.message() : ""));
}

/// The cases that can be run; the others go into the report. Throws std::invalid_argument where none can.
std::vector<Case> possible_cases(const Arguments& arguments, Report& report) {
  std::vector<Case> possible;
  for (const Case& c : cases_of(arguments)) {
    if (const std::string reason = why_impossible(c); !reason.empty())
      report.failures.push_back({c, "any backend", reason});
    else
      possible.push_back(c);
  }
  if (possible.empty()) throw std::invalid_argument("no case can be run: " + report.failures.front().reason);
  return possible;
}

void write_files(const std::filesystem::path& folder, const Report& report,
                 const std::vector<Prediction>& predictions) {
  replay::replace_file(folder / "results.json", json_text(report, predictions));
  replay::replace_file(folder / "results.csv", results_csv(report));
  const std::string plot = results_plot(report);
  if (!plot.empty()) replay::replace_file(folder / "results.svg", plot);
  std::printf("\nWritten to %s: results.json, results.csv%s\n", folder.c_str(), plot.empty() ? "" : ", results.svg");
}

/// `asked`: the cards; all that are known where it is empty.
std::vector<Prediction> print_model(const std::vector<Card>& asked, bool on_device, const Report& report) {
  std::vector<Card> cards = asked;
  if (cards.empty()) cards.assign(known_cards().begin(), known_cards().end());
  std::vector<Prediction> predictions = predict(report, cards);
  const std::string why =
      on_device ? "" : "No CUDA device was measured. " + report.environment.at("cuda_reason") + ".";
  if (predictions.empty())
    std::printf("\n%s%sThere is no model of what was measured.\n", why.c_str(), why.empty() ? "" : " ");
  else
    print_section("A model of what cards would take, not a measurement",
                  (why.empty() ? "" : why + "\n\n") + prediction_table(report, predictions, cards));
  return predictions;
}

int run(const Arguments& arguments) {
  Report report;
  const std::vector<Case> cases = possible_cases(arguments, report);
  if (arguments.out) make_folder(*arguments.out);
  report.environment = describe_environment({CARBO_BUILD_FLAGS, CARBO_BUILD_VERSION, build_commit});
  const bool on_device = cuda_works(arguments, report);
  const std::string level = internal::chosen_cpu_level().name;
  report.environment["cpu_level"] = level;
  report.environment["cpu_reason"] = "cpu " + level + (arguments.cpu ? ": asked for" : ": not asked for");
  report.environment["cpu_gemm"] = cpu_gemm_name();
  const MeasureOptions cpu{.backend = {.kind = BackendKind::cpu}, .repeats = arguments.repeats};
  MeasureOptions cuda{.backend = {.kind = BackendKind::cuda}, .repeats = arguments.repeats};
  report.limits = measure_limits(make_cpu_probe, cpu_pass_sizes);
  if (on_device) cuda.device_probes = device_probes(cuda.backend, arguments.limit_size);
  if (cuda.device_probes) {
    report.environment["device_limit_size"] = std::to_string(arguments.limit_size);
    report.device_limits = measure_limits(cuda.device_probes, device_sweep_sizes(arguments.limit_size));
    report.environment["device_clocks"] = device_clocks();  // while the card has not yet clocked down
  }
  for (const Case& c : cases) {
    if (arguments.cpu) run_case(c, cpu, report);
    if (on_device) run_case(c, cuda, report);
  }

  std::printf("# Carbo on its backends\n\n%s", environment_text(report).c_str());
  print_section("Measured", results_table(report));
  print_section("Crossover", crossover_table(report));
  print_section("Not run", failures_text(report));
  std::vector<Prediction> predictions;
  if (!on_device || !arguments.cards.empty()) predictions = print_model(arguments.cards, on_device, report);
  if (arguments.out) write_files(*arguments.out, report, predictions);
  return report.failures.empty() ? 0 : 1;
}

int run_compare(const Arguments& arguments) {
  const auto& [earlier, later] = *arguments.compare;
  const Comparison comparison = compare(read_report(earlier), read_report(later), arguments.threshold);
  if (comparison.changes.empty() && comparison.failing.empty())
    throw UnreadableReport(earlier.string() + " and " + later.string() + " have no result in common");
  std::printf("%s", comparison_text(comparison, arguments.threshold).c_str());
  return comparison.worse() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse_arguments({argv + 1, argv + argc});
    if (arguments.help) {
      std::printf("%s", usage);
      return 0;
    }
    return arguments.compare ? run_compare(arguments) : run(arguments);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "bench_backends: %s\n", error.what());
    return 2;
  } catch (const UnreadableReport& error) {
    std::fprintf(stderr, "bench_backends: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_backends: %s\n", error.what());
    return 1;
  }
}
