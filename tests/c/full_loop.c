/* A program in C that uses all of carbo.h in host memory, as a user would: exits with 0 where everything was right.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <carbo/carbo.h>

enum { pool_rows = 300, columns = 2, batch = 6, batches = 8 };

static void check(int right, const char* what) {
  char message[500];
  if (right) return;
  carbo_message(message, sizeof message, NULL);
  fprintf(stderr, "wrong: %s (last message: %s)\n", what, message);
  exit(1);
}

static float pool[columns][pool_rows]; /* column-major */

static double objective_of(int64_t row) {
  const double x = pool[0][row], y = pool[1][row];
  return (x - 0.7) * (x - 0.7) + (y - 0.2) * (y - 0.2);
}
/* Not fmin: GCC 12.2 for arm64 breaks off at -O3 in a loop that reduces with it. */
static double lower_of(double a, double b) { return a < b ? a : b; }
static double cost_of(int64_t row) { return 1 + 9 * (double)pool[1][row]; }

static void make_pool(void) {
  int64_t row;
  for (row = 0; row < pool_rows; ++row) {
    const double a = (double)(row + 1) * 0.7548776662466927, b = (double)(row + 1) * 0.5698402909980532;
    pool[0][row] = (float)(a - floor(a));
    pool[1][row] = (float)(b - floor(b));
  }
}

static double append(carbo_selector* selector, const int64_t* rows, int64_t count, double* best) {
  double objectives[pool_rows], costs[pool_rows], spent = 0;
  carbo_indices which = carbo_indices_of(rows, CARBO_HOST, count);
  carbo_vector values = carbo_vector_of(objectives, CARBO_FLOAT64, CARBO_HOST, count);
  carbo_vector prices = carbo_vector_of(costs, CARBO_FLOAT64, CARBO_HOST, count);
  int64_t i;
  for (i = 0; i < count; ++i) {
    check(rows[i] >= 0 && rows[i] < pool_rows, "a row of the pool");
    objectives[i] = objective_of(rows[i]);
    costs[i] = cost_of(rows[i]);
    spent += costs[i];
    *best = lower_of(*best, objectives[i]);
  }
  check(carbo_selector_append_rows(selector, &which, &values, &prices) == CARBO_OK, "append");
  return spent;
}

static void check_scores(carbo_selector* selector, const int64_t* observed, int64_t count) {
  static float scores[pool_rows];
  const carbo_vector_room room = carbo_vector_room_of(scores, CARBO_FLOAT32, CARBO_HOST, pool_rows);
  carbo_pick_request request;
  int64_t i, finite = 0;
  check(carbo_pick_request_init(&request, sizeof request) == CARBO_OK, "request");
  check(carbo_selector_scores(selector, &request, &room) == CARBO_OK, "scores");
  for (i = 0; i < pool_rows; ++i) {
    check(!isnan(scores[i]), "scores without NaN");
    if (isfinite(scores[i])) ++finite;
  }
  for (i = 0; i < count; ++i) check(isinf(scores[observed[i]]) && scores[observed[i]] < 0, "an observed row's score");
  check(finite > pool_rows / 2, "most scores finite");
}

static carbo_selector* make_selector(void) {
  carbo_selector_options options;
  carbo_selector* selector = NULL;
  const carbo_matrix rows = carbo_matrix_of(pool, CARBO_FLOAT32, CARBO_HOST, CARBO_COLUMN_MAJOR, pool_rows, columns);
  check(carbo_selector_options_init(&options, sizeof options) == CARBO_OK, "options");
  options.columns = columns;
  options.backend = CARBO_BACKEND_CPU;
  check(carbo_selector_create(&options, &selector) == CARBO_OK && selector != NULL, "create");
  check(carbo_selector_set_pool(selector, &rows, NULL) == CARBO_OK, "set_pool");
  return selector;
}

static void check_fit(carbo_selector* selector, int64_t observations) {
  double lengthscales[columns];
  carbo_fit_report report;
  report.struct_size = sizeof report;
  report.lengthscales = lengthscales;
  report.lengthscale_room = columns;
  check(carbo_selector_fit(selector, &report) == CARBO_OK, "fit");
  check(report.observations == observations, "observations of the fit");
  check(report.signal_variance > 0 && report.noise_variance > 0, "variances of the fit");
  check(lengthscales[0] > 0 && lengthscales[1] > 0, "lengthscales of the fit");
  check(report.cost_model == CARBO_COST_LOG_GP, "cost model of the fit");
}

static void check_end(carbo_selector* selector) {
  carbo_selector_info info;
  char reason[200];
  int64_t length = 0;
  info.struct_size = sizeof info;
  check(carbo_selector_get_info(selector, &info) == CARBO_OK, "info");
  check(info.pool_size == pool_rows && info.running == 0 && info.on_device == 0, "what the info says");
  check(info.available == pool_rows - info.observations, "available rows");
  check(carbo_selector_backend_reason(selector, reason, sizeof reason, &length) == CARBO_OK && length > 0, "reason");
  check(carbo_selector_destroy(selector) == CARBO_OK, "destroy");
  check(carbo_selector_destroy(selector) == CARBO_INVALID_HANDLE, "a handle that was destroyed");
}

int main(void) {
  const double budget = 250;
  const int64_t first[3] = {0, 1, 2};
  int64_t rows[batch], written = 0, i;
  const carbo_index_room room = carbo_index_room_of(rows, CARBO_HOST, batch);
  double best = INFINITY, lowest = INFINITY, spent, designed;
  carbo_pick_request request;
  carbo_selector* selector;
  make_pool();
  for (i = 0; i < pool_rows; ++i) lowest = lower_of(lowest, objective_of(i));
  selector = make_selector();
  check(carbo_pick_request_init(&request, sizeof request) == CARBO_OK, "request");
  spent = append(selector, first, 3, &best);
  request.count = batch;
  check(carbo_selector_design(selector, &request, &room, &written) == CARBO_OK && written == batch, "design");
  spent += append(selector, rows, written, &best);
  check_fit(selector, 3 + batch);
  check_scores(selector, first, 3);
  designed = spent;
  for (i = 0; i < batches; ++i) {
    carbo_indices last;
    check(carbo_cooling_exponent(budget, spent, designed, &request.alpha) == CARBO_OK, "cooling");
    check(carbo_selector_suggest(selector, &request, &room, NULL, &written) == CARBO_OK && written == batch,
          "suggest");
    last = carbo_indices_of(rows + batch - 1, CARBO_HOST, 1);
    check(carbo_selector_withdraw(selector, &last) == CARBO_OK, "withdraw");
    spent += append(selector, rows, batch - 1, &best);
  }
  check(best == lowest, "the best row of the pool was found");
  check_end(selector);
  printf("full loop: %g after a cost of %g, library %d\n", best, spent, (int)carbo_version());
  return 0;
}
