/* Carbo called from C, in host memory: which harvester of a large library yields the most power, with EI-cool and
   with EI, and what the first saves.

     c_app [--candidates COUNT] [--batch COUNT] [--budget STEPS] [--seeds COUNT]

   The selector runs on a CUDA device where there is one. Elsewhere than in its own tree it is built by
   cc -std=c99 -O2 library.c main.c search.c -lcarbo_c -lm, beside the folder cuda_app. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harvester.h"

enum { most_seeds = 100 };

struct arguments {
  int64_t candidates, batch, budget, seeds;
};

static int64_t* setting(struct arguments* arguments, const char* name) {
  if (strcmp(name, "--candidates") == 0) return &arguments->candidates;
  if (strcmp(name, "--batch") == 0) return &arguments->batch;
  if (strcmp(name, "--budget") == 0) return &arguments->budget;
  if (strcmp(name, "--seeds") == 0) return &arguments->seeds;
  return NULL;
}

static int parse(int count, char** values, struct arguments* arguments) {
  int i;
  for (i = 1; i < count; i += 2) {
    int64_t* const target = setting(arguments, values[i]);
    char* end = NULL;
    if (target == NULL || i + 1 == count) {
      fprintf(stderr, "%s: give --candidates, --batch, --budget or --seeds, and a number\n", values[i]);
      return 0;
    }
    errno = 0;
    *target = strtoll(values[i + 1], &end, 10);
    if (errno != 0 || *end != '\0' || *target < 1) {
      fprintf(stderr, "%s %s: give a whole number above 0\n", values[i], values[i + 1]);
      return 0;
    }
  }
  if (arguments->candidates < 100 || arguments->batch > arguments->candidates / 10 || arguments->seeds > most_seeds) {
    fprintf(stderr, "give 100 candidates or more, a batch of at most a tenth of them, and at most %d seeds\n",
            most_seeds);
    return 0;
  }
  return 1;
}

static double end_of(const struct search_trace* trace) { return trace->best[trace->count - 1]; }

/* Steps until a trace is at least as good as `target`, which it is in the end. */
static double steps_to(const struct search_trace* trace, double target) {
  int64_t i = 0;
  while (trace->best[i] > target) ++i;
  return trace->spent[i];
}

/* Share of the budget that is left when the first trace reaches what the second one ends with; negative, with the
   roles exchanged, where it ends worse. Where both end alike, how much earlier it got there. */
static double savings(const struct search_trace* first, const struct search_trace* second, double budget) {
  const double first_end = end_of(first), second_end = end_of(second);
  if (first_end == second_end) return (steps_to(second, first_end) - steps_to(first, first_end)) / budget;
  if (first_end < second_end) return 1 - steps_to(first, second_end) / budget;
  return steps_to(second, first_end) / budget - 1;
}

static void report(const char* method, const struct search_trace* trace) {
  printf("%s: %.3f dB after %.0f steps, of %d simulations the best\n", method, -end_of(trace),
         steps_to(trace, end_of(trace)), (int)trace->count);
}

/* Both searches of one library. Zero where a call failed. */
static int compare(const struct arguments* arguments, uint64_t seed, double* saved) {
  struct harvester_library library = {NULL, 0};
  struct search_settings settings = {arguments->batch, (double)arguments->budget, seed, 0};
  struct search_trace cool = {NULL, NULL, 0}, plain = {NULL, NULL, 0};
  int done = harvester_library_make(&library, arguments->candidates, seed);
  if (done) done = search(&library, &settings, &plain);
  settings.cost_aware = 1;
  if (done) done = search(&library, &settings, &cool);
  if (done) {
    *saved = savings(&cool, &plain, settings.budget);
    report("EI", &plain);
    report("EI-cool", &cool);
    printf("library %d, saved against EI: %+.0f %% of the budget\n\n", (int)seed, 100 * *saved);
  }
  search_trace_free(&cool);
  search_trace_free(&plain);
  harvester_library_free(&library);
  return done;
}

static int ascending(const void* first, const void* second) {
  const double a = *(const double*)first, b = *(const double*)second;
  return (a > b) - (a < b);
}

int main(int count, char** values) {
  struct arguments arguments = {20000, 64, 1000000, 1};
  double saved[most_seeds];
  int64_t seed;
  if (!parse(count, values, &arguments)) return 2;
  for (seed = 0; seed < arguments.seeds; ++seed)
    if (!compare(&arguments, (uint64_t)seed + 1, &saved[seed])) return 1;
  qsort(saved, (size_t)arguments.seeds, sizeof saved[0], ascending);
  printf("median of %d, saved against EI: %+.0f %% of the budget\n", (int)arguments.seeds,
         50 * (saved[(arguments.seeds - 1) / 2] + saved[arguments.seeds / 2]));
  return 0;
}
