#include "program/report/page_data.hpp"

#include <algorithm>
#include <chrono>

#include <carbo/version.h>
#include <carbo/json.hpp>

#include "program/commands/records.hpp"
#include "program/evaluation/evaluator.hpp"
#include "program/evaluation/json_text.hpp"
#include "program/evaluation/placeholders.hpp"
#include "program/run/run.hpp"

namespace carbo::program {
namespace {

/// Of receipts on a page, in characters of JSON; beyond it, only what charts are made of.
constexpr std::size_t most_receipt_text = 2'000'000;
constexpr std::size_t most_reported_values = 20'000;

Json parameter_list(const Space& space) {
  Json list = Json::array();
  for (const Parameter& parameter : space.parameters()) {
    Json one{
        {"name", parameter.name()}, {"kind", to_string(parameter.kind())}, {"log", parameter.scale() == Scale::log}};
    if (!parameter.labels().empty())
      one["labels"] = parameter.labels();
    else if (!parameter.values().empty())
      one["values"] = parameter.values();
    else
      one["range"] = {parameter.lower(), parameter.upper()};
    list.push_back(std::move(one));
  }
  return list;
}

Json only(const Json& receipt, std::initializer_list<const char*> keys) {
  Json some = Json::object();
  for (const char* const key : keys)
    if (const auto found = receipt.find(key); found != receipt.end()) some[key] = *found;
  return some;
}

/// A receipt or null for each trial; the backend, which hardly changes, once.
Json receipt_list(const Study& study, std::span<const Trial> trials, std::span<const std::size_t> shown, Json& page) {
  Json list = Json::array();
  std::size_t length = 0, shortened = 0;
  for (const std::size_t i : shown) {
    const auto receipt = trials[i].id ? study.receipt(*trials[i].id) : std::nullopt;
    if (!receipt) {
      list.push_back(nullptr);
      continue;
    }
    const std::string words = to_json(*receipt);
    Json one = Json::parse(words);
    const Json backend = only(one, {"backend", "backend_reason"});
    if (!page.contains("backend")) page["backend"] = backend;
    if (page["backend"] == backend) {
      one.erase("backend");
      one.erase("backend_reason");
    }
    length += words.size();
    if (length > most_receipt_text) {
      ++shortened;
      one = only(one,
                 {"phase", "alpha", "progress", "spent", "predicted_cost", "predicted_log_cost_sd",
                  "predicted_objective", "predicted_objective_lower", "predicted_objective_upper", "break_even_price",
                  "would_stop", "objective_calibration", "cost_calibration", "cost_model", "seconds"});
    }
    list.push_back(std::move(one));
  }
  page["receipts_shortened"] = shortened;
  return list;
}

/// By the position among those shown, of those that have any.
Json report_lists(const Study& study, std::span<const Trial> trials, std::span<const std::size_t> shown, Json& page) {
  Json lists = Json::object();
  std::size_t values = 0;
  bool cut = false;
  for (std::size_t k = 0; k < shown.size() && !cut; ++k) {
    if (!trials[shown[k]].id) continue;
    Json list = Json::array();
    for (const Report& report : study.reports(*trials[shown[k]].id)) {
      values += report.values.size();
      list.push_back(json_of(report));
    }
    cut = values > most_reported_values;
    if (!list.empty()) lists[std::to_string(k)] = std::move(list);
  }
  page["reports_cut"] = cut;
  return lists;
}

/// Folder of the evaluations' folders as a page links to it, and which of those shown have one.
void add_logs(const OpenedStudy& opened, std::span<const Trial> trials, std::span<const std::size_t> shown,
              const std::filesystem::path& folder, Json& page) {
  if (!opened.file || !opened.file->command || folder.empty()) return;
  const std::filesystem::path runs = evaluations_folder(*opened.file);
  std::error_code error;
  if (!std::filesystem::is_directory(runs, error)) return;
  const std::filesystem::path relative = std::filesystem::relative(std::filesystem::absolute(runs, error),
                                                                   std::filesystem::absolute(folder, error), error);
  if (error) return;
  Json there = Json::array();
  for (const std::size_t i : shown)
    there.push_back(trials[i].id && std::filesystem::exists(runs / std::to_string(*trials[i].id), error) ? 1 : 0);
  page["logs"] = {{"folder", relative.string()}, {"there", std::move(there)}};
}

Json settings_json(const Options& options) {
  Json json{{"acquisition", to_string(options.acquisition)},
            {"initial_design", to_string(options.initial_design)},
            {"batch_size", options.batch_size},
            {"execution", to_string(options.execution)},
            {"accounting", to_string(options.accounting)},
            {"seed", options.seed}};
  if (options.target) json["target"] = *options.target;
  if (options.stopping.price) json["price"] = *options.stopping.price;
  return json;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string command_line_of(const OpenedStudy& opened, const Trial& trial) {
  if (!opened.file || !opened.file->command) return {};
  const Command& command = *opened.file->command;
  Words words = value_texts(trial.configuration);
  words["id"] = std::to_string(trial.id.value_or(0));
  words["worker"] = "0";
  words["seed"] = std::to_string(seed_of(opened.study.options().seed, trial.id.value_or(0)));
  words["dir"] = ".";
  std::string line;
  // The page is read elsewhere than in the folder that the file names.
  if (opened.file->document.root.find("directory") != nullptr) line += "cd " + typed_word(command.directory) + " && ";
  if (command.json_input) line += "printf '%s\\n' " + shell_quoted(json_text(trial.configuration)) + " | ";
  std::string variables;
  for (const auto& [name, pattern] : command.environment)
    variables += typed_word(name + "=" + expand(pattern, words)) + " ";
  if (command.parameters_in_environment)
    for (const Parameter& parameter : trial.configuration.parameters())
      variables += typed_word("CARBO_PARAM_" + parameter.name() + "=" + words.at(parameter.name())) + " ";
  if (!variables.empty()) line += "env " + variables;
  if (command.shell) {
    const std::string script = expand(command.arguments.front(), words, Quoting::shell);
    // Input and variables are those of all of it, not of its first command.
    return line + (command.json_input || !variables.empty() ? "sh -c " + shell_quoted(script) : script);
  }
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string word = expand(command.arguments[i], words);
    const bool assignment = i == 0 && word.find('=') != std::string::npos;
    line += (i > 0 ? " " : "") + (assignment ? shell_quoted(word) : typed_word(word));
  }
  return line;
}

Json study_data(OpenedStudy& opened, const PageSettings& settings) {
  Study& study = opened.study;
  const StudySummary summary = study.summary();
  const std::vector<Trial> trials = study.trials();
  const std::size_t dimensions = study.space().parameters().size();
  const std::size_t most =
      std::min(settings.most_trials, std::max<std::size_t>(settings.most_values / dimensions, 500));
  const std::vector<std::size_t> shown = shown_trials(trials, summary.goal, most);

  Json page{{"version", CARBO_VERSION_STRING}, {"made", seconds_now()}, {"file", study.file().string()}};
  page["summary"] = json_of(summary, study.options().max_evaluations);
  page["settings"] = settings_json(study.options());
  page["parameters"] = parameter_list(study.space());
  page["total"] = trials.size();
  page["trials"] = trial_columns(study, trials, shown);
  page["receipts"] = receipt_list(study, trials, shown, page);
  page["reports"] = report_lists(study, trials, shown, page);
  page["shares"] = cost_shares(trials);
  page["best"] = best_steps(trials, summary.goal, 1000);
  if (summary.best) page["command"] = command_line_of(opened, *summary.best);
  add_logs(opened, trials, shown, settings.folder, page);
  if (settings.models)
    page["models"] = model_data(opened, trials, settings.most_modelled);
  else
    page["models"]["why_not"] = "the page was made without them";
  return page;
}

}  // namespace carbo::program
