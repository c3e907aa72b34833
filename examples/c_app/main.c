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

enum { least_candidates = 100, most_candidates = 100000000, most_seeds = 100 };

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
      fprintf(stderr, "%s %s: give a whole number above 0 and below 2^63\n", values[i], values[i + 1]);
      return 0;
    }
  }
  if (arguments->candidates < least_candidates || arguments->candidates > most_candidates ||
      arguments->batch > arguments->candidates / 10 || arguments->seeds > most_seeds) {
    fprintf(stderr, "give %d to %d candidates, a batch of at most a tenth of them, and at most %d seeds\n",
            least_candidates, most_candidates, most_seeds);
    return 0;
  }
  return 1;
}

static void report(const char* method, const struct search_trace* trace, double budget) {
  const double best = trace->points[trace->count - 1].best;
  printf("%s: %.3f dB after %.0f steps, of %d simulations the best\n", method, -best,
         steps_to(trace->points, best, budget), (int)trace->count);
}

/* Both searches of one library. Zero where a call failed. */
static int compare(const struct arguments* arguments, uint64_t seed, double* saved) {
  struct harvester_library library = {NULL, 0};
  struct search_settings settings = {arguments->batch, (double)arguments->budget, seed, 0};
  struct search_trace cool = {NULL, 0}, plain = {NULL, 0};
  int done = harvester_library_make(&library, arguments->candidates, seed);
  if (done) done = search(&library, &settings, &plain);
  settings.cost_aware = 1;
  if (done) done = search(&library, &settings, &cool);
  if (done) {
    *saved = saved_share(cool.points, cool.count, plain.points, plain.count, settings.budget);
    report("EI", &plain, settings.budget);
    report("EI-cool", &cool, settings.budget);
    printf("library %d, saved against EI: %+.0f %% of the budget\n\n", (int)seed, percent(*saved));
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
         percent((saved[(arguments.seeds - 1) / 2] + saved[arguments.seeds / 2]) / 2));
  return 0;
}
