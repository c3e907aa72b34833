/* The fragment of C. */
#include <stdio.h>

#include <carbo/carbo.h>

int documented_selector_in_c(void);

int documented_selector_in_c(void) {
#include "selector_3.inc"
  return selector != NULL && carbo_selector_destroy(selector) == CARBO_OK;
}
