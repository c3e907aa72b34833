#include "program/run/runner.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "program/support/terminal.hpp"
#include "study/host.hpp"
#include "support/stopwatch.hpp"

namespace carbo::program {
namespace {

using Status = EvaluationRecord::Status;

std::string indented(const std::string& lines) {
  std::string text = "    ";
  for (const char c : lines) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return text;
}

}  // namespace

Runner::Runner(const StudyFile& file, Study& study, Launcher& launcher, const Signals& signals, Display& display,
               bool verbose)
    : file_(file),
      study_(study),
      launcher_(launcher),
      signals_(signals),
      display_(display),
      verbose_(verbose),
      seed_(study.options().seed),
      by_signal_(signals.stop(), [this] { stop_.request_stop(); }) {
  struct stat seen {};
  if (::stat(study.file().c_str(), &seen) == 0) {
    device_ = seen.st_dev;
    inode_ = seen.st_ino;
  }
}

int Runner::run() {
  StudyHooks hooks;
  hooks.progress = [this](const Progress& progress) { show(progress); };
  hooks.tick = [this] { look(); };
  hooks.tick_seconds = 0.1;
  hooks.drain = signals_.drain();
  hooks.stop = stop_.get_token();
  hooks.prepare = true;
  hooks.notes = [this](std::uint64_t id) { return notes(id); };
  return conclude(minimize(
      study_,
      [this](const Configuration& configuration, const EvaluationContext& context) {
        return evaluate(configuration, context);
      },
      hooks));
}

Evaluation Runner::evaluate(const Configuration& configuration, const EvaluationContext& context) {
  const std::size_t worker = context.worker();
  display_.change([&](RunView& view) {
    if (view.workers.size() <= worker) view.workers.resize(worker + 1);
    view.workers[worker] = {context.suggestion_id(), internal::steady_seconds(), configuration.to_string()};
  });
  Done done;
  done.started = internal::machine_clock();
  try {
    done.record = attempt(configuration, context);
  } catch (const std::exception& error) {
    give_up(error.what());
    done.record.status = Status::interrupted;
  }
  done.started = done.record.started.value_or(done.started);
  done.ended = done.record.ended.value_or(internal::machine_clock());
  const EvaluationRecord record = done.record;
  display_.change([&](RunView& view) { view.workers[worker].id.reset(); });
  {
    const std::lock_guard lock(mutex_);
    done_[context.suggestion_id()] = std::move(done);
  }
  return judged(record, context);
}

EvaluationRecord Runner::attempt(const Configuration& configuration, const EvaluationContext& context) {
  const std::uint64_t id = context.suggestion_id();
  EvaluationWatch watch;
  watch.wish = [&] {
    // A deadline is the evaluator's to keep.
    return context.stop_requested() && context.seconds_left() > 0 ? Wish::end_gently : Wish::go_on;
  };
  watch.step = [&](const StepLine& line) {
    const std::lock_guard lock(mutex_);
    reports_.push_back({id, {line.step, line.time.value_or(internal::machine_clock()), line.values}});
  };
  return launcher_.evaluate(configuration, {id, context.worker(), seed_, seconds_of(context)}, watch);
}

/// On the wall clock, until the library wants it cut off.
double Runner::seconds_of(const EvaluationContext& context) const {
  const Reading& cost = file_.cost;
  const bool is_seconds = cost.source == Reading::Source::wall_clock || cost.source == Reading::Source::cpu;
  const double by_cost =
      is_seconds && cost.factor > 0 ? context.timeout() / cost.factor : std::numeric_limits<double>::infinity();
  return std::max(0.0, std::min(context.seconds_left(), by_cost));
}

Evaluation Runner::judged(const EvaluationRecord& record, const EvaluationContext& context) {
  if (record.hopeless) give_up(record.reason);
  if (record.hopeless || record.status == Status::interrupted) throw EvaluationInterrupted();
  if (record.status == Status::succeeded) return {record.objective, *record.cost};
  const bool timed_out = record.status == Status::timed_out;
  if (record.cost) throw EvaluationFailed(*record.cost, record.reason, timed_out);
  if (timed_out && std::isfinite(context.timeout())) throw EvaluationFailed(context.timeout(), record.reason, true);
  throw std::runtime_error(record.reason);  // what it cost is for the library to say
}

void Runner::give_up(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (fatal_.empty()) fatal_ = why;
  }
  stop_.request_stop();
}

void Runner::look() {
  display_.change([&](RunView& view) {
    if (stop_.stop_requested())
      view.ending = RunView::Ending::stopping;
    else if (signals_.first() != 0)
      view.ending = RunView::Ending::draining;
  });
  struct stat seen {};
  if (::stat(study_.file().c_str(), &seen) != 0 || seen.st_dev != device_ || seen.st_ino != inode_)
    throw StorageError(fmt::format(
        "{} was removed or replaced while the study ran; results since then are in no file", study_.file().string()));
  try {
    take_up_wishes();
    store_reports();
  } catch (const StudyBusy&) {
    // They are stored later.
  }
}

/// Shows what others have changed of the study, and says it where it stays to be read.
void Runner::take_up_wishes() {
  const StudySummary now = study_.summary();
  const Options& options = study_.options();
  const RunView before = display_.view();
  const auto most = file_.counts_evaluations ? options.max_evaluations : std::nullopt;
  const bool paused = now.paused.has_value();
  if (paused == before.paused && now.budget == before.budget && most == before.most_evaluations) return;
  display_.change([&](RunView& view) {
    view.paused = paused;
    view.budget = now.budget;
    view.most_evaluations = most;
  });
  if (paused && !before.paused)
    display_.say(
        fmt::format("paused since {}: nothing begins until it is resumed (carbo resume)", time_text(*now.paused)));
  if (!paused && before.paused) display_.say("resumed");
  if (now.budget != before.budget)
    display_.say(fmt::format("the budget is {} now, it was {}", amount_text(now.budget, now.cost_unit),
                             amount_text(before.budget, now.cost_unit)));
  else if (most != before.most_evaluations && most)
    display_.say(fmt::format("the budget is {} evaluations now", *most));
}

/// Those that it throws at, and those after them, are kept.
void Runner::store_reports() {
  std::vector<Report> reports;
  {
    const std::lock_guard lock(mutex_);
    reports.swap(reports_);
  }
  for (auto one = reports.begin(); one != reports.end(); ++one) {
    try {
      study_.report(one->id, one->report);
    } catch (const UnknownSuggestion&) {
      // Another has its result by now.
    } catch (const StudyBusy&) {
      const std::lock_guard lock(mutex_);
      reports_.insert(reports_.begin(), std::make_move_iterator(one), std::make_move_iterator(reports.end()));
      throw;
    }
  }
}

TrialNotes Runner::notes(std::uint64_t id) {
  store_reports();
  const std::lock_guard lock(mutex_);
  const auto found = done_.find(id);
  if (found == done_.end()) return {};
  const Done& done = found->second;
  TrialNotes notes{done.record.metrics, done.started, done.ended};
  notes.metrics.emplace("wall_seconds", done.record.wall_seconds);
  notes.metrics.emplace("cpu_seconds", done.record.cpu_seconds);
  notes.metrics.emplace("peak_bytes", done.record.peak_bytes);
  return notes;
}

void Runner::show(const Progress& progress) {
  const std::optional<double> before = display_.view().best;
  std::optional<Trial> best;
  if (progress.best_objective && progress.best_objective != before) best = study_.best();
  display_.change([&](RunView& view) {
    view.phase = progress.phase;
    view.alpha = progress.alpha;
    view.evaluations = progress.evaluations;
    view.failures = progress.failures;
    view.spent = progress.spent;
    view.best = progress.best_objective;
    if (best) view.best_configuration = best->configuration.to_string();
    if (progress.last != nullptr && progress.last->status == ObservationStatus::succeeded && view.best)
      view.bests.push_back(*view.best);
  });
  if (progress.last != nullptr) show_result(*progress.last);
}

void Runner::show_result(const Observation& last) {
  Done done;
  if (last.id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = done_.find(*last.id); found != done_.end()) {
      done = std::move(found->second);
      done_.erase(found);
    }
  }
  if (last.id) launcher_.told(*last.id);
  const std::string id = last.id ? std::to_string(*last.id) : "-";
  const std::string unit = study_.options().cost.unit;
  const std::string where =
      verbose_ || last.status != ObservationStatus::succeeded || display_.kind() != Display::Kind::live
          ? "  " + printable(last.configuration.to_string())
          : "";
  if (last.status != ObservationStatus::succeeded) {
    std::string lines = fmt::format("evaluation {} {}: {}{}", id,
                                    last.status == ObservationStatus::timed_out ? "was cut off" : "failed",
                                    printable(last.reason), where);
    if (!done.record.tail.empty()) lines += "\n" + indented(done.record.tail);
    if (!done.record.remark.empty()) lines += "\n    (" + done.record.remark + ")";
    return display_.warn(lines);
  }
  if (!done.record.remark.empty()) display_.warn(fmt::format("evaluation {}: {}", id, done.record.remark));
  if (display_.kind() == Display::Kind::live && !verbose_) return;
  const RunView view = display_.view();
  display_.say(fmt::format("{:>5}  {:<12} cost {:<14} best {:<12} {:3.0f} %{}", id, short_number(last.objective),
                           amount_text(last.cost, unit), short_number(view.best), 100 * spent_share(view), where));
}

int Runner::conclude(const Result& result) {
  std::string fatal;
  {
    const std::lock_guard lock(mutex_);
    fatal = fatal_;
  }
  if (fatal.empty() && result.stop_reason == StopReason::error) fatal = result.error;
  display_.change([&](RunView& view) {
    view.ending = RunView::Ending::over;
    view.workers.clear();
  });
  for (const std::string& warning : result.warnings) display_.warn("warning: " + in_words_of_the_file(warning));
  if (!fatal.empty()) {
    display_.warn("carbo run: " + fatal);
    return run_error;
  }
  if (result.stop_reason == StopReason::failures) {
    display_.warn(fmt::format("carbo run: too many failures in a row, the last one: {}", printable(result.error)));
    return run_failures;
  }
  if (result.stop_reason == StopReason::cancelled && signals_.first() != 0) return 128 + signals_.first();
  return run_over;
}

void withdraw_prepared(Study& study) {
  for (const Trial& trial : study.pending_trials())
    if (trial.state == TrialState::waiting && trial.lost) study.withdraw(*trial.id);
}

RunView first_view(const StudyFile& file, const Study& study) {
  const StudySummary summary = study.summary();
  RunView view;
  view.study = study.name();
  view.goal = study.options().goal;
  view.unit = study.options().cost.unit;
  view.budget = study.options().budget;
  if (file.counts_evaluations) view.most_evaluations = study.options().max_evaluations;
  view.spent = view.spent_before = summary.spent;
  view.evaluations = view.evaluations_before = summary.succeeded + summary.failed + summary.timed_out;
  view.failures = summary.failed + summary.timed_out;
  view.phase = summary.phase;
  view.began = internal::steady_seconds();
  view.workers.resize(study.options().batch_size);
  if (summary.best) {
    view.best = summary.best->objective;
    view.best_configuration = summary.best->configuration.to_string();
  }
  const bool least = view.goal == Goal::minimize;
  if (view.evaluations > 0) {
    for (const Trial& trial : study.trials()) {
      if (trial.state != TrialState::succeeded || !trial.objective) continue;
      const double last = view.bests.empty() ? *trial.objective : view.bests.back();
      view.bests.push_back(least ? std::min(last, *trial.objective) : std::max(last, *trial.objective));
    }
  }
  return view;
}

}  // namespace carbo::program
