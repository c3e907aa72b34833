#pragma once

#include <carbo/cost.hpp>

#include "acquisition/log_ei_cool.hpp"

namespace carbo::internal {

inline kernels::CostMoment moment_of(CostWeight weight) {
  if (weight == CostWeight::mean) return kernels::CostMoment::mean;
  return weight == CostWeight::moment ? kernels::CostMoment::exact : kernels::CostMoment::median;
}

}  // namespace carbo::internal
