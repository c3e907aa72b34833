#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../cuda_app/oscillator.h"
#include "harvester.h"

/* Point i of the additive sequence whose steps are powers of the root of r^6 = r + 1, of which every stretch is
   spread evenly; each seed has a stretch of its own. */
int harvester_library_make(struct harvester_library* library, int64_t count, uint64_t seed) {
  const double root = 1.1347241384015194;
  const double first = (double)seed * (double)count;
  int64_t i;
  int p;
  library->count = count;
  library->designs = malloc(sizeof(double) * oscillator_parameters * (size_t)count);
  if (library->designs == NULL) {
    fprintf(stderr, "there is no memory for %" PRId64 " designs\n", count);
    return 0;
  }
  for (p = 0; p < oscillator_parameters; ++p) {
    const double step = pow(root, -(p + 1));
    for (i = 0; i < count; ++i) {
      const double position = (first + (double)i) * step;
      library->designs[i * oscillator_parameters + p] = position - floor(position);
    }
  }
  return 1;
}

void harvester_library_free(struct harvester_library* library) {
  free(library->designs);
  library->designs = NULL;
  library->count = 0;
}
