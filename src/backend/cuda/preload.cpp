#include "backend/cuda/preload.hpp"

#include <vector>

#include <cuda_runtime_api.h>

#include "backend/cuda/cuda_error.hpp"
#include "bounds.hpp"
#include "candidate_sets.hpp"
#include "factor_reads.hpp"
#include "factor_rows.hpp"
#include "fields.hpp"
#include "gram.hpp"
#include "likelihood_steps.hpp"
#include "linear_field.hpp"
#include "posterior.hpp"
#include "race_ranks.hpp"
#include "responses.hpp"
#include "scores.hpp"
#include "search_lists.hpp"
#include "sobol_rows.hpp"
#include "substitution.hpp"

namespace carbo::internal {

void preload_kernels() {
  std::vector<const void*> all;
  kernels::add_bound_kernels(all);
  kernels::add_candidate_kernels(all);
  kernels::add_factor_reads_kernels(all);
  kernels::add_factor_rows_kernels(all);
  kernels::add_field_kernels(all);
  kernels::add_gram_kernels(all);
  kernels::add_likelihood_step_kernels(all);
  kernels::add_linear_field_kernels(all);
  kernels::add_posterior_kernels(all);
  kernels::add_race_kernels(all);
  kernels::add_response_kernels(all);
  kernels::add_score_kernels(all);
  kernels::add_search_list_kernels(all);
  kernels::add_sobol_kernels(all);
  kernels::add_substitution_kernels(all);
  cudaFuncAttributes attributes;
  for (const void* kernel : all) throw_if_failed(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace carbo::internal
