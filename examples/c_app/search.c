#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <carbo/carbo.h>

#include "../cuda_app/oscillator.h"
#include "harvester.h"

enum { warm_start = 5, design_batch = 8 };

struct search {
  const struct harvester_library* library;
  const struct search_settings* settings;
  struct search_trace* trace;
  carbo_selector* selector;
  int64_t* rows; /* of one batch, as the next two */
  double* objectives;
  double* costs;
  double spent;
  double best;
};

static const char* method(const struct search* search) { return search->settings->cost_aware ? "EI-cool" : "EI"; }

/* Prints what a call had to say where it failed. */
static int succeeded(carbo_status status) {
  char message[1024] = "";
  if (status == CARBO_OK) return 1;
  carbo_message(message, sizeof message, NULL);
  fprintf(stderr, "%s: %s\n", carbo_status_name(status), message);
  return 0;
}

/* No row is simulated twice, so the trace has room for all. */
static void record(struct search* search, double objective, double cost) {
  struct search_trace* const trace = search->trace;
  search->spent += cost;
  search->best = fmin(search->best, objective);
  trace->spent[trace->count] = search->spent;
  trace->best[trace->count] = search->best;
  ++trace->count;
}

/* Simulates the first `count` rows in their order until `limit` steps are spent, appends these and, where they were
   suggested, withdraws the others. */
static int simulate(struct search* search, int64_t count, double limit, int suggested) {
  int64_t done = 0;
  carbo_indices finished, left;
  carbo_vector objectives, costs;
  while (done < count && search->spent < limit) {
    const double* const design = search->library->designs + search->rows[done] * oscillator_parameters;
    const struct oscillator_result result = oscillator_run(design);
    search->objectives[done] = result.objective;
    search->costs[done] = (double)result.steps;
    record(search, result.objective, (double)result.steps);
    ++done;
  }
  finished = carbo_indices_of(search->rows, CARBO_HOST, done);
  left = carbo_indices_of(search->rows + done, CARBO_HOST, count - done);
  objectives = carbo_vector_of(search->objectives, CARBO_FLOAT64, CARBO_HOST, done);
  costs = carbo_vector_of(search->costs, CARBO_FLOAT64, CARBO_HOST, done);
  if (!succeeded(carbo_selector_append_rows(search->selector, &finished, &objectives, &costs))) return 0;
  return count == done || !suggested || succeeded(carbo_selector_withdraw(search->selector, &left));
}

/* The first rows of the library, which are spread evenly. */
static int start(struct search* search) {
  int64_t i;
  for (i = 0; i < warm_start; ++i) search->rows[i] = i;
  return simulate(search, warm_start, search->settings->budget, 0);
}

/* How many of `wanted` rows may still be suggested. */
static int available(struct search* search, int64_t wanted, int64_t* count) {
  carbo_selector_info info;
  info.struct_size = (uint32_t)sizeof info;
  if (!succeeded(carbo_selector_get_info(search->selector, &info))) return 0;
  *count = info.available < wanted ? info.available : wanted;
  return 1;
}

/* Cheap designs far from each other, for an eighth of the budget. */
static int initial_design(struct search* search) {
  const double share = search->settings->budget / 8;
  carbo_pick_request request;
  if (!succeeded(carbo_pick_request_init(&request, sizeof request))) return 0;
  while (search->spent < share) {
    const carbo_index_room room = carbo_index_room_of(search->rows, CARBO_HOST, design_batch);
    int64_t picked = 0;
    if (!available(search, design_batch, &request.count)) return 0;
    if (request.count == 0) return 1;
    if (!succeeded(carbo_selector_design(search->selector, &request, &room, &picked))) return 0;
    if (!simulate(search, picked, share, 1)) return 0;
  }
  return 1;
}

/* Batches until the budget is spent. Hyperparameters are fitted when there is half as much again to learn from. */
static int improve(struct search* search) {
  const struct search_settings* const settings = search->settings;
  const double designed = search->spent;
  int64_t fitted = 0;
  carbo_pick_request request;
  if (!succeeded(carbo_pick_request_init(&request, sizeof request))) return 0;
  while (search->spent < settings->budget) {
    const carbo_index_room room = carbo_index_room_of(search->rows, CARBO_HOST, settings->batch);
    int64_t picked = 0;
    if (2 * search->trace->count >= 3 * fitted) {
      if (!succeeded(carbo_selector_fit(search->selector, NULL))) return 0;
      fitted = search->trace->count;
    }
    if (!available(search, settings->batch, &request.count)) return 0;
    if (request.count == 0) return 1;
    request.alpha = 0;
    if (settings->cost_aware &&
        !succeeded(carbo_cooling_exponent(settings->budget, search->spent, designed, &request.alpha)))
      return 0;
    if (!succeeded(carbo_selector_suggest(search->selector, &request, &room, NULL, &picked))) return 0;
    if (!simulate(search, picked, settings->budget, 1)) return 0;
    printf("  %-7s %5" PRId64 " simulations, %8.0f steps: %.3f dB\n", method(search), search->trace->count,
           search->spent, -search->best);
  }
  return 1;
}

static int open_selector(struct search* search) {
  const struct harvester_library* const library = search->library;
  carbo_selector_options options;
  carbo_matrix rows;
  char reason[1024] = "";
  if (!succeeded(carbo_selector_options_init(&options, sizeof options))) return 0;
  options.columns = oscillator_parameters;
  options.seed = search->settings->seed;
  if (!succeeded(carbo_selector_create(&options, &search->selector))) return 0;
  if (!succeeded(carbo_selector_backend_reason(search->selector, reason, sizeof reason, NULL))) return 0;
  printf("%s by %s\n", method(search), reason);
  rows = carbo_matrix_of(library->designs, CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, library->count,
                         oscillator_parameters);
  return succeeded(carbo_selector_set_pool(search->selector, &rows, NULL));
}

static double* numbers(int64_t count) { return malloc(sizeof(double) * (size_t)count); }

int search(const struct harvester_library* library, const struct search_settings* settings,
           struct search_trace* trace) {
  const int64_t room = settings->batch > design_batch ? settings->batch : design_batch;
  struct search all = {library, settings, trace, NULL, NULL, NULL, NULL, 0, INFINITY};
  int done;
  trace->count = 0;
  trace->spent = numbers(library->count);
  trace->best = numbers(library->count);
  all.rows = malloc(sizeof(int64_t) * (size_t)room);
  all.objectives = numbers(room);
  all.costs = numbers(room);
  done = trace->spent != NULL && trace->best != NULL && all.rows != NULL && all.objectives != NULL &&
         all.costs != NULL && open_selector(&all) && start(&all) && (!settings->cost_aware || initial_design(&all)) &&
         improve(&all);
  if (all.selector != NULL) done = succeeded(carbo_selector_destroy(all.selector)) && done;
  free(all.rows);
  free(all.objectives);
  free(all.costs);
  return done;
}

void search_trace_free(struct search_trace* trace) {
  free(trace->spent);
  free(trace->best);
}
