#pragma once

#include <cstddef>

#include <carbo/options.hpp>

namespace carbo::test {

inline CandidateOptions sobol_options(std::size_t count, double local_share = 0) {
  CandidateOptions options;
  options.source = CandidateSource::sobol;
  options.count = count;
  options.local_share = local_share;
  return options;
}

}  // namespace carbo::test
