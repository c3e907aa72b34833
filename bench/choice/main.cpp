#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/choice/command_line.hpp"
#include "bench/choice/peer.hpp"
#include "bench/choice/report.hpp"
#include "bench/choice/snapped.hpp"
#include "bench/support/words.hpp"
#include "replay/csv.hpp"

namespace {

using namespace carbo::choice;
namespace replay = carbo::replay;
namespace bench = carbo::bench;

constexpr std::size_t total_batch = 16;  ///< of what is compared with the sequence at equal total cost

void print_list(const CommandLine& command) {
  for (const replay::Problem& problem : problems_of(command.set, command.data))
    std::printf("%-16s %s, mean cost %.4g\n", problem.name.c_str(), problem.title.c_str(), problem.mean_cost);
  for (const Variant& variant : all_variants())
    std::printf("%-16s %s: %s\n", variant.name.c_str(), variant.title.c_str(), variant.why.c_str());
}

/// When the set was looked at, and by what, one line each time.
void leave_note(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::filesystem::create_directories(folder);
  std::ofstream note(folder / "looked_at.txt", std::ios::app);
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  note << text;
  for (const std::string& argument : arguments) note << ' ' << argument;
  note << '\n' << std::flush;
  if (!note) throw std::runtime_error("cannot write into " + folder.string());
}

std::vector<replay::Problem> only(std::vector<replay::Problem> problems, const std::vector<std::string>& names) {
  std::erase_if(problems, [&](const replay::Problem& problem) { return !bench::wanted(names, problem.name); });
  return problems;
}

/// What is asked for, from runs to the text of the report.
class Judgement {
 public:
  explicit Judgement(const CommandLine& command)
      : command_(command),
        folder_(command.out / to_string(command.set)),
        laboratory_(folder_, {.threads = command.jobs, .progress = true}),
        problems_(problems_of(command.set, command.data)) {
    if (!command.problems.empty()) problems_ = bench::named(problems_, command.problems);
  }

  /// Every variant against the rivals and by pairs, with every batch size.
  void compare_variants() {
    std::vector<std::string> names = {paper_rivals.list[0].name, paper_rivals.list[1].name};
    for (const Variant& variant : command_.variants) names.push_back(variant.name);
    for (const auto& [ours, rival] : command_.pairs) names.insert(names.end(), {ours.name, rival.name});
    measured_ = measure(laboratory_, "Variants", "runs", problems_, command_.plan, methods_named(names));
    for (const std::size_t batch : command_.plan.batches) {
      for (const Rivals& rivals : {paper_rivals, equal_rivals})
        if (std::all_of(rivals.list.begin(), rivals.list.end(), [&](const Rival& rival) {
              return std::find(names.begin(), names.end(), rival.name) != names.end();
            }))
          add(gather(measured_, batch, rivals, command_.variants, command_.jobs), command_.detail);
      for (const auto& [ours, rival] : command_.pairs)
        add(gather(measured_, batch, {rival.title, {{rival.name, rival.name}}}, {ours}, command_.jobs), ours.name);
    }
  }

  /// Batches of 16 against the sequence at equal total cost.
  void compare_totals() {
    for (const Variant& variant : command_.totals) {
      const Variant total = at_total_cost(variant);
      Plan plan = command_.plan;
      plan.batches = {1};
      const auto sequence = measure(laboratory_, variant.name + " in sequence", "runs", problems_, plan, {variant});
      plan.batches = {total_batch};
      totals_.push_back(std::make_unique<std::vector<Measured>>(beside_sequence(
          measure(laboratory_, variant.name + " in batches of 16", "runs", problems_, plan, {total}), sequence)));
      add(gather(*totals_.back(), total_batch,
                 {variant.title + " in sequence at equal total cost", {{variant.name, "sequence"}}}, {total},
                 command_.jobs),
          total.name);
    }
  }

  void compare_with_optuna() {
    snapped_ = only(snapped_problems_of(command_.set, command_.data), command_.problems);
    if (snapped_.empty()) throw std::invalid_argument("--optuna needs a table among --problems");
    std::vector<replay::Method> methods(command_.variants.begin(), command_.variants.end());
    methods.insert(methods.end(), command_.optuna.begin(), command_.optuna.end());
    Plan plan = command_.plan;
    plan.batches = {1};
    free_ = measure(laboratory_, "Optuna", "runs_free", snapped_, plan, methods);
    add(gather(free_, 1, optuna_rivals(command_.optuna), command_.variants, command_.jobs), command_.detail);
  }

  /// Writes all that was compared, and returns the report.
  std::string write(const std::string& build) const {
    std::string text = std::string("# Settings on the set `") + to_string(command_.set) + "`\n\n" + text_ +
                       "Built with " + build + ".\n";
    replay::replace_file(folder_ / "report.md", text);
    replay::replace_file(folder_ / "savings.csv", savings_csv(all_));
    replay::replace_file(folder_ / "net.csv", net_csv(all_));
    return text;
  }

 private:
  static std::vector<replay::Method> methods_named(const std::vector<std::string>& names) {
    const std::vector<Variant> chosen = variants_named(names);
    return {chosen.begin(), chosen.end()};
  }

  /// Sections and figures of one comparison; `detail` is the variant that is shown by problem.
  void add(Evidence evidence, const std::string& detail) {
    text_ += variants_section(evidence) + problems_section(evidence, detail);
    std::string name = "b" + std::to_string(evidence.cells.front()->summary.cell.batch);
    for (const Rival& rival : evidence.rivals.list) name += "_" + rival.name;
    replay::replace_file(folder_ / ("variants_" + name + ".svg"), variants_figure(evidence));
    replay::replace_file(folder_ / (detail + "_" + name + ".svg"), problems_figure(evidence, detail));
    all_.push_back(std::move(evidence));
  }

  const CommandLine& command_;
  std::filesystem::path folder_;
  replay::Laboratory laboratory_;
  std::vector<replay::Problem> problems_;
  std::vector<replay::Problem> snapped_{};
  std::vector<Measured> measured_{}, free_{};  // evidence points into these
  std::vector<std::unique_ptr<std::vector<Measured>>> totals_{};
  std::vector<Evidence> all_{};
  std::string text_{};
};

int run(const CommandLine& command, const std::vector<std::string>& arguments) {
  if (command.set != ProblemSet::choosing) leave_note(command.out / to_string(command.set), arguments);
  Judgement judgement(command);
  judgement.compare_variants();
  judgement.compare_totals();
  if (!command.optuna.empty()) judgement.compare_with_optuna();
  std::printf("%s\nReport, CSV and figures are in %s\n", judgement.write(CARBO_BUILD_FLAGS).c_str(),
              (command.out / to_string(command.set)).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const CommandLine command = parse_command_line(arguments);
    if (command.help) return std::fputs(usage, stdout) < 0;
    if (command.list) {
      print_list(command);
      return 0;
    }
    return run(command, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_choice: %s\n", error.what());
    return 1;
  }
}
