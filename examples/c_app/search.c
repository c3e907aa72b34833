#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <carbo/carbo.h>

#include "../cuda_app/oscillator.h"
#include "harvester.h"

enum { warm_start = 5 };

struct search {
  const struct harvester_library* library;
  const struct search_settings* settings;
  struct search_trace* trace;
  carbo_selector* selector;
  int64_t* rows; /* of one batch, as the next two */
  double* objectives;
  double* costs;
  int64_t fitted; /* simulations that the models were fitted to */
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

static double spent(const struct search* search) {
  return search->trace->count > 0 ? search->trace->points[search->trace->count - 1].spent : 0;
}

static double best(const struct search* search) {
  return search->trace->count > 0 ? search->trace->points[search->trace->count - 1].best : INFINITY;
}

/* No row is simulated twice, so the trace has room for all. */
static void record(struct search* search, double objective, double cost) {
  struct search_point* const next = search->trace->points + search->trace->count;
  next->spent = spent(search) + cost;
  next->best = fmin(best(search), objective);
  ++search->trace->count;
}

/* Simulates the first `count` rows in their order until the budget is spent, and appends what was simulated. */
static int simulate(struct search* search, int64_t count) {
  int64_t done = 0;
  carbo_indices rows;
  carbo_vector objectives, costs;
  while (done < count && spent(search) < search->settings->budget) {
    const double* const design = search->library->designs + search->rows[done] * oscillator_parameters;
    const struct oscillator_result result = oscillator_run(design);
    search->objectives[done] = result.objective;
    search->costs[done] = (double)result.steps;
    record(search, result.objective, (double)result.steps);
    ++done;
  }
  rows = carbo_indices_of(search->rows, CARBO_HOST, done);
  objectives = carbo_vector_of(search->objectives, CARBO_FLOAT64, CARBO_HOST, done);
  costs = carbo_vector_of(search->costs, CARBO_FLOAT64, CARBO_HOST, done);
  return succeeded(carbo_selector_append_rows(search->selector, &rows, &objectives, &costs));
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* A few rows from all over the library teach both models what objectives and costs look like. */
static int start(struct search* search) {
  const int64_t count = smaller(search->settings->batch, warm_start);
  int64_t i;
  for (i = 0; i < count; ++i) search->rows[i] = search->library->count * (2 * i + 1) / (2 * count);
  return simulate(search, count);
}

/* Hyperparameters change little: fitted whenever the data have grown by a third, kept in between. */
static int fit_where_data_grew(struct search* search) {
  if (3 * search->trace->count < 4 * search->fitted) return 1;
  search->fitted = search->trace->count;
  return succeeded(carbo_selector_fit(search->selector, NULL));
}

/* A batch, or what is left of the library. */
static int next_batch(struct search* search, int64_t* count) {
  carbo_selector_info info;
  info.struct_size = (uint32_t)sizeof info;
  if (!succeeded(carbo_selector_get_info(search->selector, &info))) return 0;
  *count = smaller(info.available, search->settings->batch);
  return 1;
}

/* Cheap designs far from each other, for an eighth of the budget. */
static int initial_design(struct search* search) {
  const carbo_index_room room = carbo_index_room_of(search->rows, CARBO_HOST, search->settings->batch);
  carbo_pick_request request;
  int64_t picked = 0;
  if (!succeeded(carbo_pick_request_init(&request, sizeof request))) return 0;
  while (spent(search) < search->settings->budget / 8) {
    if (!next_batch(search, &request.count)) return 0;
    if (request.count == 0) return 1;
    if (!fit_where_data_grew(search)) return 0;
    if (!succeeded(carbo_selector_design(search->selector, &request, &room, &picked))) return 0;
    if (!simulate(search, picked)) return 0;
  }
  return 1;
}

/* The designs that promise most, for what they cost or whatever they cost, to the end of the budget. */
static int improve(struct search* search) {
  const struct search_settings* const settings = search->settings;
  const carbo_index_room room = carbo_index_room_of(search->rows, CARBO_HOST, settings->batch);
  const double designed = spent(search);
  carbo_pick_request request;
  int64_t picked = 0;
  if (!succeeded(carbo_pick_request_init(&request, sizeof request))) return 0;
  while (spent(search) < settings->budget) {
    if (!next_batch(search, &request.count)) return 0;
    if (request.count == 0) return 1;
    if (!fit_where_data_grew(search)) return 0;
    request.alpha = 0;
    if (settings->cost_aware &&
        !succeeded(carbo_cooling_exponent(settings->budget, spent(search), designed, &request.alpha)))
      return 0;
    if (!succeeded(carbo_selector_suggest(search->selector, &request, &room, NULL, &picked))) return 0;
    if (!simulate(search, picked)) return 0;
    printf("  %-7s %5" PRId64 " simulations, %8.0f steps: %.3f dB\n", method(search), search->trace->count,
           spent(search), -best(search));
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

static int reserve(struct search* search) {
  const size_t batch = (size_t)search->settings->batch;
  search->trace->count = 0;
  search->trace->points = malloc(sizeof(struct search_point) * (size_t)search->library->count);
  search->rows = malloc(sizeof(int64_t) * batch);
  search->objectives = malloc(sizeof(double) * batch);
  search->costs = malloc(sizeof(double) * batch);
  if (search->trace->points != NULL && search->rows != NULL && search->objectives != NULL && search->costs != NULL)
    return 1;
  fprintf(stderr, "there is no memory for the trace of a search\n");
  return 0;
}

int search(const struct harvester_library* library, const struct search_settings* settings,
           struct search_trace* trace) {
  struct search all = {library, settings, trace, NULL, NULL, NULL, NULL, 0};
  int done = reserve(&all) && open_selector(&all) && start(&all) && (!settings->cost_aware || initial_design(&all)) &&
             improve(&all);
  if (all.selector != NULL) done = succeeded(carbo_selector_destroy(all.selector)) && done;
  free(all.rows);
  free(all.objectives);
  free(all.costs);
  return done;
}

void search_trace_free(struct search_trace* trace) { free(trace->points); }
