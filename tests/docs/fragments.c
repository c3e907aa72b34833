/* The fragments of C. */
#include <math.h>
#include <stdio.h>

#include <carbo/carbo.h>

int documented_selector_in_c(void);
int documented_optimizer_in_c(void);

#include "c_1.inc"

int documented_optimizer_in_c(void) { return minimize_error(); }

int documented_selector_in_c(void) {
#include "selector_3.inc"
  return selector != NULL && carbo_selector_destroy(selector) == CARBO_OK;
}
