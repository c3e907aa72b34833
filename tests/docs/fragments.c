/* The fragments of C. */
#include <math.h>
#include <stdio.h>

#include <carbo/carbo.h>

int documented_selector_in_c(void);
int documented_optimizer_in_c(void);
int documented_state_in_c(void);

#include "c_1.inc"
#include "c_2.inc"

int documented_optimizer_in_c(void) { return minimize_error(); }

/* Whether the restored study suggests what the other does. */
int documented_state_in_c(void) {
  const carbo_parameter parameters[] = {carbo_real("rate", 1e-5, 1e-1), carbo_integer("layers", 1, 8)};
  const carbo_constraint constraint = {sizeof constraint, fits, NULL, "fits"};
  carbo_optimizer_options options;
  carbo_optimizer *optimizer = NULL, *restored = NULL;
  carbo_suggestion next, again;
  double x[2], y[2];
  int64_t written = 0;
  int i, same = 0;
  carbo_optimizer_options_init(&options, sizeof options);
  options.parameters = parameters;
  options.parameter_count = 2;
  options.constraints = &constraint;
  options.constraint_count = 1;
  options.budget = 100;
  if (carbo_optimizer_create(&options, &optimizer) != CARBO_OK) return 0;
  next.struct_size = again.struct_size = sizeof next;
  for (i = 0; i < 5 && carbo_optimizer_ask(optimizer, 1, &next, x, &written) == CARBO_OK && written == 1; ++i)
    carbo_optimizer_tell(optimizer, next.id, x[0] * x[1], 1 + x[1]);
  restored = save_and_restore(optimizer);
  if (restored != NULL && carbo_optimizer_ask(optimizer, 1, &next, x, &written) == CARBO_OK && written == 1 &&
      carbo_optimizer_ask(restored, 1, &again, y, &written) == CARBO_OK && written == 1)
    same = i == 5 && next.id == again.id && x[0] == y[0] && x[1] == y[1] && x[1] <= 6;
  carbo_optimizer_destroy(optimizer);
  return same && carbo_optimizer_destroy(restored) == CARBO_OK;
}

int documented_selector_in_c(void) {
#include "selector_3.inc"
  return selector != NULL && carbo_selector_destroy(selector) == CARBO_OK;
}
