/* A program in C outside the tree, which has nothing of what libcarbo is made of. */

#include <stdio.h>

#include <carbo/carbo.h>

enum { rows = 50 };

static int failed(carbo_status status) {
  char message[500] = "";
  if (status == CARBO_OK) return 0;
  carbo_message(message, sizeof message, NULL);
  fprintf(stderr, "%s: %s\n", carbo_status_name(status), message);
  return 1;
}

int main(void) {
  double pool[rows], objectives[rows];
  int64_t observed[3] = {0, 20, 49}, picked = -1, written = 0, i;
  const carbo_matrix matrix = carbo_matrix_of(pool, CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, rows, 1);
  const carbo_indices which = carbo_indices_of(observed, CARBO_HOST, 3);
  const carbo_vector values = carbo_vector_of(objectives, CARBO_FLOAT64, CARBO_HOST, 3);
  const carbo_index_room room = carbo_index_room_of(&picked, CARBO_HOST, 1);
  carbo_selector_options options;
  carbo_pick_request request;
  carbo_selector* selector = NULL;
  for (i = 0; i < rows; ++i) pool[i] = (double)i / rows;
  for (i = 0; i < 3; ++i) objectives[i] = 1 + pool[observed[i]];
  if (failed(carbo_selector_options_init(&options, sizeof options))) return 1;
  if (failed(carbo_pick_request_init(&request, sizeof request))) return 1;
  options.columns = 1;
  if (failed(carbo_selector_create(&options, &selector))) return 1;
  if (failed(carbo_selector_set_pool(selector, &matrix, NULL))) return 1;
  if (failed(carbo_selector_append_rows(selector, &which, &values, &values))) return 1;
  if (failed(carbo_selector_suggest(selector, &request, &room, NULL, &written))) return 1;
  if (failed(carbo_selector_destroy(selector))) return 1;
  if (carbo_version() / 1000 != CARBO_VERSION_MAJOR * 1000 + CARBO_VERSION_MINOR) return 1;
  if (written != 1 || picked < 1 || picked == 20 || picked > 48) return 1;
  printf("consumer: row %d\n", (int)picked);
  return 0;
}
