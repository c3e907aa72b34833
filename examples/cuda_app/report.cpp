#include "report.hpp"

#include <cstdio>

#include "oscillator.h"

void print_head(const Arguments& arguments) {
  std::printf("%zu candidates, batches of %zu, %.0f steps for each search\n\n", arguments.candidates, arguments.batch,
              arguments.budget);
  std::printf("%-8s %12s %10s %6s %12s %10s %16s\n", "search", "simulations", "steps", "fits", "power (dB)",
              "in play", "selector (MiB)");
}

void print_outcome(const char* name, const Outcome& outcome) {
  const search_point& last = outcome.points.back();
  std::printf("%-8s %12zu %10.0f %6zu %12.3f %10zu %16.1f\n", name, outcome.points.size(), last.spent, outcome.fits,
              -last.best, outcome.in_play, static_cast<double>(outcome.selector_bytes) / (1 << 20));
  double x[oscillator_parameters];
  for (int column = 0; column < oscillator_parameters; ++column) x[column] = library_value(outcome.best_row, column);
  const oscillator_design best = oscillator_design_of(x);
  std::printf("         best: row %lld, stiffness %.3g, hardening %.3g, leak %.3g, coupling %.3g, mass %.3g\n",
              static_cast<long long>(outcome.best_row), best.stiffness, best.hardening, best.leak, best.coupling,
              best.mass);
}

void print_saved(const Outcome& ours, const Outcome& rival, double budget) {
  const double share = saved_share(ours.points.data(), static_cast<std::int64_t>(ours.points.size()),
                                   rival.points.data(), static_cast<std::int64_t>(rival.points.size()), budget);
  std::printf("\nsaved against EI: %+.0f %% of the budget\n", percent(share));
}
