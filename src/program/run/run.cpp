#include "program/run/run.hpp"

#include <fmt/format.h>

#include <carbo/to_string.hpp>

#include "program/run/runner.hpp"
#include "program/support/terminal.hpp"

namespace carbo::program {
namespace {

/// One name of a folder, whatever is in the study's.
std::string folder_name(const std::string& study) {
  std::string name;
  for (const char c : study) {
    const auto byte = static_cast<unsigned char>(c);
    const bool harmless =
        std::isalnum(byte) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty()) || byte >= 0x80;
    name += harmless ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return name.empty() ? "%" : name;
}

void say_end(const StudyFile& file, const Study& study, Display& display, int exit) {
  const StudySummary summary = study.summary();
  const std::size_t failures = summary.failed + summary.timed_out;
  std::string lines = fmt::format("{} evaluations", summary.succeeded + failures);
  if (failures > 0) lines += fmt::format(" ({} failed)", failures);
  if (!file.counts_evaluations)
    lines += fmt::format(", {} of {} spent", amount_text(summary.spent, summary.cost_unit),
                         amount_text(summary.budget, summary.cost_unit));
  if (exit > 128)
    lines += fmt::format("; saved in {}, carbo run goes on", study.file().string());
  else if (exit == run_over)
    lines += fmt::format("; ended by: {}", to_string(summary.stop_reason));
  if (summary.best)
    lines += fmt::format("\nbest: {}  {}", short_number(*summary.best->objective),
                         printable(summary.best->configuration.to_string()));
  display.say(lines);
}

}  // namespace

std::filesystem::path evaluations_folder(const StudyFile& file) {
  std::filesystem::path folder = file.storage;
  folder.replace_extension(".runs");
  return folder / folder_name(file.name);
}

int run_study(const StudyFile& file, const std::function<Study(const StudyOptions&)>& open,
              const RunArguments& arguments) {
  check_command(*file.command, file.space);
  Spawner spawner;  // before there are threads, and locks that it would hold
  const Signals signals;
  StudyOptions how = file.how;
  how.owner.clear();  // this process: what it runs is free again as soon as it is dead
  how.lost = file.run.charge_interrupted ? LostPoint::charge : LostPoint::hand_out;
  Study study = open(how);
  const Evaluator evaluator(spawner, *file.command, file.objective, file.cost, file.run,
                            arguments.evaluations.empty() ? evaluations_folder(file) : arguments.evaluations,
                            file.space);
  const bool claimed = study.claim();
  Display display(display_kind(arguments.quiet, arguments.plain), first_view(file, study));
  if (!claimed && !arguments.join) {
    display.warn(fmt::format("carbo run: another process runs '{}' of {}; --join runs beside it", study.name(),
                             study.file().string()));
    return run_busy;
  }
  if (claimed) withdraw_prepared(study);
  const int exit = Runner(file, study, evaluator, signals, display, arguments.verbose).run();
  if (exit != run_error) say_end(file, study, display, exit);
  return exit;
}

}  // namespace carbo::program
