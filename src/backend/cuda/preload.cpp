#include "backend/cuda/preload.hpp"

#include <vector>

#include <cuda_runtime_api.h>

#include "backend/cuda/cuda_error.hpp"
#include "launch/batch_steps.cuh"
#include "launch/bounds.cuh"
#include "launch/candidate_sets.cuh"
#include "launch/factor_reads.cuh"
#include "launch/factor_rows.cuh"
#include "launch/fields.cuh"
#include "launch/finish.cuh"
#include "launch/gram.cuh"
#include "launch/inverse.cuh"
#include "launch/likelihood_steps.cuh"
#include "launch/linear_field.cuh"
#include "launch/posterior.cuh"
#include "launch/race_steps.cuh"
#include "launch/responses.cuh"
#include "launch/scores.cuh"
#include "launch/screen.cuh"
#include "launch/screen_pairs.cuh"
#include "launch/screen_responses.cuh"
#include "launch/search_lists.cuh"
#include "launch/sobol_rows.cuh"
#include "launch/substitution.cuh"

namespace carbo::internal {

void preload_kernels() {
  std::vector<const void*> all;
  kernels::add_batch_kernels(all);
  kernels::add_bound_kernels(all);
  kernels::add_candidate_kernels(all);
  kernels::add_factor_reads_kernels(all);
  kernels::add_factor_rows_kernels(all);
  kernels::add_field_kernels(all);
  kernels::add_finish_kernels(all);
  kernels::add_gram_kernels(all);
  kernels::add_inverse_kernels(all);
  kernels::add_likelihood_step_kernels(all);
  kernels::add_linear_field_kernels(all);
  kernels::add_pair_screen_kernels(all);
  kernels::add_posterior_kernels(all);
  kernels::add_race_kernels(all);
  kernels::add_response_kernels(all);
  kernels::add_score_kernels(all);
  kernels::add_screen_kernels(all);
  kernels::add_screen_response_kernels(all);
  kernels::add_search_list_kernels(all);
  kernels::add_sobol_kernels(all);
  kernels::add_substitution_kernels(all);
  cudaFuncAttributes attributes;
  for (const void* kernel : all) throw_if_failed(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace carbo::internal
