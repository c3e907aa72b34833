#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "oscillator.h"

namespace {

double final_best(const Outcome& outcome) { return outcome.history.back().best_objective; }

/// The share of the budget after which a search has come to `objective`.
double share_until(const Outcome& outcome, double objective, double budget) {
  const auto reached = std::find_if(outcome.history.begin(), outcome.history.end(),
                                    [&](const Totals& totals) { return totals.best_objective <= objective; });
  return reached == outcome.history.end() ? 1.0 : std::min(1.0, reached->spent / budget);
}

}  // namespace

void print_head(const Arguments& arguments) {
  std::printf("%zu candidates, batches of %zu, %.0f steps for each search\n\n", arguments.candidates, arguments.batch,
              arguments.budget);
  std::printf("%-8s %12s %10s %6s %12s %10s %16s\n", "search", "simulations", "steps", "fits", "power (dB)",
              "in play", "selector (MiB)");
}

void print_outcome(const char* name, const Outcome& outcome) {
  const Totals& totals = outcome.history.back();
  std::printf("%-8s %12lld %10.0f %6zu %12.3f %10zu %16.1f\n", name, static_cast<long long>(totals.evaluations),
              totals.spent, outcome.fits, -totals.best_objective, outcome.in_play,
              static_cast<double>(outcome.selector_bytes) / (1 << 20));
  double x[oscillator_parameters];
  for (int column = 0; column < oscillator_parameters; ++column) x[column] = library_value(totals.best_row, column);
  const oscillator_design best = oscillator_design_of(x);
  std::printf("         best: row %lld, stiffness %.3g, hardening %.3g, leak %.3g, coupling %.3g, mass %.3g\n",
              static_cast<long long>(totals.best_row), best.stiffness, best.hardening, best.leak, best.coupling,
              best.mass);
}

double saved_share(const Outcome& ours, const Outcome& rival, double budget) {
  const double our_best = final_best(ours), rival_best = final_best(rival);
  if (our_best == rival_best) return share_until(rival, our_best, budget) - share_until(ours, our_best, budget);
  if (our_best < rival_best) return 1 - share_until(ours, rival_best, budget);
  return share_until(rival, our_best, budget) - 1;
}

void print_saved(double share) { std::printf("\nsaved against EI: %+.0f %% of the budget\n", 100 * share); }
