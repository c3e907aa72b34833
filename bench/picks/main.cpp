// Picks and batches from large pools by bounds, beside the limits that they are held against, measured in the same
// run. Every job is a child process, so that its peak memory (the bench's own rows included) is its own.
//
//     bench_picks [one|dense|flat|batch16|batch64|batch1024|pool|float32]...
//                 [--all]    with batch1024 and pool, which are left out otherwise unless named
//                 [--data spread|late|noisy] [--n N] [--m M] [--repeats R]       default: of each job
//                 [--dense]    the dense pass at every size itself, where it is scaled from m = 10⁵ otherwise
//     bench_picks --write-botorch FOLDER [--data …] [--n N] [--m M] [--repeats R]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/picks/jobs.hpp"
#include "bench/support/timing.hpp"

namespace {

using namespace carbo::bench;

struct Job {
  const char* name;
  bool by_default;
  std::size_t n;
  std::vector<std::size_t> sizes;  ///< of the pool
  int repeats;
  std::function<void(const JobSize&)> run;
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all = {
      {"one", true, 1000, {100000, 1000000}, 7, pick_against_matern_pass},
      {"dense", true, 1000, {100000, 1000000}, 3, pick_against_dense_pass},
      {"flat", true, 1000, {100000}, 5, flat_against_dense_pass},
      {"batch16", true, 1000, {100000}, 5, [](const JobSize& size) { batch_against_pick(size, 16, 2); }},
      {"batch64", true, 1000, {1000000}, 3, [](const JobSize& size) { batch_against_pick(size, 64, 7); }},
      {"batch1024", false, 1000, {1000000}, 1, [](const JobSize& size) { batch_against_pick(size, 1024, 75); }},
      {"pool", false, 200, {100000000}, 1, pick_from_streamed_pool},
      {"float32", true, 1000, {100000}, 3, float32_by_noise},
  };
  return all;
}

struct CommandLine {
  std::vector<std::string> jobs;
  bool all = false;
  bool dense = false;
  std::optional<DataSet> data;
  std::optional<std::size_t> n;
  std::optional<std::size_t> m;
  std::optional<int> repeats;
  std::string botorch_folder;
};

std::size_t positive(const std::string& option, const std::string& text) {
  unsigned long long value = 0;
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) value = std::stoull(text);
  if (value == 0) throw std::invalid_argument(option + " needs a whole number above 0, not '" + text + "'");
  return value;
}

DataSet data_of(const std::string& text) {
  for (const DataSet data : data_sets)
    if (text == name_of(data)) return data;
  throw std::invalid_argument("--data is spread, late or noisy, not '" + text + "'");
}

void add_job(CommandLine& line, const std::string& name) {
  if (std::none_of(jobs().begin(), jobs().end(), [&](const Job& job) { return name == job.name; })) {
    std::string known;
    for (const Job& job : jobs()) known += std::string(" ") + job.name;
    throw std::invalid_argument("unknown job '" + name + "'; there are" + known);
  }
  line.jobs.push_back(name);
}

CommandLine parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (i + 1 == arguments.size()) throw std::invalid_argument(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--all")
      line.all = true;
    else if (argument == "--dense")
      line.dense = true;
    else if (argument == "--data")
      line.data = data_of(value());
    else if (argument == "--n")
      line.n = positive("--n", value());
    else if (argument == "--m")
      line.m = positive("--m", value());
    else if (argument == "--repeats")
      line.repeats = static_cast<int>(positive("--repeats", value()));
    else if (argument == "--write-botorch")
      line.botorch_folder = value();
    else
      add_job(line, argument);
  }
  return line;
}

bool wanted(const CommandLine& line, const Job& job) {
  if (line.all) return true;
  if (line.jobs.empty()) return job.by_default;
  return std::find(line.jobs.begin(), line.jobs.end(), job.name) != line.jobs.end();
}

/// Runs one job at all its sizes on all data sets that were asked for.
bool run(const CommandLine& line, const Job& job) {
  bool good = true;
  for (const std::size_t m : line.m ? std::vector<std::size_t>{*line.m} : job.sizes)
    for (const DataSet data : data_sets) {
      if (line.data && *line.data != data) continue;
      const JobSize size{data, line.n.value_or(job.n), m, line.repeats.value_or(job.repeats), line.dense};
      good = run_apart([&] { job.run(size); }) && good;
    }
  return good;
}

int run(const CommandLine& line) {
  if (!line.botorch_folder.empty()) {
    batch_for_peer({line.data.value_or(DataSet::late), line.n.value_or(1000), line.m.value_or(100000),
                    line.repeats.value_or(5), false},
                   16, line.botorch_folder);
    return 0;
  }
  std::printf("%s, %u cores, Hartmann-6, alpha 0.5, medians; bars are for late\n%s\n", processor_name().c_str(),
              std::thread::hardware_concurrency(), CARBO_BUILD_FLAGS);
  bool good = true;
  for (const Job& job : jobs())
    if (wanted(line, job)) good = run(line, job) && good;
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse({argv + 1, argv + argc}));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "bench_picks: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_picks: %s\n", error.what());
    return 1;
  }
}
