#include "program/file/evaluation_settings.hpp"

#include <algorithm>
#include <cmath>

#include "program/evaluation/placeholders.hpp"
#include "program/file/amount.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

/// Words as a shell would split them: blanks separate, quotes group, a backslash takes the next character. Whatever
/// else a shell would make something of is refused.
std::vector<std::string> words_of(const Document& document, const Node& node) {
  const std::string& line = *node.get<std::string>();
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else if (c == '\\' && quote == '"' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\'))
        word += line[++i];
      else
        word += c;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else if (std::string_view("|&;<>$`*?~#()").find(c) != std::string_view::npos) {
      document.refuse(node.place, text("command has a '", c,
                                       "', which only a shell understands; quote it where it is "
                                       "meant as it is, or write shell = \"...\" instead"));
    } else {
      begun = true;
      if (c == '\'' || c == '"')
        quote = c;
      else
        word += c == '\\' && i + 1 < line.size() ? line[++i] : c;
    }
  }
  if (quote != '\0') document.refuse(node.place, "command has a quote that is never closed");
  if (begun) words.push_back(word);
  return words;
}

/// Every `{name}` must stand for something.
void check_placeholders(const Document& document, const Place& place, const std::string& what,
                        const std::string& pattern, const Space* space) {
  std::vector<std::string> known{"id", "seed", "worker", "dir"};
  if (space != nullptr)
    for (const Parameter& parameter : space->parameters()) known.push_back(parameter.name());
  try {
    for (const std::string& name : placeholders(pattern)) {
      if (std::ranges::find(known, name) != known.end()) continue;
      document.refuse(place, text(what, ": '{", name, "}' stands for nothing", suggestion_for(name, known),
                                  " (braces of your own are written twice, {{ and }})"));
    }
  } catch (const InvalidOptions& error) {
    document.refuse(place, text(what, ": ", error.what()));
  }
}

double seconds_of(const Document& document, const Node& node, std::string_view what) {
  const auto* const words = node.get<std::string>();
  if (words == nullptr) return number_of(document, node, what);
  std::string fault;
  const auto amount = parse_amount(*words, fault);
  const double scale = amount ? amount->unit.empty() ? 1 : seconds_in(amount->unit) : 0;
  if (scale == 0) document.refuse(node.place, text(what, " is '", *words, "'; give a time, such as 90s or 5 min"));
  return amount->number * scale;
}

std::size_t bytes_of(const Document& document, const Node& node, std::string_view what) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr Unit units[] = {{"B", 1},      {"kB", 1e3},       {"KB", 1e3},          {"MB", 1e6}, {"GB", 1e9},
                            {"KiB", 1024}, {"MiB", 1048576.}, {"GiB", 1073741824.}, {"bytes", 1}};
  const auto* const words = node.get<std::string>();
  if (words == nullptr) return static_cast<std::size_t>(whole_of(document, node, what, 0));
  std::string fault;
  const auto amount = parse_amount(*words, fault);
  for (const Unit& unit : units)
    if (amount && amount->unit == unit.name && amount->number >= 0 && amount->number * unit.bytes < 1e18)
      return static_cast<std::size_t>(amount->number * unit.bytes);
  document.refuse(node.place, text(what, " is '", *words, "'; give bytes, such as 65536 or \"64 MiB\""));
}

/// What the launcher gives to sbatch itself; each with its value behind it or after '='.
constexpr std::string_view own_options[] = {"--array", "-a",      "--job-name", "-J",        "--output",
                                            "-o",      "--error", "-e",         "-D",        "--chdir",
                                            "--wait",  "-W",      "--wrap",     "--requeue", "--parsable"};

void refuse_own_options(const Section& slurm, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    const std::string name = option.substr(0, option.find('='));
    if (std::ranges::find(own_options, name) != std::end(own_options))
      slurm.document().refuse(slurm.place("options"),
                              text("slurm.options has ", name,
                                   ", which carbo run gives to sbatch itself; give others, such as --partition=gpu"));
  }
}

SlurmSettings read_slurm(Section& file) {
  SlurmSettings slurm;
  const Node* const node = file.find("slurm");
  if (node == nullptr) return slurm;
  Section section(file.document(), *node, "slurm");
  section.read("options", slurm.options);
  refuse_own_options(section, slurm.options);
  section.read("setup", slurm.setup);
  const auto seconds = [&](const char* key, double least, double& value) {
    const Node* const given = section.find(key);
    if (given == nullptr) return;
    value = seconds_of(file.document(), *given, text("slurm.", key));
    if (!(value >= least && value <= 3600))
      file.document().refuse(given->place,
                             text("slurm.", key, " is ", value, " s; give a time from ", least, " s to an hour"));
  };
  seconds("poll", 0.1, slurm.poll);
  seconds("settle", 0, slurm.settle);
  constexpr std::int64_t most_losses = 1000000;
  if (const Node* const losses = section.find("losses"))
    slurm.losses = static_cast<std::size_t>(whole_of(file.document(), *losses, "slurm.losses", 1, most_losses));
  std::string stopped = "leave";
  section.read("stopped", stopped);
  if (stopped != "leave" && stopped != "cancel")
    file.document().refuse(section.place("stopped"), text("slurm.stopped is '", stopped,
                                                          "'; give leave or cancel: what becomes of tasks when the "
                                                          "run is ended"));
  slurm.cancels = stopped == "cancel";
  section.refuse_unread();
  return slurm;
}

void read_launcher(Section& file, RunSettings& run) {
  const Document& document = file.document();
  std::string launcher = "local";
  file.read("launcher", launcher);
  if (launcher != "local" && launcher != "slurm")
    document.refuse(file.place("launcher"), text("launcher is '", launcher, "'; give local or slurm"));
  run.slurm = read_slurm(file);
  if (launcher == "local") {
    if (file.find("slurm") != nullptr)
      document.refuse(file.place("slurm"),
                      "there is a section slurm, but launcher is not \"slurm\"; say so, or leave it out");
    return;
  }
  run.launcher = RunSettings::Launcher::slurm;
  if (run.pin || !run.gpus.empty())
    document.refuse(file.place(run.pin ? "pin" : "gpus"),
                    "Slurm gives processors and devices to its tasks; ask for them by slurm.options, such as "
                    "[\"--cpus-per-task=4\", \"--gres=gpu:1\"]");
}

}  // namespace

std::optional<Command> read_command(Section& file, const Space& space) {
  const Document& document = file.document();
  Command command;
  const Node* const words = file.find("command");
  const Node* const line = file.find("shell");
  std::string input;
  file.read("input", input);
  file.read("parameters_in_environment", command.parameters_in_environment);
  file.read("directory", command.directory);
  if (const Node* const environment = file.find("environment"))
    command.environment = named_texts_of(document, *environment, "environment");
  if (!input.empty() && input != "json")
    document.refuse(file.place("input"), text("input is '", input, "'; give json, or leave it out"));
  command.json_input = input == "json";
  if (words != nullptr && line != nullptr)
    document.refuse(file.place("shell"), "there is a command and a shell line; give one of them");
  if (words == nullptr && line == nullptr) return std::nullopt;
  if (line != nullptr) {
    command.shell = true;
    command.arguments = {text_of(document, *line, "shell")};
  } else {
    command.arguments =
        words->get<std::string>() != nullptr ? words_of(document, *words) : texts_of(document, *words, "command");
  }
  const Node& given = line != nullptr ? *line : *words;
  if (command.arguments.empty() || command.arguments.front().empty())
    document.refuse(given.place, "the command is empty; give the program and its arguments");
  for (const std::string& argument : command.arguments)
    check_placeholders(document, given.place, "command", argument, &space);
  for (const auto& [name, value] : command.environment)
    check_placeholders(document, file.place("environment"), "environment." + name, value, &space);
  return command;
}

RunSettings read_run_settings(Section& file) {
  const Document& document = file.document();
  RunSettings run;
  file.read("workers", run.workers, 1);
  file.read("pin", run.pin);
  file.read("retries", run.retries);
  file.read("charge_interrupted", run.charge_interrupted);
  if (const Node* const timeout = file.find("timeout")) run.timeout = seconds_of(document, *timeout, "timeout");
  if (run.timeout && !(std::isfinite(*run.timeout) && *run.timeout > 0))
    document.refuse(file.place("timeout"), text("timeout is ", *run.timeout, " s; give a finite time above 0"));
  if (const Node* const grace = file.find("grace")) run.grace = seconds_of(document, *grace, "grace");
  if (!(std::isfinite(run.grace) && run.grace >= 0))
    document.refuse(file.place("grace"), text("grace is ", run.grace, " s; give a finite time, 0 or above"));
  if (const Node* const limit = file.find("output_limit"))
    run.output_limit = bytes_of(document, *limit, "output_limit");
  const auto whole_numbers = [&](const char* key, std::int64_t most, std::vector<int>& values) {
    const Node* const node = file.find(key);
    if (node == nullptr) return;
    const auto* const elements = node->get<Node::Array>();
    if (elements == nullptr)
      document.refuse(node->place, text(key, " is ", kind_of(*node), "; give an array of numbers"));
    for (const Node& element : *elements)
      values.push_back(static_cast<int>(whole_of(document, element, text("an element of ", key), 0, most)));
  };
  whole_numbers("gpus", 1023, run.gpus);
  whole_numbers("retry_codes", 255, run.retry_codes);
  if (run.retries > 0 && run.retry_codes.empty())
    document.refuse(file.place("retries"), text("retries is ", run.retries,
                                                ", but no exit code asks for one; give retry_codes = [75] or such"));
  if (run.retries == 0 && !run.retry_codes.empty()) run.retries = 1;
  read_launcher(file, run);
  return run;
}

void read_study_settings(Section& file, StudyOptions& how) {
  const Document& document = file.document();
  const auto choose = [&](const char* key, const char* first, const char* second) {
    std::string word = first;
    file.read(key, word);
    if (word != first && word != second)
      document.refuse(file.place(key), text(key, " is '", word, "'; give ", first, " or ", second));
    return word == second;
  };
  if (choose("durability", "full", "normal")) how.durability = Durability::normal;
  if (choose("lost", "hand_out", "charge")) how.lost = LostPoint::charge;
  if (const Node* const lease = file.find("lease")) {
    const double seconds = seconds_of(document, *lease, "lease");
    if (!(seconds >= 1 && seconds <= 1e9))
      document.refuse(lease->place, text("lease is ", seconds, " s; give a time from 1 s on"));
    how.lease = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
  if (const Node* const wait = file.find("busy_wait")) {
    const double seconds = seconds_of(document, *wait, "busy_wait");
    if (!(seconds >= 0 && seconds <= 1e6))
      document.refuse(wait->place, text("busy_wait is ", seconds, " s; give a time from 0 to 1,000,000 s"));
    how.busy_wait = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
}

}  // namespace carbo::program
