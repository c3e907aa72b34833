// The only file that includes CLI11, which takes long to compile.
#include "program/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>

#include <unistd.h>

#include <carbo/version.h>

#include "program/cli/description.hpp"
#include "program/cli/run_command.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/error_names.hpp"
#include "program/report/report.hpp"
#include "program/support/nearest.hpp"

namespace carbo::program {
namespace {

/// All commands as declared. What they are given is a member each: arguments live as long as this.
class CommandLine {
 public:
  CommandLine() : app_("", "carbo") {
    app_.set_help_flag();
    declare_beginning();
    declare_running();
    declare_results();
    declare_reading();
    declare_models();
    declare_pages();
    declare_moving();
    declare_others();
    for (const Command& command : commands_) descriptions_.push_back(described(command));
  }

  int run(std::vector<std::string> words);

 private:
  struct Command {
    CLI::App* app;
    std::vector<std::string> details, examples;
    std::function<int(Terminal&)> call;
  };

  CLI::App& add(const char* name, const char* summary, std::vector<std::string> examples,
                std::function<int(Terminal&)> call, std::vector<std::string> details = {}) {
    CLI::App& app = *app_.add_subcommand(name, summary);
    app.set_help_flag();
    commands_.push_back({&app, std::move(details), std::move(examples), std::move(call)});
    return app;
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
    app.add_option("--at", values, "value of a parameter, once for each")->type_name("NAME=VALUE")->allow_extra_args(false);
  }

  void declare_beginning();
  void declare_running();
  void declare_results();
  void declare_telling();
  void declare_reading();
  void declare_models();
  void declare_pages();
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
  int unexpected(const Command& command) const;

  CLI::App app_;
  std::deque<Command> commands_;
  std::vector<CommandDescription> descriptions_;
  bool json_ = false, quiet_ = false, verbose_ = false, help_ = false;
  StudyArgument which_;
  InitArguments init_;
  RunRequest run_;
  AskArguments ask_;
  TellArguments tell_;
  BestArguments best_;
  TrialsArguments trials_;
  PredictArguments predict_;
  ImportanceArguments importance_;
  ReportArguments report_;
  CompareArguments compare_;
  ExportArguments export_;
  ImportArguments import_;
  std::vector<std::string> files_;
  std::string folder_ = ".", word_;
  bool stdio_ = false;
};

void CommandLine::declare_beginning() {
  CLI::App& init_app = add("init", "Write a commented study file", {"carbo init", "carbo init - | less"},
                           ending([this](Terminal& terminal) { return init(terminal, init_); }));
  init_app.add_option("FILE", init_.file, "where to; - for standard output; without it, study.toml")->type_name("FILE");
  add_common(init_app, false);

  CLI::App& check_app =
      add("check", "Say whether a study file is right, and what the study takes in memory", {"carbo check study.toml"},
          ending([this](Terminal& terminal) { return check(terminal, which_); }));
  check_app.add_option("STUDY", which_.study, "study file; without it, study.toml")->type_name("FILE");
  add_common(check_app);
}

void CommandLine::declare_running() {
  CLI::App& app = add(
      "run", "Run a study until its budget is spent, and go on where it was stopped",
      {"carbo run study.toml --workers 4",
       "carbo run --budget 10min --param level=1..19 --objective 'stderr:([0-9.]+)%' --cost cpu -- zstd -f -{level} FILE"},
      [this](Terminal& terminal) { return run_command(terminal, run_); },
      {"Ctrl-C once: what runs is finished and saved; twice: it is ended. Without a study file, options say what one "
       "would, and the command stands after --."});
  app.add_option("STUDY", run_.study, "study file; without it and without --param, study.toml")->type_name("FILE");
  const auto setting = [&](const char* names, std::string& value, const char* help, const char* kind) {
    app.add_option(names, value, help)->type_name(kind);
  };
  setting("--budget", run_.budget, "such as 2h, 40 GPUh, $25 or 200 evaluations", "AMOUNT");
  app.add_option("--param", run_.parameters, "a parameter: a=1..9, b=1e-3..1 log, c=x,y, d=low<high")
      ->type_name("NAME=DOMAIN")
      ->allow_extra_args(false);
  setting("--objective", run_.objective, "json:KEY, stdout:PATTERN, stderr:PATTERN, file:PATH, wall, cpu or memory", "FROM");
  setting("--cost", run_.cost, "the same of the cost; without it, wall", "FROM");
  setting("--goal", run_.goal, "minimize or maximize", "GOAL");
  setting("--workers", run_.workers, "evaluations at a time", "N");
  setting("--storage", run_.storage, "database of the study", "FILE");
  setting("--name", run_.name, "of the study in its database", "NAME");
  app.add_option("--set", run_.settings, "any setting of a study file")->type_name("KEY=VALUE")->allow_extra_args(false);
  app.add_flag("--join", run_.join, "beside another run of the same study");
  app.add_flag("--plain", run_.plain, "lines instead of a display");
  app.add_flag("--accept-changes", run_.accept_changes, "go on although the study file evaluates in another way now");
  add_common(app, false);
}

void CommandLine::declare_results() {
  CLI::App& ask_app = add("ask", "Suggest configurations to evaluate", {"carbo ask study.toml -n 8 --json"},
                          ending([this](Terminal& terminal) { return ask(terminal, ask_); }),
                          {"What is suggested belongs to whoever asked until its lease ends; then the next ask hands "
                           "it out again, or charges it (lost = \"charge\")."});
  add_study(ask_app, ask_.which);
  ask_app.add_option("-n,--count", ask_.count, "how many; without it, batch_size")->type_name("N");
  ask_app.add_option("--lease", ask_.lease, "until when results are waited for; without it, the file's, or 24 h")
      ->type_name("TIME");
  ask_app.add_option("--owner", ask_.owner, "who evaluates them; without it, user@host")->type_name("NAME");
  ask_app.add_flag("--receipts", ask_.receipts, "with --json: why each was suggested");
  ask_app.add_flag("--accept-changes", ask_.accept_changes, "go on although the study file evaluates in another way now");
  add_common(ask_app);
  declare_telling();
}

void CommandLine::declare_telling() {
  CLI::App& tell_app =
      add("tell", "Report results",
          {"carbo tell study.toml --id 7 --objective 0.25 --cost 12.5", "carbo tell study.toml --spool results",
           "carbo tell study.toml --from - < results.jsonl"},
          ending([this](Terminal& terminal) { return tell(terminal, tell_); }),
          {"A result in JSON is {\"id\": 7, \"objective\": 0.25, \"cost\": 12.5}, or {\"id\": 7, \"failed\": "
           "\"reason\", \"cost\": 3}; further numbers are metrics."});
  add_study(tell_app, tell_.which);
  const auto add_id = [&](CLI::App& app) { return app.add_option("--id", tell_.id, "of the suggestion")->type_name("N"); };
  const auto add_cost = [&](CLI::App& app) {
    app.add_option("--cost", tell_.cost, "in the unit of the budget")->type_name("NUMBER");
    app.add_option("--metric", tell_.metrics, "a further number to keep")->type_name("NAME=NUMBER")->allow_extra_args(false);
  };
  add_id(tell_app);
  add_values(tell_app, tell_.values);
  tell_app.add_option("--objective", tell_.objective, "what was found")->type_name("NUMBER");
  add_cost(tell_app);
  tell_app.add_flag("--prior", tell_.prior, "with --at: not paid for out of this budget");
  tell_app.add_option("--from", tell_.from, "results in JSON, one a line; - for standard input")->type_name("FILE");
  tell_app.add_option("--spool", tell_.spool, "take in the *.json of a folder, each once")->type_name("DIR");
  add_common(tell_app);

  CLI::App& fail_app = add("fail", "Report that an evaluation failed",
                           {"carbo fail study.toml --id 7 --cost 3 --reason 'out of memory'"},
                           ending([this](Terminal& terminal) { return fail(terminal, tell_); }));
  add_study(fail_app, tell_.which);
  add_id(fail_app);
  add_values(fail_app, tell_.values);
  add_cost(fail_app);
  fail_app.add_option("--reason", tell_.reason, "why")->type_name("TEXT");
  fail_app.add_flag("--timed-out", tell_.timed_out, "it was cut off: its full cost is at least this");
  add_common(fail_app);

  CLI::App& withdraw_app = add("withdraw", "Take back a suggestion that will not be evaluated",
                               {"carbo withdraw study.toml --id 7"},
                               ending([this](Terminal& terminal) { return withdraw(terminal, tell_); }));
  add_study(withdraw_app, tell_.which);
  add_id(withdraw_app)->required();
  add_common(withdraw_app);

  CLI::App& adopt_app = add("adopt", "Say that somebody evaluates a configuration already; prints its id",
                            {"carbo adopt study.toml --at rate=0.01 --at layers=3"},
                            ending([this](Terminal& terminal) { return adopt(terminal, tell_); }));
  add_study(adopt_app, tell_.which);
  add_values(adopt_app, tell_.values);
  add_common(adopt_app);

  CLI::App& enqueue_app = add("enqueue", "Have a configuration suggested before anything else",
                              {"carbo enqueue study.toml --at rate=0.01 --at layers=3"},
                              ending([this](Terminal& terminal) { return enqueue(terminal, tell_); }));
  add_study(enqueue_app, tell_.which);
  add_values(enqueue_app, tell_.values);
  add_common(enqueue_app);

  CLI::App& serve_app =
      add("serve", "Answer requests, a line of JSON each", {R"(echo '{"op": "ask", "count": 2}' | carbo serve study.toml --stdio)"},
          ending([this](Terminal& terminal) { return serve(terminal, which_); }),
          {"op is ask, tell, fail, withdraw, renew, report, adopt, enqueue, predict, importance, best, status or trials. "
           "What was asked for is free again when this ends."});
  add_study(serve_app, which_);
  serve_app.add_flag("--stdio", stdio_, "from standard input to standard output")->required();
  add_common(serve_app, false);
}

void CommandLine::declare_reading() {
  CLI::App& status_app = add("status", "Say how far a study is", {"carbo status study.toml"},
                             ending([this](Terminal& terminal) { return status(terminal, which_); }));
  add_study(status_app, which_);
  add_common(status_app);

  CLI::App& best_app = add("best", "Show the best configuration found", {"carbo best study.toml --json"},
                           ending([this](Terminal& terminal) { return best(terminal, best_); }));
  add_study(best_app, best_.which);
  best_app.add_flag("--recommend", best_.recommend, "the one that the model thinks best: under noise the better answer");
  add_common(best_app);

  CLI::App& trials_app = add("trials", "List evaluations", {"carbo trials study.toml --last 20", "carbo trials study.toml --id 7"},
                             ending([this](Terminal& terminal) { return trials(terminal, trials_); }));
  add_study(trials_app, trials_.which);
  trials_app.add_option("--last", trials_.last, "no more than so many")->type_name("N");
  trials_app.add_option("--state", trials_.state, "only those that are in it")
      ->type_name("STATE")
      ->check(CLI::IsMember({"waiting", "running", "succeeded", "failed", "timed_out", "withdrawn"}));
  trials_app.add_option("--id", trials_.id, "one alone, with its reports and its receipt")->type_name("N");
  add_common(trials_app);

  CLI::App& list_app = add("list", "List the studies of databases", {"carbo list", "carbo list results.db"},
                           ending([this](Terminal& terminal) { return list(terminal, files_); }));
  list_app.add_option("FILES", files_, "databases; without any, *.db in this folder")->type_name("FILE");
  add_common(list_app);
}

void CommandLine::declare_models() {
  CLI::App& predict_app = add("predict", "Say what the models expect of configurations",
                              {"carbo predict study.toml --at rate=0.01 --at layers=3",
                               "carbo predict study.toml --from points.jsonl --json"},
                              ending([this](Terminal& terminal) { return predict(terminal, predict_); }));
  add_study(predict_app, predict_.which);
  add_values(predict_app, predict_.values);
  predict_app.add_option("--from", predict_.from, "configurations in JSON, one a line; - for standard input")->type_name("FILE");
  predict_app.add_option("--coverage", predict_.coverage, "of the interval; without it, 0.95")->type_name("SHARE");
  add_common(predict_app);

  CLI::App& importance_app = add("importance", "Say which parameters matter", {"carbo importance study.toml --of cost"},
                                 ending([this](Terminal& terminal) { return importance(terminal, importance_); }));
  add_study(importance_app, importance_.which);
  importance_app.add_option("--of", importance_.of, "objective or cost")
      ->type_name("MODEL")
      ->check(CLI::IsMember({"objective", "cost"}));
  add_common(importance_app);
}

void CommandLine::declare_pages() {
  CLI::App& report_app = add("report", "Write a page that shows what a study did",
                             {"carbo report study.toml", "carbo report results.db --name second -o second.html"},
                             ending([this](Terminal& terminal) { return report(terminal, report_); }),
                             {"One HTML file that needs nothing else. The study is read, and not changed."});
  add_study(report_app, report_.which);
  report_app.add_option("-o,--output", report_.output, "where to; - for standard output; without it, NAME.html")
      ->type_name("FILE");
  report_app.add_flag("--no-models", report_.without_models, "without what the models say, which takes a while");
  add_common(report_app);

  CLI::App& compare_app = add("compare", "Write a page that puts studies beside each other",
                              {"carbo compare plain.toml aware.toml", "carbo compare results.db -o methods.html"},
                              ending([this](Terminal& terminal) { return compare(terminal, compare_); }));
  compare_app.add_option("STUDIES", compare_.studies, "study files, and databases with all that is in them")
      ->type_name("FILE")
      ->required();
  compare_app.add_option("-o,--output", compare_.output, "where to; - for standard output; without it, compare.html")
      ->type_name("FILE");
  add_common(compare_app);
}

void CommandLine::declare_moving() {
  CLI::App& export_app = add("export", "Write all evaluations as CSV or JSON", {"carbo export study.toml -o trials.csv"},
                             ending([this](Terminal& terminal) { return export_trials(terminal, export_); }));
  add_study(export_app, export_.which);
  export_app.add_option("--format", export_.format, "csv or json; without it, as the file is called")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "json"}));
  export_app.add_option("-o,--output", export_.output, "where to; without it, standard output")->type_name("FILE");
  add_common(export_app);

  CLI::App& import_app = add("import", "Learn from earlier results, which cost nothing of the budget",
                             {"carbo import study.toml earlier.csv"},
                             ending([this](Terminal& terminal) { return import_results(terminal, import_); }),
                             {"CSV with a column a parameter, objective and cost, or JSON, both as carbo export writes them."});
  import_app.add_option("STUDY", import_.which.study, "study file or database")->type_name("FILE")->required();
  import_app.add_option("RESULTS", import_.file, "*.csv, *.json or *.jsonl")->type_name("FILE")->required();
  import_app.add_option("--name", import_.which.name, "of the study, where a database has several")->type_name("NAME");
  add_common(import_app);
}

void CommandLine::declare_others() {
  CLI::App& doctor_app = add("doctor", "Say what this build and this machine can do", {"carbo doctor"},
                             ending([this](Terminal& terminal) { return doctor(terminal, folder_); }));
  doctor_app.add_option("DIR", folder_, "where studies are to be stored; without it, here")->type_name("DIR");
  add_common(doctor_app);

  CLI::App& completion_app = add("completion", "Print completions for a shell",
                                 {"carbo completion bash > ~/.local/share/bash-completion/completions/carbo"},
                                 [this](Terminal& terminal) {
                                   terminal.out << (word_ == "zsh" ? zsh_completion(descriptions_) : bash_completion(descriptions_));
                                   return 0;
                                 });
  completion_app.add_option("SHELL", word_, "bash or zsh")->required()->type_name("SHELL")->check(CLI::IsMember({"bash", "zsh"}));
  add_common(completion_app, false);

  CLI::App& manual_app = add("manual", "Print a page for man(1)", {"carbo manual ask | man -l -"},
                             [this](Terminal&) { return show_manual(word_); });
  manual_app.add_option("COMMAND", word_, "without it, of all")->type_name("COMMAND");
  add_common(manual_app, false);

  CLI::App& help_app = add("help", "Explain a command", {"carbo help run"}, [this](Terminal&) { return show_help(word_); });
  help_app.add_option("COMMAND", word_, "without it, all in short")->type_name("COMMAND");
  add_common(help_app, false);
}

CommandDescription CommandLine::described(const Command& command) {
  CommandDescription result{command.app->get_name(), command.app->get_description(), {}, {}, command.details, command.examples};
  for (const CLI::Option* const option : command.app->get_options()) {
    OptionDescription one;
    const bool positional = option->get_positional();
    if (positional) {
      one.names = {option->get_name(true)};
    } else {
      for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    }
    one.help = option->get_description();
    const std::string kind = option->get_type_name();  // "FORMAT:{csv,json}" where choices are checked
    const std::size_t brace = kind.find(":{");
    const bool flag = option->get_items_expected_max() == 0;
    if (!flag && !positional) one.value = kind.substr(0, brace);
    if (brace != std::string::npos) {
      std::string word;
      for (const char c : kind.substr(brace + 2)) {
        if (c != ',' && c != '}') {
          word += c;
          continue;
        }
        one.choices.push_back(std::exchange(word, {}));
      }
    }
    one.several = option->get_items_expected_max() > 1 || option->get_expected_max() > 1;
    (positional ? result.positionals : result.options).push_back(std::move(one));
  }
  return result;
}

int CommandLine::refuse(const std::string& what, const std::string& command) const {
  std::cerr << "carbo: " << what << "\n" << "carbo " << command << (command.empty() ? "" : " ") << "--help says more\n";
  return static_cast<int>(Exit::usage);
}

int CommandLine::show_help(const std::string& name) const {
  const auto all = names();
  if (name.empty()) {
    std::cout << overview_text(descriptions_);
  } else if (std::ranges::find(all, name) == all.end()) {
    return refuse("there is no command '" + name + "'" + suggestion_for(name, all), "");
  } else {
    std::cout << help_text(description(name));
  }
  return 0;
}

int CommandLine::show_manual(const std::string& name) const {
  const auto all = names();
  if (!name.empty() && std::ranges::find(all, name) == all.end())
    return refuse("there is no command '" + name + "'" + suggestion_for(name, all), "");
  std::cout << (name.empty() ? manual_overview(descriptions_) : manual_page(description(name)));
  return 0;
}

int CommandLine::unexpected(const Command& command) const {
  const std::string name = command.app->get_name();
  const std::vector<std::string> left = command.app->remaining();
  const std::string word = left.empty() ? "" : left.front();
  if (!word.starts_with('-')) return refuse("'" + printable(word) + "' is one argument too many", name);
  std::vector<std::string> options;
  for (const OptionDescription& option : description(name).options)
    for (const std::string& each : option.names)
      if (each.starts_with("--")) options.push_back(each);
  const std::string plain = word.substr(0, word.find('='));
  return refuse("there is no option '" + printable(plain) + "'" + suggestion_for(plain, options), name);
}

int CommandLine::call(const Command& command) {
  Terminal terminal{std::cout, std::cerr};
  terminal.json = json_;
  terminal.quiet = quiet_;
  terminal.verbose = verbose_;
  terminal.colour = wants_colour(STDOUT_FILENO);
  try {
    const int code = command.call(terminal);
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "carbo: standard output cannot be written; is the disk full?\n";
    return static_cast<int>(Exit::failure);
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "carbo: " << error.what() << "\n";
    return static_cast<int>(exit_of(error));
  }
}

int CommandLine::run(std::vector<std::string> words) {
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    std::cout << overview_text(descriptions_);
    return words.empty() ? static_cast<int>(Exit::usage) : 0;
  }
  if (words.front() == "--version") {
    std::cout << "carbo " CARBO_VERSION_STRING "\n";
    return 0;
  }
  const std::string name = words.front();
  const auto found = std::ranges::find_if(commands_, [&](const Command& each) { return each.app->get_name() == name; });
  if (found == commands_.end()) {
    const char* const kind = name.starts_with('-') ? "there is no option '" : "there is no command '";
    return refuse(kind + printable(name) + "'" + suggestion_for(name, names()), "");
  }
  // What stands after -- is the command of a run, whatever it looks like.
  if (const auto dashes = std::ranges::find(words, "--"); name == "run" && dashes != words.end()) {
    run_.command.assign(dashes + 1, words.end());
    run_.command_given = true;
    words.erase(dashes, words.end());
  }
  if (std::ranges::find_if(words, [](const std::string& word) { return word == "--help" || word == "-h"; }) != words.end())
    return show_help(name);
  try {
    std::ranges::reverse(words);
    app_.parse(words);
  } catch (const CLI::ExtrasError&) {
    return unexpected(*found);
  } catch (const CLI::ParseError& error) {
    return refuse(error.what(), name);
  }
  return call(*found);
}

}  // namespace

int run_program(int count, const char* const* words) {
  std::ios::sync_with_stdio(false);
  CommandLine line;
  return line.run(std::vector<std::string>(words + std::min(count, 1), words + count));
}

}  // namespace carbo::program
