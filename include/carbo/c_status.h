/* What every function of the C interface returns, and the enumerations that several structs share. */
#ifndef CARBO_C_STATUS_H
#define CARBO_C_STATUS_H

#include <stdint.h>

#include <carbo/acquisition_table.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t carbo_status;
enum {
  CARBO_OK = 0,
  CARBO_NULL_POINTER = 1,      /* a null argument, or an array without data */
  CARBO_NOT_DEVICE_MEMORY = 2, /* host memory that was called device memory */
  CARBO_NOT_HOST_MEMORY = 3,   /* device memory that was called host memory */
  CARBO_OTHER_DEVICE = 4,      /* memory of another device than the selector's */
  CARBO_MISALIGNED = 5,        /* not aligned to its scalar */
  CARBO_OVERLAPPING = 6,       /* with itself, or with another array of the call or the pool */
  CARBO_LEADING_DIMENSION = 7, /* too small */
  CARBO_SHAPE = 8,             /* no rows, sizes below 0 or that do not fit, too little room */
  CARBO_NOT_FINITE = 9,        /* NaN or infinity in a pool or in points */
  CARBO_OUT_OF_RANGE =
      10, /* a coordinate outside [0, 1], a pool's cost that is not above 0, an unknown row or place */
  CARBO_INVALID_OPTIONS = 11,     /* a setting outside its range; more rows asked for than may be suggested */
  CARBO_INVALID_OBSERVATION = 12, /* a result that cannot be learned from, or none at all */
  CARBO_UNKNOWN_SUGGESTION = 13,  /* a row or a suggestion that is not running */
  CARBO_NUMERICAL_ERROR = 14,     /* a matrix that stayed indefinite */
  CARBO_UNAVAILABLE = 15,         /* no CUDA device can be used; the message has the reason */
  CARBO_OUT_OF_MEMORY = 16,       /* on the device, or within memory_bytes */
  CARBO_OUT_OF_HOST_MEMORY = 17,
  CARBO_DEVICE_ERROR = 18,          /* a call to the device or its libraries failed */
  CARBO_CONCURRENT_CALL = 19,       /* another call on this handle has not returned; it is not disturbed */
  CARBO_INVALID_HANDLE = 20,        /* null, destroyed, or not one of this library's */
  CARBO_STRUCT_VERSION = 21,        /* struct_size is that of no version which this library knows */
  CARBO_INTERNAL_ERROR = 22,        /* anything else */
  CARBO_INVALID_SPACE = 23,         /* parameters or constraints that cannot be searched */
  CARBO_INVALID_POOL = 24,          /* an optimizer's pool that does not fit its parameters */
  CARBO_INVALID_CONFIGURATION = 25, /* numbers that are no configuration, or none that may be used here */
  CARBO_INVALID_STATE = 26          /* a text that is no state, or needs what was not given again */
};

typedef int32_t carbo_goal;
enum { CARBO_MINIMIZE = 0, CARBO_MAXIMIZE = 1 };
typedef int32_t carbo_transform; /* of the objective, before it is standardised */
enum {
  CARBO_TRANSFORM_NONE = 0,
  CARBO_TRANSFORM_LOG = 1,
  CARBO_TRANSFORM_RANK = 2,
  CARBO_TRANSFORM_SHIFTED_LOG = 3, /* of the distance from a floor: 0, or a little beyond the best value */
  CARBO_TRANSFORM_POWER = 4,       /* Yeo and Johnson's, its power by penalised likelihood */
  CARBO_TRANSFORM_HALF_RANK = 5,   /* the better half as it is, ranks for the others */
  CARBO_TRANSFORM_AUTOMATIC = 6    /* none, shifted log, power or half rank: chosen at every fit by evidence */
};
typedef int32_t carbo_incumbent; /* which improvement is measured from */
enum { CARBO_LOWEST_OBSERVED = 0, CARBO_POSTERIOR_MEAN = 1 };
typedef int32_t carbo_cost_model; /* what predicts costs */
enum {
  CARBO_COST_AUTOMATIC = 0,
  CARBO_COST_LOG_GP = 1,
  CARBO_COST_LINEAR = 2,
  CARBO_COST_LINEAR_MEAN_GP = 3,
  CARBO_COST_KNOWN = 4
};
typedef int32_t carbo_cost_weight; /* how a predicted cost with spread enters the score */
enum { CARBO_COST_MEDIAN = 0, CARBO_COST_MEAN = 1, CARBO_COST_MOMENT = 2 };
typedef int32_t carbo_acquisition; /* see acquisition_table.h */
enum {
#define CARBO_CONSTANT(name, constant, type) constant,
  CARBO_ACQUISITIONS(CARBO_CONSTANT)
#undef CARBO_CONSTANT
      CARBO_ACQUISITION_COUNT
};
typedef int32_t carbo_fantasy_mode;
enum { CARBO_FANTASIES_SHARED = 0, CARBO_FANTASIES_BATCHED = 1 };
typedef int32_t carbo_backend;
enum { CARBO_BACKEND_AUTOMATIC = 0, CARBO_BACKEND_CPU = 1, CARBO_BACKEND_CUDA = 2 };

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
