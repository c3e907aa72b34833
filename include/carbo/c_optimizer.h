/* Ask and tell in C: carbo/optimizer.hpp without C++, with the manners of carbo.h, which includes this.

     carbo_parameter parameters[] = {carbo_real("rate", 1e-5, 1e-1), carbo_integer("layers", 1, 8)};
     carbo_optimizer_options options;
     carbo_optimizer* optimizer = NULL;
     carbo_optimizer_options_init(&options, sizeof options);
     options.parameters = parameters;
     options.parameter_count = 2;
     options.budget = 300;
     if (carbo_optimizer_create(&options, &optimizer) != CARBO_OK) ...

   A configuration is an array of numbers, one a parameter in the order of the options: the value of real, integer and
   discrete parameters, the position of the label, from 0, of categorical and ordinal ones. Arrays lie in host memory
   and belong to the caller; those that are written have the room that is said. Numbers that are not there are NaN,
   counts and places -1. Of structs in an array that is written the caller sets the size of the first; all get it. */
#ifndef CARBO_C_OPTIMIZER_H
#define CARBO_C_OPTIMIZER_H

#include <stdint.h>

#include <carbo/c_optimizer_options.h>
#include <carbo/c_status.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t carbo_phase;
enum { CARBO_WARM_START = 0, CARBO_DESIGN = 1, CARBO_SEARCH = 2 };
typedef int32_t carbo_stop_reason;
enum {
  CARBO_RUNNING = 0,
  CARBO_STOP_BUDGET = 1,
  CARBO_STOP_EVALUATIONS = 2,
  CARBO_STOP_TARGET = 3,
  CARBO_STOP_EXHAUSTED = 4,
  CARBO_STOP_CANCELLED = 5,
  CARBO_STOP_FAILURES = 6,
  CARBO_STOP_STRICT_BUDGET = 7,
  CARBO_STOP_ERROR = 8,
  CARBO_STOP_PRICE = 9
};
typedef int32_t carbo_design_end; /* why the initial design is over */
enum { CARBO_DESIGN_SERVED = 0, CARBO_DESIGN_SHARE = 1, CARBO_DESIGN_GAIN = 2, CARBO_DESIGN_EXHAUSTED = 3 };
typedef int32_t carbo_origin;
enum { CARBO_THIS_RUN = 0, CARBO_PRIOR = 1 };
typedef int32_t carbo_observation_status;
enum { CARBO_SUCCEEDED = 0, CARBO_FAILED = 1, CARBO_TIMED_OUT = 2 };
typedef int32_t carbo_modelled;
enum { CARBO_MODEL_OF_OBJECTIVE = 0, CARBO_MODEL_OF_COST = 1 };
enum { CARBO_COST_MODELS = 5, CARBO_TRANSFORMS = 7 };
enum { CARBO_MOST_PER_WORKER = 4 }; /* suggestions of an ask for each, where batches are not fixed */

typedef struct carbo_calibration {
  double log_density;
  double coverage;
  double squared_residual;
} carbo_calibration;

/* What to evaluate, and why: see Suggestion and Receipt. */
typedef struct carbo_suggestion {
  uint32_t struct_size;
  carbo_phase phase;
  int64_t id;
  int64_t pool_index;
  double timeout;   /* cost at which to cut it off */
  int64_t slot;     /* the worker that it is for, from 0 */
  int64_t order;    /* how many of the same ask that worker runs before it */
  int32_t enqueued; /* 1: by carbo_optimizer_enqueue */
  carbo_cost_model cost_model;
  carbo_transform transform; /* that the objective was predicted with; -1: nothing was, as cost_model */
  double alpha;
  double acquisition_parameter;
  double spent;
  double committed;
  double progress;
  double predicted_cost;
  double predicted_log_cost_sd;
  double predicted_objective;
  double predicted_objective_sd;
  double log_score;
  double runner_up_log_score;
  double break_even_price;
  double round_length;
  double fill;
  double design_gain;
  carbo_design_end design_end; /* -1: not over, or by an earlier run */
  int32_t would_stop;          /* 1: the stopping rule says stop, 0: it does not, -1: it was not asked */
  double objective_jitter;
  double cost_jitter;
  carbo_calibration objective_calibration;
  carbo_calibration cost_calibration;
  int64_t objective_points; /* distinct ones, of which the model learned from */
  int64_t objective_points_used;
  int64_t cost_points;
  int64_t cost_points_used;
  double cost_model_scores[CARBO_COST_MODELS]; /* left-out log density of each carbo_cost_model */
  double transform_scores[CARBO_TRANSFORMS];   /* of left-out objectives by each carbo_transform */
  int64_t candidates;
  double finished_share;
  double refreshed_share;
  double candidate_seconds;
  double fit_seconds;
  double sweep_seconds;
  double pick_seconds;
  double predicted_objective_lower; /* of the interval in which a result was expected with 95 %, noise included */
  double predicted_objective_upper;
  double low_precision_share; /* of the means that were looked at, as finished_share */
} carbo_suggestion;

typedef struct carbo_observation {
  uint32_t struct_size;
  carbo_observation_status status;
  carbo_origin origin;
  int64_t id; /* -1: neither suggested nor adopted; of what is told it is not looked at */
  double objective;
  double cost; /* NaN: not known (prior data) */
  int64_t batch;
  int64_t slot;
} carbo_observation;

typedef struct carbo_prediction {
  uint32_t struct_size;
  double median; /* of the objective, as the next five; see ObjectivePrediction */
  double lower;
  double upper;
  double standard_deviation;
  double standardised_mean;
  double standardised_deviation;
  double cost; /* median */
  double log_cost_sd;
} carbo_prediction;

typedef struct carbo_importance {
  uint32_t struct_size;
  double first_order;
  double total;
  double first_order_spread;
  double total_spread;
} carbo_importance;

/* The caller sets struct_size, and both members of the lengthscales where it wants them. */
typedef struct carbo_fitted_model {
  uint32_t struct_size;
  int32_t found;        /* 0: no Gaussian process has learned this; the rest is then not written */
  double* lengthscales; /* one a parameter, or null */
  int64_t lengthscale_room;
  double signal_variance;
  double noise_variance;
  double mean;
  double shift;
  double scale;
  double jitter;
  int64_t points;
  int64_t points_used;
} carbo_fitted_model;

/* The caller sets struct_size. */
typedef struct carbo_optimizer_info {
  uint32_t struct_size;
  carbo_phase phase;
  carbo_stop_reason stop_reason;
  carbo_accounting accounting; /* never automatic */
  int64_t parameters;
  int64_t observations;
  int64_t pending;
  int64_t enqueued;
  double spent;
} carbo_optimizer_info;

/* Not an address: see carbo_selector. One call at a time on each; different handles are independent. */
typedef struct carbo_optimizer carbo_optimizer;

/* Such as "search" and "budget spent"; never null. */
const char* carbo_phase_name(carbo_phase phase);
const char* carbo_stop_reason_name(carbo_stop_reason reason);

/* `struct_size`: sizeof the struct. */
carbo_status carbo_optimizer_options_init(carbo_optimizer_options* options, uint64_t struct_size);
/* `optimizer` becomes null where it fails. */
carbo_status carbo_optimizer_create(const carbo_optimizer_options* options, carbo_optimizer** optimizer);
carbo_status carbo_restore_options_init(carbo_restore_options* options, uint64_t struct_size);
/* The optimizer that carbo_optimizer_save wrote `length` bytes of. `options` may be null where nothing has to be
   given again; what is missing is CARBO_INVALID_STATE, with the names. `optimizer` becomes null where it fails. */
carbo_status carbo_optimizer_restore(const char* state, int64_t length, const carbo_restore_options* options,
                                     carbo_optimizer** optimizer);
/* CARBO_CONCURRENT_CALL while a call on the handle runs: it stays alive then. */
carbo_status carbo_optimizer_destroy(carbo_optimizer* optimizer);

/* The whole study as text (JSON; docs/state.md). `state` gets where it lies, a 0 behind its `length` bytes: it is the
   handle's, and stays until the next save, carbo_optimizer_release_state or carbo_optimizer_destroy. `length` may be
   null. Where it fails nothing is written, and the text before stays. */
carbo_status carbo_optimizer_save(carbo_optimizer* optimizer, const char** state, int64_t* length);
/* Gives back the memory of the last save; none is no error. */
carbo_status carbo_optimizer_release_state(carbo_optimizer* optimizer);

/* Texts as in carbo.h. */

/* Of the last call on the handle that failed, calls that were refused as concurrent apart; empty where none did. May
   be asked for while another thread's call runs. */
carbo_status carbo_optimizer_message(carbo_optimizer* optimizer, char* buffer, int64_t capacity, int64_t* length);
/* Which backend runs and why; empty before the first suggestion. */
carbo_status carbo_optimizer_backend_reason(carbo_optimizer* optimizer, char* buffer, int64_t capacity,
                                            int64_t* length);
/* What is legal and was probably not meant, a line each. */
carbo_status carbo_optimizer_warnings(carbo_optimizer* optimizer, char* buffer, int64_t capacity, int64_t* length);
/* How the next search fits into memory_bytes. */
carbo_status carbo_optimizer_memory_plan(carbo_optimizer* optimizer, char* buffer, int64_t capacity, int64_t* length);
/* A configuration as name=value pairs. */
carbo_status carbo_optimizer_describe(carbo_optimizer* optimizer, const double* numbers, char* buffer,
                                      int64_t capacity, int64_t* length);
/* The label that a number of a categorical or ordinal parameter stands for, and the other way round. */
carbo_status carbo_optimizer_label(carbo_optimizer* optimizer, int64_t parameter, double number, char* buffer,
                                   int64_t capacity, int64_t* length);
carbo_status carbo_optimizer_number(carbo_optimizer* optimizer, int64_t parameter, const char* label, double* number);

/* Up to `count` suggestions to evaluate in parallel, with their configurations in `numbers`; there is room for
   `count` of both, or for CARBO_MOST_PER_WORKER times as many where options.batches is not CARBO_BATCHES_FIXED: they
   are then for `count` workers. `written`: how many there are; 0 once the run is over. */
carbo_status carbo_optimizer_ask(carbo_optimizer* optimizer, int64_t count, carbo_suggestion* suggestions,
                                 double* numbers, int64_t* written);
/* The best candidates of the search with their scores, best first; nothing is suggested. `pool_indices` may be null.
 */
carbo_status carbo_optimizer_rank(carbo_optimizer* optimizer, int64_t count, double* numbers, double* log_scores,
                                  int64_t* pool_indices, int64_t* written);
/* The result of a suggestion. */
carbo_status carbo_optimizer_tell(carbo_optimizer* optimizer, int64_t id, double objective, double cost);
carbo_status carbo_optimizer_fail(carbo_optimizer* optimizer, int64_t id, double cost, const char* reason,
                                  int32_t timed_out);
carbo_status carbo_optimizer_withdraw(carbo_optimizer* optimizer, int64_t id);
/* What was not suggested: prior data, or results of an earlier part of this run. `reason` of a failure, or null. */
carbo_status carbo_optimizer_tell_observation(carbo_optimizer* optimizer, const carbo_observation* observation,
                                              const double* numbers, const char* reason);

/* A configuration that somebody else runs: pending from now on, under the id that is written. */
carbo_status carbo_optimizer_adopt(carbo_optimizer* optimizer, const double* numbers, int64_t* id);
/* A configuration that ask is to suggest next. `found` (or null): 1 where one waited and was taken back. */
carbo_status carbo_optimizer_enqueue(carbo_optimizer* optimizer, const double* numbers);
carbo_status carbo_optimizer_dequeue(carbo_optimizer* optimizer, const double* numbers, int32_t* found);
/* Those that wait, first come first: up to `room` are written, `count` is how many there are. */
carbo_status carbo_optimizer_enqueued(carbo_optimizer* optimizer, double* numbers, int64_t room, int64_t* count);
/* Ids of what is running, in the same way. */
carbo_status carbo_optimizer_pending(carbo_optimizer* optimizer, int64_t* ids, int64_t room, int64_t* count);
/* The same as ask wrote them: what is to be evaluated again after a restore. */
carbo_status carbo_optimizer_pending_suggestions(carbo_optimizer* optimizer, carbo_suggestion* suggestions,
                                                 double* numbers, int64_t room, int64_t* count);

/* What the models expect of `count` configurations, with intervals of that coverage, in (0, 1). */
carbo_status carbo_optimizer_predict(carbo_optimizer* optimizer, const double* numbers, int64_t count,
                                     double coverage, carbo_prediction* predictions);
/* The observed configuration whose posterior mean is best. `successes` (or null): how often it was observed, 0 where
   nothing has succeeded and nothing is written; `prediction` may be null. */
carbo_status carbo_optimizer_recommend(carbo_optimizer* optimizer, double* numbers, int64_t* successes,
                                       carbo_prediction* prediction);
/* Shares of a model's variance over the space, one struct a parameter, from `sequences` of `points` (0: as many as
   the library thinks right). `standard_deviation` (or null): of the model's mean; NaN where it has learned nothing
   and no share is written. */
carbo_status carbo_optimizer_importance(carbo_optimizer* optimizer, carbo_modelled model, int64_t points,
                                        int64_t sequences, carbo_importance* shares, double* standard_deviation);
/* `cost_model` (or null): the one that predicts, -1 where it has learned nothing. */
carbo_status carbo_optimizer_hyperparameters(carbo_optimizer* optimizer, carbo_modelled model,
                                             carbo_fitted_model* fitted, carbo_cost_model* cost_model);

/* `count` observations from the `first` on, in the order in which they were told; `numbers` may be null. */
carbo_status carbo_optimizer_observations(carbo_optimizer* optimizer, int64_t first, int64_t count,
                                          carbo_observation* observations, double* numbers);
/* Why the observation of that place failed; empty where it did not. */
carbo_status carbo_optimizer_failure(carbo_optimizer* optimizer, int64_t place, char* buffer, int64_t capacity,
                                     int64_t* length);
/* The best success: its place among the observations, -1 before the first. */
carbo_status carbo_optimizer_best(carbo_optimizer* optimizer, int64_t* place);
carbo_status carbo_optimizer_get_info(carbo_optimizer* optimizer, carbo_optimizer_info* info);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
