#include "replay/store.hpp"

#include <stdexcept>
#include <utility>

#include <carbo/to_string.hpp>

#include "replay/csv.hpp"

namespace carbo::replay {

namespace {

const CsvRow run_header = {"problem", "method",      "seed",          "batch",        "candidates", "budget",
                           "spent",   "evaluations", "within_budget", "final_regret", "seconds"};
const CsvRow trace_header = {"problem", "method", "seed", "batch",    "candidates", "budget", "evaluation",
                             "phase",   "alpha",  "cost", "finished", "objective",  "regret", "row"};

CsvRow key_fields(const RunKey& key) {
  return {key.problem,
          key.method,
          std::to_string(key.seed),
          std::to_string(key.batch),
          std::to_string(key.candidates),
          exact(key.budget)};
}

RunKey parse_key(const CsvRow& row) {
  return {.problem = row[0],
          .method = row[1],
          .seed = static_cast<std::uint64_t>(std::stoull(row[2])),
          .batch = static_cast<std::size_t>(std::stoull(row[3])),
          .candidates = static_cast<std::size_t>(std::stoull(row[4])),
          .budget = to_double(row[5])};
}

CsvRow run_row(const RunRecord& run) {
  CsvRow row = key_fields(run.key);
  const auto within = evaluations_within(run, run.key.budget);
  for (std::string field : {exact(run.spent), std::to_string(run.steps.size()), std::to_string(within),
                            exact(incumbent_regret_at(run, run.key.budget)), exact(run.seconds)})
    row.push_back(std::move(field));
  return row;
}

CsvRow trace_row(const RunRecord& run, std::size_t index) {
  const Step& step = run.steps[index];
  CsvRow row = key_fields(run.key);
  row.push_back(std::to_string(index + 1));
  row.push_back(to_string(step.phase));
  for (const double number : {step.alpha, step.cost, step.finished, step.objective, step.regret})
    row.push_back(exact(number));
  row.push_back(step.row ? std::to_string(*step.row) : "");
  return row;
}

Phase parse_phase(const std::string& text) {
  for (const Phase phase : {Phase::warm_start, Phase::design, Phase::search})
    if (text == to_string(phase)) return phase;
  throw std::runtime_error("traces.csv: '" + text + "' is not a phase");
}

Step parse_step(const CsvRow& row) {
  return {.phase = parse_phase(row[7]),
          .alpha = to_double(row[8]),
          .cost = to_double(row[9]),
          .finished = to_double(row[10]),
          .objective = to_double(row[11]),
          .regret = to_double(row[12]),
          .row = row[13].empty() ? std::nullopt : std::optional<std::size_t>(std::stoull(row[13]))};
}

std::string trace_lines(const RunRecord& run) {
  std::string lines;
  for (std::size_t i = 0; i < run.steps.size(); ++i) lines += csv_line(trace_row(run, i)) + '\n';
  return lines;
}

}  // namespace

RunStore::RunStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  if (!load()) rewrite();
  run_file_.open(folder_ / "runs.csv", std::ios::binary | std::ios::app);
  trace_file_.open(folder_ / "traces.csv", std::ios::binary | std::ios::app);
  if (!run_file_ || !trace_file_) throw std::runtime_error("cannot write into " + folder_.string());
}

bool RunStore::load() {
  std::map<RunKey, std::vector<Step>> traces;
  std::size_t trace_rows = 0, run_rows = 0, kept_steps = 0;
  for (const CsvRow& row : read_csv(folder_ / "traces.csv", trace_header)) {
    auto& steps = traces[parse_key(row)];
    ++trace_rows;
    const auto evaluation = static_cast<std::size_t>(std::stoull(row[6]));
    if (evaluation == 1) steps.clear();  // the trace of a run that was cut off and made again
    if (evaluation == steps.size() + 1) steps.push_back(parse_step(row));
  }
  for (const CsvRow& row : read_csv(folder_ / "runs.csv", run_header)) {
    ++run_rows;
    RunRecord run{.key = parse_key(row), .steps = {}, .spent = to_double(row[6]), .seconds = to_double(row[10])};
    run.steps = std::move(traces[run.key]);
    if (run.steps.size() != std::stoull(row[7])) continue;
    kept_steps += run.steps.size();
    fill_incumbents(run.steps);
    runs_.insert_or_assign(run.key, std::move(run));
  }
  return trace_rows == kept_steps && run_rows == runs_.size() && ends_with_line(folder_ / "traces.csv") &&
         ends_with_line(folder_ / "runs.csv");
}

void RunStore::rewrite() const {
  std::string runs = csv_text(run_header, {});
  std::string traces = csv_text(trace_header, {});
  for (const auto& [key, run] : runs_) {
    runs += csv_line(run_row(run)) + '\n';
    traces += trace_lines(run);
  }
  replace_file(folder_ / "traces.csv", traces);
  replace_file(folder_ / "runs.csv", runs);
}

bool RunStore::contains(const RunKey& key) const {
  const std::lock_guard lock(mutex_);
  return runs_.contains(key);
}

std::size_t RunStore::size() const {
  const std::lock_guard lock(mutex_);
  return runs_.size();
}

void RunStore::add(RunRecord run) {
  const std::lock_guard lock(mutex_);
  trace_file_ << trace_lines(run) << std::flush;
  run_file_ << csv_line(run_row(run)) << '\n' << std::flush;
  if (!trace_file_ || !run_file_) throw std::runtime_error("cannot write into " + folder_.string());
  runs_.insert_or_assign(run.key, std::move(run));
}

}  // namespace carbo::replay
