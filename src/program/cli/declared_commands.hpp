#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/cli/description.hpp"
#include "program/cli/run_command.hpp"
#include "program/commands/commands.hpp"
#include "program/live/live.hpp"
#include "program/replay/replay.hpp"
#include "program/report/report.hpp"

namespace carbo::program {

/// All commands as declared. What they are given is a member each: arguments live as long as this.
class CommandLine {
 public:
  CommandLine() {
    declare_beginning();
    declare_running();
    declare_task();
    declare_results();
    declare_control();
    declare_reading();
    declare_models();
    declare_pages();
    declare_replay();
    declare_moving();
    declare_others();
    for (const Command& command : commands_) descriptions_.push_back(described(command));
  }

  int run(std::vector<std::string> words);

 private:
  /// Apart from one another: a study may be called as a command is.
  struct Command {
    std::unique_ptr<CLI::App> app;
    std::vector<std::string> details, examples;
    std::function<int(Terminal&)> call;
  };

  CLI::App& add(const char* name, const char* summary, std::vector<std::string> examples,
                std::function<int(Terminal&)> call, std::vector<std::string> details = {}) {
    auto app = std::make_unique<CLI::App>(summary, name);
    app->set_help_flag();
    commands_.push_back({std::move(app), std::move(details), std::move(examples), std::move(call)});
    return *commands_.back().app;
  }
  /// A command that ends with one of Exit.
  template <class Call>
  static std::function<int(Terminal&)> ending(Call call) {
    return [call](Terminal& terminal) { return static_cast<int>(call(terminal)); };
  }
  void add_study(CLI::App& app, StudyArgument& which) {
    app.add_option("STUDY", which.study, "study file or database; without it, study.toml")->type_name("FILE");
    app.add_option("--name", which.name, "of the study, where a database has several")->type_name("NAME");
  }
  /// Those of every command, last.
  void add_common(CLI::App& app, bool json = true) {
    if (json) app.add_flag("--json", json_, "answer in JSON");
    app.add_flag("-q,--quiet", quiet_, "say nothing but what was asked for and errors");
    app.add_flag("-v,--verbose", verbose_, "say more");
    app.add_flag("-h,--help", help_, "this text");
  }
  void add_values(CLI::App& app, std::vector<std::string>& values) {
    app.add_option("--at", values, "value of a parameter, once for each")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }

  void declare_beginning();
  void declare_running();
  void declare_task();
  void declare_results();
  void declare_telling();
  void declare_control();
  void declare_reading();
  void declare_models();
  void declare_pages();
  void declare_replay();
  void declare_moving();
  void declare_others();

  static CommandDescription described(const Command& command);
  const CommandDescription& description(const std::string& name) const {
    return *std::ranges::find(descriptions_, name, &CommandDescription::name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const CommandDescription& each : descriptions_) all.push_back(each.name);
    return all;
  }
  int refuse(const std::string& what, const std::string& command) const;
  int call(const Command& command);
  int show_help(const std::string& name) const;
  int show_manual(const std::string& name) const;
  int write_manuals(const std::string& folder) const;
  int unexpected(const Command& command) const;

  std::deque<Command> commands_;
  std::vector<CommandDescription> descriptions_;
  bool json_ = false, quiet_ = false, verbose_ = false, help_ = false;
  StudyArgument which_;
  InitArguments init_;
  RunRequest run_;
  AskArguments ask_;
  TellArguments tell_;
  BudgetArguments budget_;
  BestArguments best_;
  TrialsArguments trials_;
  PredictArguments predict_;
  ImportanceArguments importance_;
  ReportArguments report_;
  CompareArguments compare_;
  LiveArguments live_;
  ReplayArguments replay_;
  ExportArguments export_;
  ImportArguments import_;
  std::vector<std::string> files_;
  std::string folder_, word_;
  std::optional<std::size_t> index_;
  bool stdio_ = false;
};

}  // namespace carbo::program
