/* What an optimizer of the C interface is made of, and made again of: parameters, constraints and settings. Members
   are named and mean as in carbo/options.hpp, carbo/cost.hpp and carbo/space.hpp; texts and arrays are copied. */
#ifndef CARBO_C_OPTIMIZER_OPTIONS_H
#define CARBO_C_OPTIMIZER_OPTIONS_H

#include <stdint.h>

#include <carbo/acquisition_table.h>
#include <carbo/c_status.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t carbo_parameter_kind;
enum { CARBO_REAL = 0, CARBO_INTEGER = 1, CARBO_CATEGORICAL = 2, CARBO_ORDINAL = 3, CARBO_DISCRETE = 4 };
typedef int32_t carbo_scale;
enum { CARBO_LINEAR_SCALE = 0, CARBO_LOG_SCALE = 1 };
typedef int32_t carbo_initial_design;
enum { CARBO_DESIGN_COST_EFFECTIVE = 0, CARBO_DESIGN_PAPER = 1, CARBO_DESIGN_UNIFORM = 2, CARBO_DESIGN_POINTS = 3 };
typedef int32_t carbo_accounting; /* what the budget counts */
enum {
  CARBO_ACCOUNTING_AUTOMATIC = 0,
  CARBO_ACCOUNTING_SUM = 1,
  CARBO_ACCOUNTING_LONGEST = 2,
  CARBO_ACCOUNTING_WALL_CLOCK = 3
};
typedef int32_t carbo_execution;
enum { CARBO_SYNCHRONOUS = 0, CARBO_ASYNCHRONOUS = 1 };
typedef int32_t carbo_batches; /* suggestions for the workers of an ask */
enum { CARBO_BATCHES_FIXED = 0, CARBO_BATCHES_FILL = 1, CARBO_BATCHES_TOP_UP = 2 };
typedef int32_t carbo_pick_cost; /* of a pick beside the others of its round */
enum { CARBO_PICK_COST_IN_ROUND = 0, CARBO_PICK_COST_OWN = 1 };
typedef int32_t carbo_estimation;
enum { CARBO_MAXIMUM_LIKELIHOOD = 0, CARBO_MAP = 1 };
typedef int32_t carbo_candidate_source;
enum { CARBO_CANDIDATES_AUTOMATIC = 0, CARBO_CANDIDATES_SOBOL = 1, CARBO_CANDIDATES_ENUMERATION = 2 };
typedef int32_t carbo_cost_error; /* what the linear model's fit weighs */
enum { CARBO_COST_RELATIVE = 0, CARBO_COST_ABSOLUTE = 1 };

/* One dimension of the search space. Of several in an array, each begins with its size. */
typedef struct carbo_parameter {
  uint32_t struct_size;
  carbo_parameter_kind kind;
  const char* name;
  double lower; /* real and integer: bounds */
  double upper;
  carbo_scale scale;         /* real and integer */
  int64_t count;             /* of the next, which kind wants */
  const char* const* labels; /* categorical and ordinal */
  const double* values;      /* discrete, ascending */
} carbo_parameter;

/* Parameters in one expression. */
static inline carbo_parameter carbo_parameter_of(const char* name, carbo_parameter_kind kind) {
  carbo_parameter parameter;
  parameter.struct_size = (uint32_t)sizeof parameter;
  parameter.kind = kind;
  parameter.name = name;
  parameter.lower = 0;
  parameter.upper = 0;
  parameter.scale = CARBO_LINEAR_SCALE;
  parameter.count = 0;
  parameter.labels = 0;
  parameter.values = 0;
  return parameter;
}
static inline carbo_parameter carbo_real(const char* name, double lower, double upper) {
  carbo_parameter parameter = carbo_parameter_of(name, CARBO_REAL);
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}
static inline carbo_parameter carbo_integer(const char* name, int64_t lower, int64_t upper) {
  carbo_parameter parameter = carbo_parameter_of(name, CARBO_INTEGER);
  parameter.lower = (double)lower;
  parameter.upper = (double)upper;
  return parameter;
}
static inline carbo_parameter carbo_log_scaled(carbo_parameter parameter) {
  parameter.scale = CARBO_LOG_SCALE;
  return parameter;
}
static inline carbo_parameter carbo_categorical(const char* name, const char* const* labels, int64_t count) {
  carbo_parameter parameter = carbo_parameter_of(name, CARBO_CATEGORICAL);
  parameter.labels = labels;
  parameter.count = count;
  return parameter;
}
static inline carbo_parameter carbo_ordinal(const char* name, const char* const* labels, int64_t count) {
  carbo_parameter parameter = carbo_categorical(name, labels, count);
  parameter.kind = CARBO_ORDINAL;
  return parameter;
}
static inline carbo_parameter carbo_discrete(const char* name, const double* values, int64_t count) {
  carbo_parameter parameter = carbo_parameter_of(name, CARBO_DISCRETE);
  parameter.values = values;
  parameter.count = count;
  return parameter;
}

/* Called with the numbers of a configuration, one a parameter: the value of real, integer and discrete ones, the
   position of the label of others. Returns without a long jump; several threads may call it at once, and the same
   numbers have the same answer. Lives, as its state does, as long as the optimizer. */
typedef int32_t (*carbo_allowed)(void* state, const double* numbers); /* 0: never suggested */
typedef double (*carbo_function)(void* state, const double* numbers); /* one call at a time */

typedef struct carbo_constraint {
  uint32_t struct_size;
  carbo_allowed allowed;
  void* state;
  const char* description; /* in messages; null: "constraint" */
} carbo_constraint;

/* A number that every configuration has. One of the three is given, or none: then there is no such quantity. */
typedef struct carbo_quantity {
  const char* expression; /* arithmetic over parameters, such as "units * epochs" */
  carbo_function function;
  void* state;          /* of the function */
  const double* column; /* one a row of the pool, which has to be given */
} carbo_quantity;

typedef struct carbo_cost_feature {
  uint32_t struct_size;
  int32_t work;     /* 1: more of it never costs less */
  const char* name; /* in messages; may be null */
  carbo_quantity value;
} carbo_cost_feature;

/* A multi-layer perceptron by the sizes of its layers, input and output included where they are known: see MlpShape
   and mlp_features. Sizes that do not vary are expressions, too, such as "784". */
typedef struct carbo_mlp_shape {
  uint32_t struct_size;
  const carbo_quantity* layers; /* at least one */
  int64_t layer_count;
  carbo_quantity epochs;     /* none: 1 */
  carbo_quantity batch_size; /* none: it does not vary */
} carbo_mlp_shape;

/* A convolutional network on square images, with dense layers after the last convolution: see CnnShape and
   cnn_features. */
typedef struct carbo_cnn_shape {
  uint32_t struct_size;
  carbo_quantity image_size; /* pixels of a side */
  carbo_quantity colours;    /* none: 1 */
  carbo_quantity kernel_size;
  const carbo_quantity* channels; /* one a convolution, at least one */
  const carbo_quantity* pooling;  /* one a convolution, share of the pixels that is left; null: all 1 */
  int64_t channel_count;
  const carbo_quantity* dense; /* sizes of the dense layers; may be null where there are none */
  int64_t dense_count;
  carbo_quantity epochs;     /* none: 1 */
  carbo_quantity batch_size; /* none: it does not vary */
} carbo_cnn_shape;

typedef struct carbo_hyperparameters {
  const double* lengthscales; /* one a parameter */
  double signal_variance;
  double noise_variance;
  double mean; /* NaN: estimated */
} carbo_hyperparameters;

typedef struct carbo_surrogate_options {
  carbo_estimation estimation;
  double noise_floor;
  int64_t restarts;
  int64_t max_points;
  const carbo_hyperparameters* fixed; /* null: fitted */
} carbo_surrogate_options;

typedef struct carbo_design_options {
  double budget_share;
  int64_t warm_start;   /* -1: chosen by the library */
  const double* points; /* configurations, for CARBO_DESIGN_POINTS */
  int64_t point_count;
  double least_gain;
} carbo_design_options;

typedef struct carbo_candidate_options {
  carbo_candidate_source source;
  int64_t count;
  int64_t enumeration_limit;
  int32_t renew;
  double local_share;
  int32_t allow_repeats;
  const double* pool; /* configurations, row after row, instead of all the above; null: none */
  int64_t pool_rows;
  const char* pool_file; /* the same in a file: see Pool::map; null: none */
} carbo_candidate_options;

typedef struct carbo_cost_options {
  carbo_cost_model model;
  carbo_cost_error error;
  carbo_cost_weight weight;
  int32_t robust;
  const carbo_cost_feature* features;
  int64_t feature_count;
  const carbo_mlp_shape* mlp; /* whose features come after those; may be null */
  const carbo_cnn_shape* cnn; /* the same, and last */
  carbo_quantity known;
  carbo_quantity known_part;
  carbo_surrogate_options surrogate;
  const char* unit;
} carbo_cost_options;

typedef struct carbo_fantasy_options {
  int64_t count;
  carbo_fantasy_mode mode;
} carbo_fantasy_options;

typedef struct carbo_failure_options {
  int32_t penalize;
  int64_t max_consecutive;
} carbo_failure_options;

typedef struct carbo_evaluation_options {
  double timeout;        /* NaN: none */
  double timeout_factor; /* NaN: none */
} carbo_evaluation_options;

typedef struct carbo_stopping_options {
  double price;    /* NaN: no rule */
  int32_t enforce; /* 0: suggestions say when it would have stopped */
} carbo_stopping_options;

typedef struct carbo_backend_options {
  carbo_backend kind;
  int64_t threads;
  int64_t tile;
  int64_t memory_bytes;
  int32_t device;
} carbo_backend_options;

typedef struct carbo_acquisition_parameters {
#define CARBO_MEMBER(name, standard, lowest, highest) double name; /* see acquisition_table.h */
  CARBO_ACQUISITION_PARAMETERS(CARBO_MEMBER)
#undef CARBO_MEMBER
} carbo_acquisition_parameters;

/* Filled with defaults by carbo_optimizer_options_init; parameters and budget have none. */
typedef struct carbo_optimizer_options {
  uint32_t struct_size;
  int32_t strict;
  const carbo_parameter* parameters; /* 1 to 100 */
  int64_t parameter_count;
  const carbo_constraint* constraints;
  int64_t constraint_count;
  double budget;
  int64_t batch_size;
  uint64_t seed;
  carbo_acquisition acquisition;
  carbo_initial_design initial_design;
  carbo_acquisition_parameters acquisition_parameters;
  carbo_goal goal;
  carbo_execution execution;
  carbo_accounting accounting;
  carbo_transform transform;
  carbo_batches batches;
  int64_t max_evaluations; /* 0: any number */
  double target;           /* NaN: none */
  carbo_incumbent incumbent;
  carbo_surrogate_options surrogate;
  carbo_design_options design;
  carbo_candidate_options candidates;
  carbo_cost_options cost;
  carbo_fantasy_options fantasies;
  carbo_failure_options failures;
  carbo_evaluation_options evaluation;
  carbo_stopping_options stopping;
  carbo_backend_options backend;
  carbo_pick_cost pick_cost;
} carbo_optimizer_options;

/* A function, or a column of a pool that is not in the state, under the name that the state has for it: "cost.known",
   "cost.known_part", "cost.features[2]". */
typedef struct carbo_named_quantity {
  uint32_t struct_size;
  const char* name;
  carbo_quantity value;
} carbo_named_quantity;

/* What the text of a state cannot hold, given again, as carbo/restore.hpp has it. Filled with defaults, which are
   nothing, by carbo_restore_options_init. */
typedef struct carbo_restore_options {
  uint32_t struct_size;
  int32_t count_time_between; /* 1: the time between save and restore counts (CARBO_ACCOUNTING_WALL_CLOCK) */
  /* By their descriptions; the second of one description, here as there, is "description (2)". */
  const carbo_constraint* constraints;
  int64_t constraint_count;
  const carbo_named_quantity* quantities;
  int64_t quantity_count;
  const double* pool; /* as in carbo_candidate_options, with the state's parameters */
  int64_t pool_rows;
  const char* pool_file;
  const carbo_backend_options* backend; /* null: the state's; a memory_bytes of 0 is the state's */
} carbo_restore_options;

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
