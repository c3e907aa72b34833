#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/support/terminal.hpp"

namespace carbo::program {

/// What commands end with; see support/exit_codes.hpp.
enum class Exit {
  success = 0,
  failure = 1,    ///< something else went wrong
  usage = 2,      ///< the command line
  bad_file = 3,   ///< the study file
  bad_study = 4,  ///< no such study, an incompatible one, or its storage cannot be used
  busy = 5,       ///< another process holds it, or it is paused
  refused = 6,    ///< a value, a result or an id was refused; nothing was recorded
  over = 7,       ///< nothing to suggest: the study is over
};

/// Which study: a file (TOML), or a database and a name in it.
struct StudyArgument {
  std::string study;
  std::string name;
};

struct InitArguments {
  std::string file = "study.toml";
};
Exit init(Terminal& terminal, const InitArguments& arguments);

Exit check(Terminal& terminal, const StudyArgument& study);

struct AskArguments {
  StudyArgument which;
  std::size_t count = 0;  ///< 0: `batch_size`
  std::string owner;
  std::string lease;
  bool receipts = false;
  bool accept_changes = false;
};
Exit ask(Terminal& terminal, const AskArguments& arguments);

/// A result or a failure, by its id or its configuration; or many from a file or a folder.
struct TellArguments {
  StudyArgument which;
  std::optional<std::uint64_t> id;
  std::vector<std::string> values;  ///< NAME=VALUE
  std::optional<double> objective, cost;
  std::vector<std::string> metrics;  ///< NAME=NUMBER
  std::string reason;
  bool timed_out = false;
  bool prior = false;
  std::string from;   ///< JSON lines; "-": standard input
  std::string spool;  ///< a folder of result files
};
Exit tell(Terminal& terminal, const TellArguments& arguments);
Exit fail(Terminal& terminal, const TellArguments& arguments);
Exit withdraw(Terminal& terminal, const TellArguments& arguments);
Exit adopt(Terminal& terminal, const TellArguments& arguments);
Exit enqueue(Terminal& terminal, const TellArguments& arguments);

Exit pause(Terminal& terminal, const StudyArgument& study);
Exit resume(Terminal& terminal, const StudyArgument& study);
struct BudgetArguments {
  StudyArgument which;
  std::string amount;
};
Exit change_budget(Terminal& terminal, const BudgetArguments& arguments);

/// Answers JSON lines until the input ends.
Exit serve(Terminal& terminal, const StudyArgument& study);

Exit status(Terminal& terminal, const StudyArgument& study);
struct BestArguments {
  StudyArgument which;
  bool recommend = false;
};
Exit best(Terminal& terminal, const BestArguments& arguments);
struct TrialsArguments {
  StudyArgument which;
  std::size_t last = 0;  ///< 0: all
  std::string state;
  std::optional<std::uint64_t> id;  ///< one alone, with its reports and its receipt
};
Exit trials(Terminal& terminal, const TrialsArguments& arguments);
Exit list(Terminal& terminal, const std::vector<std::string>& files);

struct PredictArguments {
  StudyArgument which;
  std::vector<std::string> values;
  std::string from;
  double coverage = 0.95;
};
Exit predict(Terminal& terminal, const PredictArguments& arguments);
struct ImportanceArguments {
  StudyArgument which;
  std::string of = "objective";
};
Exit importance(Terminal& terminal, const ImportanceArguments& arguments);

struct ExportArguments {
  StudyArgument which;
  std::string format;  ///< csv or json; empty: by the name of the file, or csv
  std::string output;  ///< empty: standard output
};
Exit export_trials(Terminal& terminal, const ExportArguments& arguments);
struct ImportArguments {
  StudyArgument which;
  std::string file;
};
Exit import_results(Terminal& terminal, const ImportArguments& arguments);

Exit doctor(Terminal& terminal, const std::string& folder);

}  // namespace carbo::program
