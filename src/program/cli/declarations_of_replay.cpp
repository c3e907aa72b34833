#include "program/cli/declared_commands.hpp"

namespace carbo::program {

void CommandLine::declare_replay() {
  CLI::App& app = add(
      "replay", "Compare methods on a table of measured configurations",
      {"carbo replay runs.csv --objective error --cost seconds",
       "carbo replay runs.csv --space study.toml --budgets 25x,50x,100x --batches 1,8 --seeds 51 --jobs 4"},
      [this](Terminal& terminal) { return replay_table(terminal, replay_); },
      {"Every method chooses among the rows, and is told what the table says of them, until the budget is spent. "
       "Median curves, and what the first method saves against each other one, come as a page and as CSV files. Runs "
       "are kept: Ctrl-C stops, and the same command goes on. A row without an objective (empty, NA or NaN) is that "
       "of a "
       "run that failed.",
       "Methods: default (what carbo does), carbo (the paper's), ei, eipu (per unit of cost), random; ei_default and "
       "eipu_default (with the default's transform), design_ei and design_eipu (after the paper's design), blind, "
       "mes "
       "and gittins (the default with EI, MES-cool and the Gittins index)."});
  app.add_option("TABLE", replay_.table, "CSV: a line of names, then a row a configuration")
      ->type_name("FILE")
      ->required();
  const auto text = [&](const char* name, std::string& value, const char* help, const char* kind) {
    return app.add_option(name, value, help)->type_name(kind);
  };
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help, const char* kind) {
    app.add_option(name, values, help)->type_name(kind)->allow_extra_args(false);
  };
  text("--objective", replay_.objective, "column of what is optimised; without it, objective", "COLUMN");
  text("--cost", replay_.cost, "column of what a row cost; none: every row costs 1; without it, cost", "COLUMN");
  text("--goal", replay_.goal, "minimize or maximize; without it, minimize", "GOAL")
      ->check(CLI::IsMember({"minimize", "maximize"}));
  list("--parameters", replay_.parameters, "columns that are parameters; without it, all others", "COLUMNS");
  list("--ignore", replay_.ignored, "columns that are not", "COLUMNS");
  list("--log", replay_.logarithmic, "parameters on a logarithmic scale", "COLUMNS");
  list("--categorical", replay_.categorical, "parameters whose numbers are names", "COLUMNS");
  text("--space", replay_.space, "study file or database whose parameters are those of the table", "FILE");
  text("--repeats", replay_.repeats, "of a configuration in several rows: mean or first; without it, refused", "HOW")
      ->check(CLI::IsMember({"mean", "first"}));
  app.add_flag("--leave-out", replay_.leave_out, "rows in which a parameter or the cost is missing");
  list("--methods", replay_.methods, "without it, default,ei,eipu,random", "NAMES");
  list("--budgets", replay_.budgets, "such as 25x,50x, mean costs of a row, or 3600; without it, 50x or less",
       "LIST");
  list("--batches", replay_.batches, "evaluations at a time; without it, 1", "LIST");
  app.add_option("--seeds", replay_.seeds, "runs of each method; without it, 15")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app.add_option("--share", replay_.share,
                 "of the rows that a run may evaluate; without it, 0.25, or 0.5 of fewer than 100")
      ->type_name("SHARE");
  app.add_option("--jobs", replay_.jobs, "runs at a time; without it, one a core")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  text("-o,--out", replay_.output, "folder of runs and results; without it, NAME.replay", "DIR");
  add_common(app);
}

}  // namespace carbo::program
