/* How two searches are compared, by simulations in their order. Plain C99 that a C++ compiler accepts as well. */
#ifndef SAVINGS_H
#define SAVINGS_H

#include <math.h>
#include <stdint.h>

/* What a search has come to after one more simulation. */
struct search_point {
  double spent; /* integration steps */
  double best;  /* lowest objective so far */
};

/* Steps until a search is at least as good as `target`, which it is in the end; at most the budget. */
static inline double steps_to(const struct search_point* points, double target, double budget) {
  int64_t i = 0;
  while (points[i].best > target) ++i;
  return fmin(points[i].spent, budget);
}

/* Share of the budget that is left when the first search reaches what the second one ends with; negative, with the
   roles exchanged, where it ends worse. Where both end alike, how much earlier it got there. */
static inline double saved_share(const struct search_point* first, int64_t first_count,
                                 const struct search_point* second, int64_t second_count, double budget) {
  const double first_end = first[first_count - 1].best, second_end = second[second_count - 1].best;
  if (first_end == second_end)
    return (steps_to(second, first_end, budget) - steps_to(first, first_end, budget)) / budget;
  if (first_end < second_end) return 1 - steps_to(first, second_end, budget) / budget;
  return steps_to(second, first_end, budget) / budget - 1;
}

/* For printing: whole, and never -0. */
static inline double percent(double share) { return round(100 * share) + 0.0; }

#endif
