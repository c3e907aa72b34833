/* A program in C that uses all of c_optimizer.h, as a user would: exits with 0 where everything was right. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carbo/carbo.h>

enum { parameters = 5, batch = 3, most = 200 };
enum { rate, layers, activation, effort, width };

static void check(int right, const char* what) {
  char message[500];
  if (right) return;
  carbo_message(message, sizeof message, NULL);
  fprintf(stderr, "wrong: %s (last message: %s)\n", what, message);
  exit(1);
}

static double objective_of(const double* x) {
  const double decade = log10(x[rate]) + 3;
  return decade * decade + 0.1 * fabs(x[layers] - 4) + (x[activation] == 1 ? 0 : 0.5) + 0.05 * x[effort] +
         0.001 * fabs(x[width] - 64);
}
static double cost_of(const double* x) { return 0.5 + 0.2 * x[layers] * x[width] / 64; }

static int32_t few_layers_or_narrow(void* state, const double* x) {
  ++*(int64_t*)state;
  return x[layers] < 7 || x[width] < 128;
}

static carbo_optimizer* make_optimizer(int64_t* calls) {
  static const char* const activations[] = {"relu", "tanh", "gelu"};
  static const char* const efforts[] = {"low", "high"};
  static const double widths[] = {16, 32, 64, 128};
  carbo_parameter space[parameters];
  carbo_constraint constraint;
  carbo_optimizer_options options;
  carbo_optimizer* optimizer = NULL;
  space[rate] = carbo_log_scaled(carbo_real("rate", 1e-5, 1e-1));
  space[layers] = carbo_integer("layers", 1, 8);
  space[activation] = carbo_categorical("activation", activations, 3);
  space[effort] = carbo_ordinal("effort", efforts, 2);
  space[width] = carbo_discrete("width", widths, 4);
  constraint.struct_size = sizeof constraint;
  constraint.allowed = few_layers_or_narrow;
  constraint.state = calls;
  constraint.description = "few layers or narrow ones";
  check(carbo_optimizer_options_init(&options, sizeof options) == CARBO_OK, "options");
  options.parameters = space;
  options.parameter_count = parameters;
  options.constraints = &constraint;
  options.constraint_count = 1;
  options.budget = 60;
  options.batch_size = batch;
  options.seed = 5;
  options.accounting = CARBO_ACCOUNTING_SUM;
  options.candidates.count = 512;
  options.backend.kind = CARBO_BACKEND_CPU;
  options.backend.threads = 1;
  check(carbo_optimizer_create(&options, &optimizer) == CARBO_OK && optimizer != NULL, "create");
  return optimizer;
}

static carbo_optimizer_info info_of(carbo_optimizer* optimizer) {
  carbo_optimizer_info info;
  info.struct_size = sizeof info;
  check(carbo_optimizer_get_info(optimizer, &info) == CARBO_OK, "info");
  return info;
}

/* Prior data, a point that others run, and one that is to come next. */
static void decide(carbo_optimizer* optimizer) {
  const double prior[parameters] = {1e-2, 2, 0, 1, 32}, adopted[parameters] = {1e-4, 5, 2, 0, 64};
  const double wanted[parameters] = {2e-3, 4, 1, 0, 64};
  double waiting[parameters];
  carbo_observation told;
  int64_t id = -1, count = -1;
  int32_t found = -1;
  told.struct_size = sizeof told;
  told.status = CARBO_SUCCEEDED;
  told.origin = CARBO_PRIOR;
  told.id = told.batch = told.slot = -1;
  told.objective = objective_of(prior);
  told.cost = NAN;
  check(carbo_optimizer_tell_observation(optimizer, &told, prior, NULL) == CARBO_OK, "prior data");
  check(carbo_optimizer_adopt(optimizer, adopted, &id) == CARBO_OK && id == 0, "adopt");
  check(carbo_optimizer_enqueue(optimizer, wanted) == CARBO_OK, "enqueue");
  check(carbo_optimizer_enqueue(optimizer, prior) == CARBO_OK, "enqueue again");
  check(carbo_optimizer_dequeue(optimizer, prior, &found) == CARBO_OK && found == 1, "dequeue");
  check(carbo_optimizer_dequeue(optimizer, prior, &found) == CARBO_OK && found == 0, "nothing to dequeue");
  check(carbo_optimizer_enqueued(optimizer, waiting, 1, &count) == CARBO_OK && count == 1, "enqueued");
  check(memcmp(waiting, wanted, sizeof waiting) == 0, "what waits");
  check(carbo_optimizer_pending(optimizer, &id, 1, &count) == CARBO_OK && count == 1 && id == 0, "pending");
  check(info_of(optimizer).spent == 0, "nothing is spent yet");
  check(carbo_optimizer_tell(optimizer, 0, objective_of(adopted), cost_of(adopted)) == CARBO_OK, "an adopted point");
  check(info_of(optimizer).spent == cost_of(adopted), "it is charged when it is told");
}

/* The same study from its state, with a point that others run. */
static carbo_optimizer* restored(carbo_optimizer* optimizer, int64_t* calls) {
  const double adopted[parameters] = {1e-3, 3, 0, 1, 32};
  const carbo_optimizer_info before = info_of(optimizer);
  carbo_optimizer_info after;
  carbo_restore_options given;
  carbo_constraint constraint;
  carbo_suggestion left;
  carbo_optimizer* other = NULL;
  const char* state = NULL;
  double numbers[parameters];
  int64_t length = 0, id = -1, count = -1;
  check(carbo_optimizer_adopt(optimizer, adopted, &id) == CARBO_OK, "adopt before a save");
  check(carbo_optimizer_save(optimizer, &state, &length) == CARBO_OK && strlen(state) == (size_t)length, "save");
  check(carbo_restore_options_init(&given, sizeof given) == CARBO_OK, "restore options");
  check(carbo_optimizer_restore(state, length, &given, &other) == CARBO_INVALID_STATE && other == NULL,
        "a restore without the constraint");
  constraint.struct_size = sizeof constraint;
  constraint.allowed = few_layers_or_narrow;
  constraint.state = calls;
  constraint.description = "few layers or narrow ones";
  given.constraints = &constraint;
  given.constraint_count = 1;
  check(carbo_optimizer_restore(state, length, &given, &other) == CARBO_OK && other != NULL, "restore");
  check(carbo_optimizer_release_state(optimizer) == CARBO_OK, "release");
  check(carbo_optimizer_destroy(optimizer) == CARBO_OK, "destroy what was saved");
  after = info_of(other);
  check(after.spent == before.spent && after.enqueued == 1 && after.pending == 1, "what was restored");
  left.struct_size = sizeof left;
  check(carbo_optimizer_pending_suggestions(other, &left, numbers, 1, &count) == CARBO_OK && count == 1, "what runs");
  check(left.id == id && memcmp(numbers, adopted, sizeof numbers) == 0, "the adopted point");
  check(carbo_optimizer_withdraw(other, id) == CARBO_OK, "withdraw it");
  return other;
}

static double run(carbo_optimizer* optimizer) {
  carbo_suggestion suggestions[batch];
  double numbers[batch * parameters], spent = info_of(optimizer).spent, ranked[parameters], score = NAN;
  int64_t written = 0, i, number = 0, scored = 0;
  suggestions[0].struct_size = sizeof suggestions[0];
  for (;;) {
    if (info_of(optimizer).phase == CARBO_SEARCH) {
      check(carbo_optimizer_rank(optimizer, 1, ranked, &score, NULL, &written) == CARBO_OK && written == 1, "rank");
      check(isfinite(score), "a score");
    }
    check(carbo_optimizer_ask(optimizer, batch, suggestions, numbers, &written) == CARBO_OK, "ask");
    if (written == 0) return spent;
    for (i = 0; i < written; ++i, ++number) {
      const double* const x = numbers + i * parameters;
      check(x[layers] < 7 || x[width] < 128, "the constraint");
      check(suggestions[i].enqueued == (number == 0), "what was enqueued comes first");
      check(suggestions[i].spent <= 60 && suggestions[i].pool_index == -1, "a receipt");
      if (suggestions[i].phase == CARBO_SEARCH && !suggestions[i].enqueued) {
        check(suggestions[i].alpha >= 0 && suggestions[i].alpha <= 1 && isfinite(suggestions[i].log_score), "scores");
        check(suggestions[i].predicted_cost > 0 && isfinite(suggestions[i].predicted_objective), "predictions");
        ++scored;
      }
      if (number % 7 == 3) {
        check(carbo_optimizer_fail(optimizer, suggestions[i].id, 0.25, "lost", 0) == CARBO_OK, "fail");
        spent += 0.25;
      } else if (number % 7 == 5) {
        check(carbo_optimizer_withdraw(optimizer, suggestions[i].id) == CARBO_OK, "withdraw");
      } else {
        check(carbo_optimizer_tell(optimizer, suggestions[i].id, objective_of(x), cost_of(x)) == CARBO_OK, "tell");
        spent += cost_of(x);
      }
    }
    check(number < most && (number < 20 || scored > 0), "a run that ends");
  }
}

static void check_knowledge(carbo_optimizer* optimizer, const double* best) {
  carbo_prediction predictions[2];
  carbo_importance shares[parameters];
  carbo_fitted_model model;
  double numbers[2 * parameters], recommended[parameters], lengthscales[parameters], deviation = NAN;
  int64_t successes = 0;
  carbo_cost_model cost_model = -1;
  memcpy(numbers, best, parameters * sizeof *best);
  memcpy(numbers + parameters, best, parameters * sizeof *best);
  numbers[parameters + rate] = 1e-5;
  predictions[0].struct_size = sizeof predictions[0];
  shares[0].struct_size = sizeof shares[0];
  check(carbo_optimizer_predict(optimizer, numbers, 2, 0.9, predictions) == CARBO_OK, "predict");
  check(predictions[0].median < predictions[1].median && predictions[0].cost > 0, "what is predicted");
  check(predictions[0].lower < predictions[0].median && predictions[0].median < predictions[0].upper, "an interval");
  check(carbo_optimizer_recommend(optimizer, recommended, &successes, predictions) == CARBO_OK, "recommend");
  check(successes == 1 && fabs(objective_of(recommended) - objective_of(best)) < 0.3, "what is recommended");
  check(carbo_optimizer_importance(optimizer, CARBO_MODEL_OF_OBJECTIVE, 64, 2, shares, &deviation) == CARBO_OK,
        "importance");
  check(deviation > 0 && shares[rate].total > shares[effort].total, "the rate matters most");
  check(shares[width].struct_size == sizeof shares[0], "sizes of all");
  model.struct_size = sizeof model;
  model.lengthscales = lengthscales;
  model.lengthscale_room = parameters;
  check(carbo_optimizer_hyperparameters(optimizer, CARBO_MODEL_OF_OBJECTIVE, &model, &cost_model) == CARBO_OK &&
            model.found == 1,
        "hyperparameters");
  check(lengthscales[rate] > 0 && model.noise_variance > 0 && cost_model >= 0, "what they are");
}

static void check_texts(carbo_optimizer* optimizer, const double* best) {
  char words[500];
  int64_t length = 0;
  double number = -1;
  check(carbo_optimizer_describe(optimizer, best, words, sizeof words, &length) == CARBO_OK, "describe");
  check(strstr(words, "activation=tanh") != NULL && (size_t)length == strlen(words), "a configuration in words");
  check(carbo_optimizer_label(optimizer, activation, 2, words, sizeof words, NULL) == CARBO_OK, "label");
  check(strcmp(words, "gelu") == 0, "the label");
  check(carbo_optimizer_number(optimizer, activation, "gelu", &number) == CARBO_OK && number == 2, "number");
  check(carbo_optimizer_warnings(optimizer, words, sizeof words, &length) == CARBO_OK, "warnings");
  check(carbo_optimizer_memory_plan(optimizer, words, sizeof words, &length) == CARBO_OK && length > 0, "memory");
  check(carbo_optimizer_backend_reason(optimizer, words, sizeof words, &length) == CARBO_OK, "reason");
  check(strncmp(words, "cpu", 3) == 0, "which backend");
  check(strcmp(carbo_phase_name(CARBO_SEARCH), "search") == 0, "a phase's name");
  check(strcmp(carbo_stop_reason_name(CARBO_STOP_BUDGET), "budget spent") == 0, "a reason's name");
}

int main(void) {
  static carbo_observation observations[most];
  static double numbers[most * parameters];
  carbo_optimizer_info info;
  char reason[20];
  int64_t calls = 0, best = -1, place, i;
  double spent;
  carbo_optimizer* optimizer = make_optimizer(&calls);
  check(carbo_optimizer_best(optimizer, &best) == CARBO_OK && best == -1, "no best yet");
  decide(optimizer);
  optimizer = restored(optimizer, &calls);
  spent = run(optimizer);
  check(calls > 0, "the constraint was called");
  info = info_of(optimizer);
  check(info.stop_reason == CARBO_STOP_BUDGET && info.phase == CARBO_SEARCH && info.pending == 0, "how it ended");
  check(fabs(info.spent - spent) < 1e-9 && info.accounting == CARBO_ACCOUNTING_SUM, "what was spent");
  observations[0].struct_size = sizeof observations[0];
  check(carbo_optimizer_observations(optimizer, 0, info.observations, observations, numbers) == CARBO_OK, "all");
  check(carbo_optimizer_best(optimizer, &best) == CARBO_OK && best >= 0, "best");
  for (i = 0, place = -1; i < info.observations; ++i) {
    if (observations[i].status == CARBO_FAILED) place = i;
    if (observations[i].status != CARBO_SUCCEEDED) continue;
    check(observations[i].objective >= observations[best].objective, "none is better");
    check(observations[i].objective == objective_of(numbers + i * parameters), "objectives of their numbers");
  }
  check(observations[0].origin == CARBO_PRIOR && isnan(observations[0].cost) && observations[1].id == 0, "the first");
  check(place > 0 && carbo_optimizer_failure(optimizer, place, reason, sizeof reason, NULL) == CARBO_OK, "a failure");
  check(strcmp(reason, "lost") == 0, "its reason");
  check(observations[best].objective < 0.5, "something good was found");
  check_knowledge(optimizer, numbers + best * parameters);
  check_texts(optimizer, numbers + best * parameters);
  check(carbo_optimizer_destroy(optimizer) == CARBO_OK, "destroy");
  check(carbo_optimizer_destroy(optimizer) == CARBO_INVALID_HANDLE, "a handle that was destroyed");
  printf("optimizer loop: %g after a cost of %g\n", observations[best].objective, spent);
  return 0;
}
