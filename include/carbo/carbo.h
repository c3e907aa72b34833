/* EI-cool over a pool of candidates, for C and for whatever can call C: carbo/selector.hpp without C++. Link
   carbo::c.

   Every function that can fail returns a carbo_status, and none lets an exception out. What went wrong is told in
   words by carbo_message (the calling thread's last failed call, of any function) and by carbo_selector_message (the
   handle's last failed call). A call that fails changes nothing, and writes nothing but what it says; a fit that
   fails may leave one of the two models with its new hyperparameters.

   Structs begin with their size: it tells the library which version of them the program was compiled with. A size
   that it does not know is CARBO_STRUCT_VERSION, never a guess. Use the functions that fill or make them.

     carbo_selector_options options;
     carbo_selector* selector = NULL;
     carbo_selector_options_init(&options, sizeof options);
     options.columns = 6;
     if (carbo_selector_create(&options, &selector) != CARBO_OK) ...

   Arrays lie in host memory or, where the selector runs on a CUDA device, in that device's memory. On a device all
   work is in the order of one stream, the application's where it gave one. These wait for it: destroy, set_pool,
   fit, suggest and design; append and withdraw where an array lies in device memory, append where rows were not
   suggested; scores where they go to host memory, while rows are running, where observations have to be taken up,
   with batched fantasies, with CARBO_POSTERIOR_MEAN, and with costs that a model or an expression evaluates on the
   host. create may wait for the device. A call that does not wait for the stream waits for what the calls before it
   sent to the device, where a mebibyte of that has not arrived. Arrays may change or go when a call returns, but for
   two: a pool in device memory stays as it is until the next one, and room in device memory is written to in the
   order of the stream, which has to pass before the room is freed. */
#ifndef CARBO_CARBO_H
#define CARBO_CARBO_H

#include <stdint.h>

#include <carbo/acquisition_table.h>
#include <carbo/c_array.h>
#include <carbo/version.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t carbo_status;
enum {
  CARBO_OK = 0,
  CARBO_NULL_POINTER = 1,         /* a null argument, or an array without data */
  CARBO_NOT_DEVICE_MEMORY = 2,    /* host memory that was called device memory */
  CARBO_NOT_HOST_MEMORY = 3,      /* device memory that was called host memory */
  CARBO_OTHER_DEVICE = 4,         /* memory of another device than the selector's */
  CARBO_MISALIGNED = 5,           /* not aligned to its scalar */
  CARBO_OVERLAPPING = 6,          /* with itself, or with another array of the call or the pool */
  CARBO_LEADING_DIMENSION = 7,    /* too small */
  CARBO_SHAPE = 8,                /* no rows, sizes below 0 or that do not fit, too little room */
  CARBO_NOT_FINITE = 9,           /* NaN or infinity in a pool or in points */
  CARBO_OUT_OF_RANGE = 10,        /* a coordinate outside [0, 1], a pool's cost that is not above 0, an unknown row */
  CARBO_INVALID_OPTIONS = 11,     /* a setting outside its range; more rows asked for than may be suggested */
  CARBO_INVALID_OBSERVATION = 12, /* a result that cannot be learned from, or none at all */
  CARBO_UNKNOWN_SUGGESTION = 13,  /* a row that is not running */
  CARBO_NUMERICAL_ERROR = 14,     /* a matrix that stayed indefinite */
  CARBO_UNAVAILABLE = 15,         /* no CUDA device can be used; the message has the reason */
  CARBO_OUT_OF_MEMORY = 16,       /* on the device, or within memory_bytes */
  CARBO_OUT_OF_HOST_MEMORY = 17,
  CARBO_DEVICE_ERROR = 18,    /* a call to the device or its libraries failed */
  CARBO_CONCURRENT_CALL = 19, /* another call on this handle has not returned; it is not disturbed */
  CARBO_INVALID_HANDLE = 20,  /* null, destroyed, or not one of this library's */
  CARBO_STRUCT_VERSION = 21,  /* struct_size is that of no version which this library knows */
  CARBO_INTERNAL_ERROR = 22,  /* anything else */
  CARBO_INVALID_STATE = 23    /* a text that is no state, or needs what was not given again */
};

typedef int32_t carbo_goal;
enum { CARBO_MINIMIZE = 0, CARBO_MAXIMIZE = 1 };
typedef int32_t carbo_transform; /* of the objective, before it is standardised */
enum { CARBO_TRANSFORM_NONE = 0, CARBO_TRANSFORM_LOG = 1, CARBO_TRANSFORM_RANK = 2 };
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

/* Device memory from the application. `stream`: a cudaStream_t, in whose order the memory is used. Allocated memory
   is aligned to 256 bytes; null where there is none left. */
typedef void* (*carbo_allocate)(void* state, uint64_t bytes, void* stream);
typedef void (*carbo_release)(void* state, void* memory, uint64_t bytes, void* stream);

/* Filled with defaults by carbo_selector_options_init; `columns` has none. Texts and arrays are copied. */
typedef struct carbo_selector_options {
  uint32_t struct_size;
  carbo_goal goal;
  int64_t columns; /* of the pool and of observed points, 1 to 100 */
  uint64_t seed;
  carbo_transform transform;
  carbo_incumbent incumbent;
  double noise_floor;    /* lowest noise variance of the standardised objective */
  int64_t restarts;      /* starts of a fit of the objective's hyperparameters */
  int32_t allow_repeats; /* 1: observed rows may be suggested again */
  carbo_cost_model cost_model;
  carbo_cost_weight cost_weight;
  int32_t cost_robust;     /* 1: costs that stick out are drawn in */
  double cost_noise_floor; /* lowest noise variance of the standardised log cost */
  int64_t cost_restarts;
  /* Terms of the linear cost models: expressions of the columns x0, x1, ... such as "x0 * x3^2". */
  const char* const* cost_features;
  const int32_t* cost_feature_is_work; /* 1: more of it never costs less; null: 0 for all */
  int64_t cost_feature_count;
  const char* known_cost;      /* the cost as an expression, above 0 everywhere; null: it is learned */
  const char* known_cost_part; /* a factor of the cost that is known; null: none */
  int64_t fantasies;           /* a pick, while rows are running */
  carbo_fantasy_mode fantasy_mode;
  carbo_backend backend;
  int64_t threads;         /* 0: all cores */
  int64_t memory_bytes;    /* that candidates and models may take; 0: half of what is free */
  int32_t device;          /* CUDA device; -1: the stream's, or else the calling thread's current one */
  int32_t use_stream;      /* 1: all work of the device is in the order of `stream`; 0: of one of our own */
  void* stream;            /* a cudaStream_t of that device; outlives the selector */
  carbo_allocate allocate; /* null: a memory pool of our own */
  carbo_release release;   /* null where `allocate` is */
  void* allocator_state;   /* given to both; outlives the selector */
  int64_t max_points;      /* distinct ones that the objective's model learns from at most; at least 64 */
  int64_t cost_max_points; /* the same of the cost's */
} carbo_selector_options;

/* Filled with defaults by carbo_pick_request_init: one row, alpha 1, no limit. */
typedef struct carbo_pick_request {
  uint32_t struct_size;
  int64_t count;                 /* at most the rows that may still be suggested */
  double alpha;                  /* exponent of the cost in EI / c^alpha, in [0, 1]; 0 is EI, 1 is EI per cost */
  double cost_limit;             /* rows with a higher median cost are passed over */
  carbo_acquisition acquisition; /* what scores rows; lambda_decay is not looked at here */
#define CARBO_MEMBER(name, standard, lowest, highest) double name; /* see acquisition_table.h */
  CARBO_ACQUISITION_PARAMETERS(CARBO_MEMBER)
#undef CARBO_MEMBER
} carbo_pick_request;

/* What a fit found. The caller sets struct_size, and both members of the lengthscales where it wants them. */
typedef struct carbo_fit_report {
  uint32_t struct_size;
  carbo_cost_model cost_model;
  double* lengthscales;     /* one a column, or null */
  int64_t lengthscale_room; /* at least the columns, where it is not null */
  int64_t observations;
  double signal_variance; /* of the standardised objective, as the next */
  double noise_variance;
  double objective_jitter; /* relative to the mean diagonal; 0 where none was needed */
  double cost_jitter;
  double seconds;
  int64_t points;      /* distinct ones, of which the objective's model kept */
  int64_t points_used; /* so many: fewer where memory_bytes or max_points asked for it */
  int64_t cost_points; /* the same of the cost's */
  int64_t cost_points_used;
} carbo_fit_report;

/* The caller sets struct_size. */
typedef struct carbo_selector_info {
  uint32_t struct_size;
  int32_t on_device;
  int64_t pool_size;
  int64_t available; /* rows that may be suggested */
  int64_t running;   /* rows that were suggested and neither appended nor withdrawn */
  int64_t observations;
} carbo_selector_info;

/* Not an address: handles are numbered, and the number of a destroyed one is never given out again. One call at a
   time on each; different handles are independent. */
typedef struct carbo_selector carbo_selector;

/* Of the library, which may be later than this header: major * 1000000 + minor * 1000 + patch. */
int32_t carbo_version(void);
/* Whether the CUDA backend was built along with the library, and why not; never null. */
const char* carbo_cuda_build(void);
/* Such as "CARBO_SHAPE"; never null. */
const char* carbo_status_name(carbo_status status);

/* Texts: up to `capacity` bytes are written, the closing 0 included; `length`, where it is not null, gets the length
   of the whole text without it. A text that was cut is no error. `buffer` may be null where `capacity` is 0. */

/* Of the calling thread's last call that failed; empty where none did. */
carbo_status carbo_message(char* buffer, int64_t capacity, int64_t* length);
/* Of the last call on the handle that failed, calls that were refused as concurrent apart; empty where none did. May
   be asked for while another thread's call runs. */
carbo_status carbo_selector_message(carbo_selector* selector, char* buffer, int64_t capacity, int64_t* length);
/* Which backend runs, and why. */
carbo_status carbo_selector_backend_reason(carbo_selector* selector, char* buffer, int64_t capacity, int64_t* length);

/* `struct_size`: sizeof the struct. */
carbo_status carbo_selector_options_init(carbo_selector_options* options, uint64_t struct_size);
carbo_status carbo_pick_request_init(carbo_pick_request* request, uint64_t struct_size);

/* `selector` becomes null where it fails. */
carbo_status carbo_selector_create(const carbo_selector_options* options, carbo_selector** selector);
/* CARBO_CONCURRENT_CALL while a call on the handle runs: it stays alive then. */
carbo_status carbo_selector_destroy(carbo_selector* selector);

/* Candidates instead of those before, every value in [0, 1]; `costs` (null: they are learned) one a row, above 0.
   Rows in device memory are read where they lie until the next pool, all others are copied. Observations are kept;
   which rows were observed or running is forgotten, so append the results of rows that still run before. Models
   start anew where the costs of this pool or of the last one are known. */
carbo_status carbo_selector_set_pool(carbo_selector* selector, const carbo_matrix* rows, const carbo_vector* costs);

/* Results of points by coordinates, or of rows of the pool, which are not suggested again then. `costs` of rows
   may be null where the pool's are known. */
carbo_status carbo_selector_append_points(carbo_selector* selector, const carbo_matrix* points,
                                          const carbo_vector* objectives, const carbo_vector* costs);
carbo_status carbo_selector_append_rows(carbo_selector* selector, const carbo_indices* rows,
                                        const carbo_vector* objectives, const carbo_vector* costs);

/* Fits the hyperparameters of both models; the first suggestion or design does so by itself. `report` may be null. */
carbo_status carbo_selector_fit(carbo_selector* selector, carbo_fit_report* report);

/* The best rows by EI-cool, each with the ones before it fantasised; `scores` (or null) gets the log EI-cool of each.
   `written`: how many there are, fewer than asked for where the cost limit leaves no more. */
carbo_status carbo_selector_suggest(carbo_selector* selector, const carbo_pick_request* request,
                                    const carbo_index_room* rows, const carbo_vector_room* scores, int64_t* written);
/* Rows of the cost-effective initial design: cheap, and far from what is known. `alpha` is not looked at. */
carbo_status carbo_selector_design(carbo_selector* selector, const carbo_pick_request* request,
                                   const carbo_index_room* rows, int64_t* written);
/* Log EI-cool of every row; -infinity where it may not be suggested. `count` is not looked at. */
carbo_status carbo_selector_scores(carbo_selector* selector, const carbo_pick_request* request,
                                   const carbo_vector_room* scores);
/* Running rows that will never be appended; they may be suggested again. */
carbo_status carbo_selector_withdraw(carbo_selector* selector, const carbo_indices* rows);

carbo_status carbo_selector_get_info(carbo_selector* selector, carbo_selector_info* info);

/* (budget - spent) / (budget - spent_at_design_end), within [0, 1]; 0 where the design used up the budget. */
carbo_status carbo_cooling_exponent(double budget, double spent, double spent_at_design_end, double* alpha);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
