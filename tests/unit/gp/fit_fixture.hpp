#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gp/fit.hpp"
#include "gp/log_posterior.hpp"
#include "gp/transform.hpp"
#include "support/reference_backend.hpp"

namespace carbo::internal {

inline const std::vector<int> groups_3{0, 1, 2};

inline double wave(std::span<const double> x) {
  double value = 0;
  for (std::size_t j = 0; j < x.size(); ++j) value += std::sin((2.0 + j) * x[j]) / (1.0 + j);
  return value;
}

/// `units_out` is what the targets were standardised by.
inline TrainingData make_data(std::size_t rows, std::size_t columns, double noise, std::uint64_t seed,
                              Standardisation* units_out = nullptr) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> unit;
  std::normal_distribution<double> normal;
  TrainingData data;
  data.columns = columns;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) data.points.push_back(unit(engine));
    data.targets.push_back(wave({data.points.data() + i * columns, columns}) + noise * normal(engine));
  }
  const Standardisation units = standardisation(data.targets);
  for (double& target : data.targets) target = standardise(target, units);
  if (units_out) *units_out = units;
  return data;
}

/// Log posterior and gradient at a point.
inline std::pair<double, std::vector<double>> evaluate(Backend& backend, const LogPosterior& posterior,
                                                       const std::vector<double>& point) {
  const LikelihoodRequest request = posterior.request(point);
  LikelihoodValue value;
  backend.likelihoods({&request, 1}, {&value, 1});
  const double prior = posterior.add_prior(point, value.gradient);
  return {value.log_likelihood + prior, value.gradient};
}

class FitTest : public ::testing::TestWithParam<Estimation> {
 protected:
  SurrogateOptions options() const {
    SurrogateOptions result;
    result.estimation = GetParam();
    return result;
  }
  test::ReferenceBackend backend_;
  /// Where the reference would take seconds.
  std::unique_ptr<Backend> quick_backend_ = make_backend({.kind = BackendKind::cpu, .threads = 1});
};

inline std::string estimation_name(const ::testing::TestParamInfo<Estimation>& info) {
  return info.param == Estimation::map ? "map" : "maximum_likelihood";
}

}  // namespace carbo::internal
