#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/run_state.hpp>

namespace carbo::program {

/// What one worker does.
struct WorkerView {
  std::optional<std::uint64_t> id;  ///< of what it evaluates
  double since = 0;                 ///< on the steady clock
  std::string configuration;
};

/// Where a run is, as it is shown.
struct RunView {
  std::string study;
  Goal goal = Goal::minimize;
  std::string unit;
  double budget = 0;
  std::optional<std::size_t> most_evaluations;  ///< the budget where it is a number of them
  double spent = 0;
  double spent_before = 0;  ///< by earlier runs
  std::size_t evaluations = 0, failures = 0;
  std::size_t evaluations_before = 0;
  double began = 0;  ///< this run, on the steady clock
  std::optional<double> best;
  std::string best_configuration;
  std::vector<double> bests;  ///< best so far after every success
  Phase phase = Phase::warm_start;
  std::optional<double> alpha;
  std::vector<WorkerView> workers;
  bool paused = false;  ///< nothing begins until somebody resumes the study
  enum class Ending { no, draining, stopping, over } ending = Ending::no;
};

/// How a display may look.
struct ViewStyle {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool utf8 = true;
  bool colour = true;
};

/// The lines of the live display, none longer than `columns`, no more than `rows`; `now` on the steady clock.
std::vector<std::string> render(const RunView& view, double now, const ViewStyle& style);

/// Share of the budget that is spent, and seconds to its end as this run goes on; absent while nobody can tell.
double spent_share(const RunView& view);
std::optional<double> seconds_left(const RunView& view, double now);

/// Values as a line of `width` characters at most, later ones to the right; empty where there are none.
std::string sparkline(const std::vector<double>& values, std::size_t width, bool utf8);
/// As much of a text as fits into so many columns.
std::string cut(std::string_view text, std::size_t columns, bool utf8);
/// 12 s, 3:05, 2:10:00.
std::string clock_text(double seconds);

}  // namespace carbo::program
