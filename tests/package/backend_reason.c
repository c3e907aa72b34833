/* Prints which backend libcarbo_c runs, and why. */

#include <stdio.h>

#include <carbo/carbo.h>

int main(void) {
  char reason[4096] = "";
  carbo_selector_options options;
  carbo_selector* selector = NULL;
  if (carbo_selector_options_init(&options, sizeof options) != CARBO_OK) return 1;
  options.columns = 1;
  if (carbo_selector_create(&options, &selector) != CARBO_OK) return 1;
  if (carbo_selector_backend_reason(selector, reason, sizeof reason, NULL) != CARBO_OK) return 1;
  puts(reason);
  return carbo_selector_destroy(selector) == CARBO_OK ? 0 : 1;
}
