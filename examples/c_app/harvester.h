/* The job of this example: of a library of energy harvesters find the one that yields the most power, when a
   simulation of each costs time steps and steps are limited. */
#ifndef HARVESTER_H
#define HARVESTER_H

#include <stdint.h>

#include "../cuda_app/savings.h"

struct harvester_library {
  double* designs; /* count x 5, row-major, every value in [0, 1] */
  int64_t count;
};

/* Designs spread evenly over the cube, others for each seed. Zero, after a message, where there is no memory. */
int harvester_library_make(struct harvester_library* library, int64_t count, uint64_t seed);
void harvester_library_free(struct harvester_library* library);

struct search_trace {
  struct search_point* points; /* after each simulation */
  int64_t count;
};

struct search_settings {
  int64_t batch;
  double budget; /* steps */
  uint64_t seed;
  int cost_aware; /* 1: EI-cool with the cost-effective design; 0: EI */
};

/* Zero, after a message, where a call failed. The trace is freed by search_trace_free in either case. */
int search(const struct harvester_library* library, const struct search_settings* settings,
           struct search_trace* trace);
void search_trace_free(struct search_trace* trace);

#endif
