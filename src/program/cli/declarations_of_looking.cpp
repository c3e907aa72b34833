#include "program/cli/declared_commands.hpp"

// Commands that look at a study, and those by which it is steered while others run it.
namespace carbo::program {

void CommandLine::declare_control() {
  CLI::App& pause_app =
      add("pause", "Have nothing begin until carbo resume; what runs ends", {"carbo pause study.toml"},
          ending([this](Terminal& terminal) { return pause(terminal, which_); }),
          {"Whoever runs the study waits, and whoever asks is refused. It outlives every process."});
  add_study(pause_app, which_);
  add_common(pause_app);

  CLI::App& resume_app = add("resume", "Go on with a study that was paused", {"carbo resume study.toml"},
                             ending([this](Terminal& terminal) { return resume(terminal, which_); }));
  add_study(resume_app, which_);
  add_common(resume_app);

  CLI::App& budget_app = add(
      "budget", "Change the budget of a study, while it runs or not",
      {"carbo budget study.toml 3h", "carbo budget results.db '200 evaluations' --name second"},
      ending([this](Terminal& terminal) { return change_budget(terminal, budget_); }),
      {"It holds until the study file has another one, or carbo run --budget. Whoever runs the study takes it up."});
  budget_app.add_option("STUDY", budget_.which.study, "study file or database")->type_name("FILE")->required();
  budget_app.add_option("AMOUNT", budget_.amount, "such as 2h, 40 GPUh, $25 or 200 evaluations")
      ->type_name("AMOUNT")
      ->required();
  budget_app.add_option("--name", budget_.which.name, "of the study, where a database has several")
      ->type_name("NAME");
  add_common(budget_app);

  CLI::App& serve_app = add(
      "serve", "Answer requests, a line of JSON each, or show its page while it runs",
      {R"(echo '{"op": "ask", "count": 2}' | carbo serve study.toml --stdio)", "carbo serve study.toml --port 8080"},
      ending([this](Terminal& terminal) {
        if (stdio_ == live_.port.has_value())
          return static_cast<Exit>(refuse("give either --stdio or --port N", "serve"));
        return stdio_ ? serve(terminal, live_.which) : serve_page(terminal, live_);
      }),
      {"--stdio: op is ask, tell, fail, withdraw, renew, report, adopt, enqueue, pause, resume, budget, predict, "
       "importance, best, status or trials. What was asked for is free again when this ends.",
       "--port: the page of carbo report, which follows the study. Other machines see it only with --address, and "
       "need "
       "the token that is printed."});
  add_study(serve_app, live_.which);
  serve_app.add_flag("--stdio", stdio_, "from standard input to standard output");
  serve_app.add_option("--port", live_.port, "of the page; 0 for a free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  serve_app.add_option("--address", live_.address, "that the page is shown at; without it, 127.0.0.1")
      ->type_name("ADDRESS");
  serve_app.add_option("--token", live_.token, "that viewers need; without it, one is drawn")->type_name("TEXT");
  serve_app.add_flag("--control", live_.control,
                     "the page may pause, resume, enqueue and change the budget, with the token");
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
  best_app.add_flag("--recommend", best_.recommend,
                    "the one that the model thinks best: under noise the better answer");
  add_common(best_app);

  CLI::App& trials_app =
      add("trials", "List evaluations", {"carbo trials study.toml --last 20", "carbo trials study.toml --id 7"},
          ending([this](Terminal& terminal) { return trials(terminal, trials_); }));
  add_study(trials_app, trials_.which);
  trials_app.add_option("--last", trials_.last, "no more than so many")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  trials_app.add_option("--state", trials_.state, "only those that are in it")
      ->type_name("STATE")
      ->check(CLI::IsMember({"waiting", "running", "interrupted", "succeeded", "failed", "timed_out", "withdrawn"}));
  trials_app.add_option("--id", trials_.id, "one alone, with its reports and its receipt")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
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
  predict_app.add_option("--from", predict_.from, "configurations in JSON, one a line; - for standard input")
      ->type_name("FILE");
  predict_app.add_option("--coverage", predict_.coverage, "of the interval; without it, 0.95")->type_name("SHARE");
  add_common(predict_app);

  CLI::App& importance_app =
      add("importance", "Say which parameters matter", {"carbo importance study.toml --of cost"},
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

}  // namespace carbo::program
