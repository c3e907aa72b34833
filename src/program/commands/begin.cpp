#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>
#include <unistd.h>

#include "program/commands/commands.hpp"
#include "program/evaluation/evaluator.hpp"
#include "program/evaluation/placeholders.hpp"
#include "program/file/open_study.hpp"
#include "program/file/study_file.hpp"
#include "program/support/files.hpp"
#include "program/support/json.hpp"

namespace carbo::program {
namespace {

constexpr const char* example =
    R"(# A study of Carbo: what is tuned, what it may cost, and how one evaluation is made.
# carbo check says whether it is right; carbo run runs it, and goes on where it was stopped.

budget = "10 min"              # or "2h", "40 GPUh", "$25", "200 evaluations"
goal = "minimize"              # or "maximize"
# target = 0.1                 # stop once this is reached
# seed = 1

# One evaluation: no shell looks at it. {name} stands for the value of a parameter, {dir} for a folder of its own.
command = ["python3", "train.py", "--rate={rate}", "--layers={layers}", "--solver={solver}"]
# shell = "python3 train.py --rate={rate} 2> {dir}/log"    # with a shell; values are quoted
# input = "json"               # the values as JSON on standard input
# timeout = "30 min"
workers = 1                    # evaluations at a time
# gpus = [0, 1]                # each worker sees one of them
# launcher = "slurm"           # each evaluation is a task of a job array; [slurm] has what sbatch is told

# How its result is read: "json:KEY" (a line of JSON on standard output), "stdout:PATTERN", "stderr:PATTERN",
# "file:PATH"; measured: "wall", "cpu", "memory".
objective = "json:loss"
cost = "wall"

# constraints = ["rate * layers <= 1", 'solver != "sgd" or rate < 0.1']
# prior = "earlier.csv"        # results from before: columns rate, layers, solver, objective, cost

# Every setting of the library has its own name: acquisition = "ei_cool", [design], [surrogate], [cost], ...

[parameters]
rate = "1e-5..0.1 log"         # real, because a bound has a point or an exponent
layers = "1..8"                # whole
solver = ["adam", "sgd"]       # one of these
# width = [32, 64, 128]        # numbers to choose from
# size = "small<medium<large"  # names in order

# [[try]]                      # a point to begin with
# rate = 0.001
# layers = 2
# solver = "adam"
)";

std::string domain_text(const Parameter& parameter) {
  const auto join = [](const auto& values, const auto& shown) {
    std::string words;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < values.size() && i < most; ++i)
      words += (words.empty() ? "" : ", ") + shown(values[i]);
    return values.size() > most ? words + ", ..." : words;
  };
  if (!parameter.labels().empty())
    return join(parameter.labels(), [](const std::string& label) { return printable(label); });
  if (!parameter.values().empty()) return join(parameter.values(), [](double value) { return short_number(value); });
  return fmt::format("{} to {}{}", short_number(parameter.lower()), short_number(parameter.upper()),
                     parameter.scale() == Scale::log ? ", log" : "");
}

std::string command_text(const StudyFile& file) {
  if (!file.command) return "none: others evaluate (carbo ask, carbo tell)";
  std::string words;
  for (const std::string& argument : file.command->arguments)
    words += (words.empty() ? "" : " ") + (file.command->shell ? argument : typed_word(argument, "{}"));
  return printable(words);
}

/// Whether the command's program is where it would be looked for; true where a value decides.
bool program_is_there(const StudyFile& file) {
  if (!file.command || file.command->shell) return true;
  const std::string& program = file.command->arguments.front();
  if (program.find('{') != std::string::npos) return true;
  const std::filesystem::path directory = file.command->directory.empty() ? "." : file.command->directory;
  if (program.find('/') != std::string::npos) return ::access((directory / program).c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (::access((std::filesystem::path(rest.substr(0, end)) / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string budget_text(const StudyFile& file) {
  std::string words = file.counts_evaluations ? "" : amount_text(file.options.budget, file.options.cost.unit);
  if (file.options.max_evaluations)
    words += fmt::format("{}{} evaluations", words.empty() ? "" : ", at most ", *file.options.max_evaluations);
  return words;
}

Json check_json(const StudyFile& file, const MemoryPlan& plan, const std::vector<std::string>& warnings) {
  Json parameters = Json::array();
  for (const Parameter& parameter : file.space.parameters())
    parameters.push_back(
        {{"name", parameter.name()}, {"kind", to_string(parameter.kind())}, {"domain", domain_text(parameter)}});
  return {{"name", file.name},
          {"storage", file.storage.string()},
          {"budget", budget_text(file)},
          {"cost_unit", file.options.cost.unit},
          {"workers", file.run.workers},
          {"parameters", std::move(parameters)},
          {"constraints", file.space.constraint_names()},
          {"prior", file.prior.size()},
          {"tries", file.tries.size()},
          {"memory_bytes", plan.total_bytes()},
          {"candidates", plan.candidates},
          {"warnings", warnings}};
}

void print(Terminal& terminal, const StudyFile& file, const MemoryPlan& plan,
           const std::vector<std::string>& warnings) {
  const auto line = [&](const char* title, const std::string& words) {
    terminal.out << "  " << terminal.dim(fmt::format("{:<11}", title)) << words << "\n";
  };
  terminal.out << terminal.bold(printable(file.name)) << ": " << terminal.green("the study file is right") << "\n";
  line("budget", budget_text(file));
  line("goal", to_string(file.options.goal));
  line("command", command_text(file));
  line("workers", fmt::format("{}, {}", file.run.workers, to_string(file.options.execution)));
  line("storage", printable(file.storage.string()));
  for (const Parameter& parameter : file.space.parameters())
    line("parameter",
         fmt::format("{}: {}, {}", printable(parameter.name()), to_string(parameter.kind()), domain_text(parameter)));
  for (const std::string& name : file.space.constraint_names()) line("constraint", printable(name));
  if (!file.prior.empty()) line("prior", fmt::format("{} results", file.prior.size()));
  if (!file.tries.empty()) line("try", fmt::format("{} points first", file.tries.size()));
  line("memory", fmt::format("{} for {} candidates and the models",
                             bytes_text(static_cast<double>(plan.total_bytes())), plan.candidates));
  if (terminal.verbose) terminal.out << plan.describe() << "\n";
  for (const std::string& warning : warnings) line("warning", terminal.yellow(printable(warning)));
}

}  // namespace

Exit init(Terminal& terminal, const InitArguments& arguments) {
  if (arguments.file == "-") {
    terminal.out << example;
    return Exit::success;
  }
  write_new_file(arguments.file, example);
  if (!terminal.quiet)
    terminal.out << fmt::format("wrote {}; change it to your program, then: carbo check {}\n",
                                printable(arguments.file), printable(arguments.file));
  return Exit::success;
}

Exit check(Terminal& terminal, const StudyArgument& argument) {
  const StudyFile file = study_file_of(argument.study, argument.name);
  try {
    Optimizer optimizer(file.space, file.options);
    for (const Observation& seen : file.prior) {
      if (std::isnan(seen.cost))
        optimizer.tell_prior(seen.configuration, seen.objective);
      else
        optimizer.tell(seen);
    }
    for (const Configuration& configuration : file.tries) optimizer.enqueue(configuration);
    const MemoryPlan plan = optimizer.memory_plan();
    std::vector<std::string> warnings;
    for (const std::string& warning : optimizer.warnings()) warnings.push_back(in_words_of_the_file(warning));
    if (!program_is_there(file))
      warnings.push_back(fmt::format("{} is no program that can be run from here; carbo run would stop at once",
                                     file.command->arguments.front()));
    const std::string remark = file.command ? remark_on(*file.command, file.space) : std::string();
    if (!remark.empty()) warnings.push_back(remark);
    if (terminal.json)
      terminal.out << json_page(check_json(file, plan, warnings)) << "\n";
    else if (!terminal.quiet)
      print(terminal, file, plan, warnings);
  } catch (const Error& error) {
    rethrow_with_place(file.document, error);
  }
  return Exit::success;
}

}  // namespace carbo::program
