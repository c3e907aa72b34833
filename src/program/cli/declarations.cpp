#include "program/cli/declared_commands.hpp"
#include "program/slurm/task.hpp"

namespace carbo::program {

void CommandLine::declare_beginning() {
  CLI::App& init_app = add("init", "Write a commented study file", {"carbo init", "carbo init - | less"},
                           ending([this](Terminal& terminal) { return init(terminal, init_); }));
  init_app.add_option("FILE", init_.file, "where to; - for standard output; without it, study.toml")
      ->type_name("FILE");
  add_common(init_app, false);

  CLI::App& check_app =
      add("check", "Say whether a study file is right, and what the study takes in memory",
          {"carbo check study.toml"}, ending([this](Terminal& terminal) { return check(terminal, which_); }));
  add_study(check_app, which_);
  add_common(check_app);
}

void CommandLine::declare_running() {
  CLI::App& app = add(
      "run", "Run a study until its budget is spent, and go on where it was stopped",
      {"carbo run study.toml --workers 4",
       "carbo run --budget 10min --param level=1..19 --objective 'stderr:([0-9.]+)%' --cost cpu -- zstd -f -{level} "
       "FILE"},
      [this](Terminal& terminal) { return run_command(terminal, run_); },
      {"Ctrl-C once: what runs is finished and saved; twice: it is ended. Without a study file, options say what one "
       "would, and the command stands after --."});
  app.add_option("STUDY", run_.study, "study file or database; without it and without --param, study.toml")
      ->type_name("FILE");
  const auto setting = [&](const char* names, std::string& value, const char* help, const char* kind) {
    app.add_option(names, value, help)->type_name(kind);
  };
  setting("--budget", run_.budget, "such as 2h, 40 GPUh, $25 or 200 evaluations", "AMOUNT");
  app.add_option("--param", run_.parameters, "a parameter: a=1..9, b=1e-3..1 log, c=x,y, d=low<high")
      ->type_name("NAME=DOMAIN")
      ->allow_extra_args(false);
  setting("--objective", run_.objective, "json:KEY, stdout:PATTERN, stderr:PATTERN, file:PATH, wall, cpu or memory",
          "FROM");
  setting("--cost", run_.cost, "the same of the cost; without it, wall", "FROM");
  setting("--goal", run_.goal, "minimize or maximize", "GOAL");
  setting("--workers", run_.workers, "evaluations at a time", "N");
  setting("--storage", run_.storage, "database of the study", "FILE");
  setting("--name", run_.name, "of the study in its database", "NAME");
  app.add_option("--set", run_.settings, "any setting of a study file")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--join", run_.join, "beside another run of the same study");
  app.add_flag("--plain", run_.plain, "lines instead of a display");
  app.add_flag("--accept-changes", run_.accept_changes, "go on although the study file evaluates in another way now");
  add_common(app, false);
}

void CommandLine::declare_task() {
  CLI::App& app = add("task", "Make one evaluation of a job array (launcher = \"slurm\")",
                      {"carbo task study.runs/study/slurm/b000001 --index 0"},
                      [this](Terminal&) { return run_slurm_task(folder_, index_); },
                      {"Slurm's tasks call it; nobody else has to."});
  app.add_option("DIR", folder_, "of the batch")->type_name("DIR")->required();
  app.add_option("--index", index_, "of the task; without it, SLURM_ARRAY_TASK_ID")->type_name("N");
  add_common(app, false);
}

void CommandLine::declare_results() {
  CLI::App& ask_app = add("ask", "Suggest configurations to evaluate", {"carbo ask study.toml -n 8 --json"},
                          ending([this](Terminal& terminal) { return ask(terminal, ask_); }),
                          {"What is suggested belongs to whoever asked until its lease ends; then the next ask hands "
                           "it out again, or charges it (lost = \"charge\")."});
  add_study(ask_app, ask_.which);
  ask_app.add_option("-n,--count", ask_.count, "how many; without it, batch_size")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  ask_app.add_option("--lease", ask_.lease, "until when results are waited for; without it, the file's, or 24 h")
      ->type_name("TIME");
  ask_app.add_option("--owner", ask_.owner, "who evaluates them; without it, user@host")->type_name("NAME");
  ask_app.add_flag("--receipts", ask_.receipts, "with --json: why each was suggested");
  ask_app.add_flag("--accept-changes", ask_.accept_changes,
                   "go on although the study file evaluates in another way now");
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
  const auto add_id = [&](CLI::App& app) {
    return app.add_option("--id", tell_.id, "of the suggestion")->type_name("N")->check(CLI::NonNegativeNumber);
  };
  const auto add_cost = [&](CLI::App& app) {
    app.add_option("--cost", tell_.cost, "in the unit of the budget")->type_name("NUMBER");
    app.add_option("--metric", tell_.metrics, "a further number to keep")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
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

  CLI::App& withdraw_app =
      add("withdraw", "Take back a suggestion that will not be evaluated", {"carbo withdraw study.toml --id 7"},
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
}

void CommandLine::declare_moving() {
  CLI::App& export_app =
      add("export", "Write all evaluations as CSV or JSON", {"carbo export study.toml -o trials.csv"},
          ending([this](Terminal& terminal) { return export_trials(terminal, export_); }));
  add_study(export_app, export_.which);
  export_app.add_option("--format", export_.format, "csv or json; without it, as the file is called")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "json"}));
  export_app.add_option("-o,--output", export_.output, "where to; without it, standard output")->type_name("FILE");
  add_common(export_app);

  CLI::App& import_app =
      add("import", "Learn from earlier results, which cost nothing of the budget",
          {"carbo import study.toml earlier.csv"},
          ending([this](Terminal& terminal) { return import_results(terminal, import_); }),
          {"CSV with a column a parameter, objective and cost, or JSON, both as carbo export writes them."});
  import_app.add_option("STUDY", import_.which.study, "study file or database")->type_name("FILE")->required();
  import_app.add_option("RESULTS", import_.file, "*.csv, *.json or *.jsonl")->type_name("FILE")->required();
  import_app.add_option("--name", import_.which.name, "of the study, where a database has several")
      ->type_name("NAME");
  add_common(import_app);
}

void CommandLine::declare_others() {
  CLI::App& doctor_app =
      add("doctor", "Say what this build and this machine can do", {"carbo doctor"},
          ending([this](Terminal& terminal) { return doctor(terminal, folder_.empty() ? "." : folder_); }));
  doctor_app.add_option("DIR", folder_, "where studies are to be stored; without it, here")->type_name("DIR");
  add_common(doctor_app);

  CLI::App& completion_app =
      add("completion", "Print completions for a shell",
          {"carbo completion bash > ~/.local/share/bash-completion/completions/carbo"}, [this](Terminal& terminal) {
            terminal.out << (word_ == "zsh" ? zsh_completion(descriptions_) : bash_completion(descriptions_));
            return 0;
          });
  completion_app.add_option("SHELL", word_, "bash or zsh")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh"}));
  add_common(completion_app, false);

  CLI::App& manual_app =
      add("manual", "Print a page for man(1)", {"carbo manual ask | man -l -", "carbo manual --into pages"},
          [this](Terminal&) { return folder_.empty() ? show_manual(word_) : write_manuals(folder_); });
  manual_app.add_option("COMMAND", word_, "without it, of all")->type_name("COMMAND");
  manual_app.add_option("--into", folder_, "write all pages, and completions for bash and zsh, into a folder")
      ->type_name("DIR");
  add_common(manual_app, false);

  CLI::App& help_app =
      add("help", "Explain a command", {"carbo help run"}, [this](Terminal&) { return show_help(word_); });
  help_app.add_option("COMMAND", word_, "without it, all in short")->type_name("COMMAND");
  add_common(help_app, false);
}

}  // namespace carbo::program
