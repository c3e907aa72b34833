#include "program/run/run.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "program/evaluation/evaluator.hpp"
#include "program/file/open_study.hpp"
#include "program/run/runner.hpp"
#include "program/slurm/slurm_launcher.hpp"
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

/// Who has what is pending, and until when.
std::string holders(const Study& study) {
  std::map<std::string, double> ends;
  for (const Trial& trial : study.pending_trials()) {
    double& end = ends[trial.owner];
    end = std::max(end, trial.lease_end.value_or(0));
  }
  std::string words;
  for (const auto& [owner, end] : ends)
    words +=
        fmt::format("{}{} until {}", words.empty() ? "the rest is with " : ", ", printable(owner), time_text(end));
  return words.empty() ? "carbo run goes on" : words;
}

/// An end that is none of the study, or nothing to be glad of.
int settled(const Study& study, int exit) {
  if (exit != run_over) return exit;
  const StudySummary summary = study.summary();
  if (summary.stop_reason == StopReason::running) return run_elsewhere;
  return summary.succeeded == 0 && summary.failed + summary.timed_out > 0 ? run_failures : run_over;
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
  else if (exit == run_elsewhere)
    lines += "; not over: " + holders(study);
  else if (exit == run_failures && summary.succeeded == 0)
    lines += "; none succeeded";
  else if (exit == run_over)
    lines += fmt::format("; ended by: {}", to_string(summary.stop_reason));
  if (summary.best)
    lines += fmt::format("\nbest: {}  {}", short_number(*summary.best->objective),
                         printable(summary.best->configuration.to_string()));
  display.say(lines);
}

std::unique_ptr<Launcher> launcher_of(Spawner& spawner, const StudyFile& file, const Study& study,
                                      const std::filesystem::path& evaluations, Display& display) {
  if (file.run.launcher == RunSettings::Launcher::slurm)
    return std::make_unique<SlurmLauncher>(spawner, file, mark_of(study), evaluations,
                                           [&](const std::string& words) { display.warn(words); });
  return std::make_unique<Evaluator>(spawner, *file.command, file.objective, file.cost, file.run, evaluations,
                                     file.space);
}

}  // namespace

std::filesystem::path evaluations_folder(const StudyFile& file) {
  std::filesystem::path folder = file.storage;
  folder.replace_extension(".runs");
  return folder / folder_name(file.name);
}

int run_study(StudyFile file, const RunArguments& arguments) {
  check_command(*file.command, file.space);
  const bool by_slurm = file.run.launcher == RunSettings::Launcher::slurm;
  if (by_slurm) require_slurm();
  if (by_slurm && arguments.join)
    throw InvalidOptions(
        "--join is for runners on several machines; with launcher = \"slurm\" one runner submits all tasks: give it "
        "more workers");
  Spawner spawner;  // before there are threads, and locks that it would hold
  const Signals signals;
  file.how.owner.clear();  // this process: what it runs is free again as soon as it is dead
  // What Slurm runs does not end with its runner.
  file.how.lost = file.run.charge_interrupted && !by_slurm ? LostPoint::charge : LostPoint::hand_out;
  const Changes changes = arguments.accept_changes ? Changes::accept : Changes::refuse;
  Study guard = open_unchanged(file, changes);  // who is refused has changed nothing
  const bool claimed = guard.claim();
  if (!claimed && !arguments.join)
    throw StudyBusy(
        fmt::format("another process runs '{}' of {}; --join runs beside it", file.name, file.storage.string()));
  OpenedStudy opened = open_study(file, changes);
  Study& study = opened.study;
  const std::filesystem::path evaluations =
      arguments.evaluations.empty() ? evaluations_folder(file) : arguments.evaluations;
  const std::string left = by_slurm ? take_in_left(study, slurm_folder(evaluations)) : "";
  Display display(display_kind(arguments.quiet, arguments.plain), first_view(file, study));
  for (const std::string& note : {opened.note, left})
    if (!note.empty()) display.say(note);
  const std::string remark = remark_on(*file.command, file.space);
  if (!remark.empty()) display.warn("warning: " + printable(remark));
  const std::unique_ptr<Launcher> launcher = launcher_of(spawner, file, study, evaluations, display);
  if (claimed) withdraw_prepared(study);
  const int exit = settled(study, Runner(file, study, *launcher, signals, display, arguments.verbose).run());
  if (exit != run_error) say_end(file, study, display, exit);
  return exit;
}

}  // namespace carbo::program
