#include "bench/choice/command_line.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/choice/peer.hpp"
#include "bench/support/words.hpp"

namespace carbo::choice {

const char* const usage =
    "carbo_choice: settings compared with the paper's EI and EIpu, on problems that choices are made on or, once "
    "they\n"
    "are made, on those that judge them.\n"
    "\n"
    "  --set SET          choosing, or end or verdict together with --look-at-the-SET (choosing)\n"
    "  --variants A,B     settings to compare with EI and EIpu, which are always run (default);\n"
    "                     changes joined by a plus: cooling0+warm2\n"
    "  --problems A,B     only these of the set (all)\n"
    "  --budgets A,B      in mean costs of the problem, on the clock (25,50,100)\n"
    "  --batches A,B      evaluations in parallel (1)\n"
    "  --seeds N          runs of every setting on every problem, seeds 1 to N (51)\n"
    "  --pairs A:B,C:D    A against B and C against D as well, with each batch size\n"
    "  --totals A,B       these in batches of 16 against the sequence, at equal total cost\n"
    "  --optuna A,B       the settings against these samplers of Optuna too, optuna_gp and optuna_tpe, on the "
    "tables,\n"
    "                     all proposing freely; b = 1\n"
    "  --jobs N           runs at a time, one thread each (all cores)\n"
    "  --detail NAME      the setting of the table by problem (the last of --variants)\n"
    "  --data DIR         the tables (those of the set in bench/hpo)\n"
    "  --out DIR          where runs, report and CSV go, in a folder of the set (choice)\n"
    "  --list             print problems and settings, run nothing\n"
    "  --look-at-the-SET  leaves a note of when it was looked at in DIR/SET\n"
    "\n"
    "Finished runs stay in DIR and are not made again: stop it and start it as you like. After a change of the\n"
    "library or of a setting, give a new DIR.\n";

namespace {

std::vector<std::size_t> numbers(const std::string& option, const std::string& list) {
  std::vector<std::size_t> result;
  for (const std::string& word : bench::split_names(list)) result.push_back(bench::positive(option, word));
  if (result.empty()) throw std::invalid_argument(option + " takes at least one number");
  return result;
}

std::pair<Variant, Variant> parse_pair(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw std::invalid_argument("--pairs takes A:B, not '" + text + "'");
  const auto one = [](const std::string& name) { return variants_named({name}).front(); };
  return {one(text.substr(0, colon)), one(text.substr(colon + 1))};
}

/// The option that says that a set is to be looked at; its name goes into `looks`.
bench::CommandOption look_at(ProblemSet set, std::vector<std::string>& looks) {
  return {std::string("--look-at-the-") + to_string(set), false,
          [set, &looks](const std::string&, const std::string&) { looks.emplace_back(to_string(set)); }};
}

void check_looks(ProblemSet set, const std::vector<std::string>& looks) {
  const std::string asked = to_string(set);
  if (set != ProblemSet::choosing && looks.empty())
    throw std::invalid_argument("--set " + asked + " takes --look-at-the-" + asked +
                                " too: it is looked at on purpose");
  const auto other = std::find_if(looks.begin(), looks.end(), [&](const auto& look) { return look != asked; });
  if (other != looks.end())
    throw std::invalid_argument("--look-at-the-" + *other + " goes with --set " + *other + ", not with " + asked);
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine result;
  std::string set = to_string(result.set);
  std::vector<std::string> variants = {"default"}, totals, pairs, optuna, looks;
  const auto list_into = [](std::vector<std::size_t>& place) {
    return [&place](const std::string& option, const std::string& list) { place = numbers(option, list); };
  };
  bench::read_arguments(arguments, {bench::flag("--help", result.help),
                                    bench::flag("--list", result.list),
                                    look_at(ProblemSet::end, looks),
                                    look_at(ProblemSet::verdict, looks),
                                    bench::names("--optuna", optuna),
                                    bench::names("--pairs", pairs),
                                    bench::names("--totals", totals),
                                    bench::text("--set", set),
                                    bench::names("--variants", variants),
                                    bench::names("--problems", result.problems),
                                    bench::number("--seeds", result.plan.seeds),
                                    bench::number("--jobs", result.jobs),
                                    bench::text("--detail", result.detail),
                                    bench::text("--data", result.data),
                                    bench::text("--out", result.out),
                                    {"--budgets", true, list_into(result.plan.budgets)},
                                    {"--batches", true, list_into(result.plan.batches)}});
  result.set = parse_set(set);
  check_looks(result.set, looks);
  if (result.data.empty()) result.data = tables_folder(result.set);
  if (result.list) return result;
  result.variants = variants_named(variants);
  if (result.variants.empty()) throw std::invalid_argument("--variants takes at least one name");
  result.totals = variants_named(totals);
  result.optuna = bench::named(optuna_variants(), optuna);
  for (const std::string& pair : pairs) result.pairs.push_back(parse_pair(pair));
  if (result.detail.empty()) result.detail = result.variants.back().name;
  bench::named(result.variants, {result.detail});
  return result;
}

}  // namespace carbo::choice
