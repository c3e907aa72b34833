#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "support/backend_fixture.hpp"
#include "support/not_finite.hpp"

/// The CPU backend and the CUDA backend, asked the same things.
namespace cuda_pair {

using namespace carbo::internal;
using fixture::Rows;
using oracle::Points;

using carbo::test::infinity;
using carbo::test::not_a_number;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// One, and both sides of every tile that kernels and libraries work in.
inline const std::vector<std::size_t> edges = {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
/// Columns: one, a few, and two counts that no tile of coordinates divides.
inline const std::vector<std::size_t> widths = {1, 6, 37, 100};

inline std::unique_ptr<CudaBackendFace> cuda(const CudaOptions& options = {}) { return make_cuda_backend(options); }
inline std::unique_ptr<CudaBackendFace> cuda_on(int device) {
  CudaOptions options;
  options.device = device;
  return cuda(options);
}

/// As fixture::cpu; the CUDA backend has neither threads nor tiles of its own to choose.
inline std::unique_ptr<Backend> cuda_tiled(std::size_t, std::size_t) { return cuda(); }

struct Pair {
  std::unique_ptr<Backend> cpu = fixture::cpu();
  std::unique_ptr<CudaBackendFace> cuda = cuda_pair::cuda();

  /// The same call to both, as the results of the two.
  template <class Call>
  auto both(const Call& call) {
    return std::pair(call(*cpu), call(*cuda));
  }
};

/// Both actions throw, the same type and, but for the backend's name, the same words.
template <class First, class Second>
void expect_same_error(const First& on_cpu, const Second& on_cuda) {
  const auto caught = [](const auto& action) -> std::pair<std::string, std::string> {
    try {
      action();
    } catch (const carbo::Error& error) {
      std::string message = error.what();
      if (const auto at = message.find("cuda backend"); at != std::string::npos) message.replace(at, 4, "cpu");
      return {typeid(error).name(), message};
    }
    return {"nothing was thrown", ""};
  };
  const auto expected = caught(on_cpu), found = caught(on_cuda);
  EXPECT_NE(expected.first, "nothing was thrown");
  EXPECT_EQ(found.first, expected.first) << found.second << " instead of: " << expected.second;
  EXPECT_EQ(found.second, expected.second);
}

template <class Action>
void expect_same_error(Pair& pair, const Action& action) {
  expect_same_error([&] { action(*pair.cpu); }, [&] { action(*pair.cuda); });
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
}

/// Means of all fantasies, then the variance where there is one, of every `step`-th candidate.
inline std::vector<double> contents(const Field& field, std::size_t step = 1) {
  std::vector<double> values;
  for (std::size_t i = 0; i < field.size(); i += step) {
    for (std::size_t f = 0; f < field.means(); ++f) values.push_back(field.mean(i, f));
    if (field.has_variance()) values.push_back(field.variance(i));
  }
  return values;
}

/// Observations and candidates of one GP.
struct Scene {
  Scene(std::size_t n, std::size_t m, std::size_t d, std::uint64_t seed = 1)
      : random(seed + 1000 * n + m + 100000 * d), gp(fixture::some_gp(d, 0.01)) {
    // Distances grow with √d; lengthscales that follow keep covariances between 0 and 1.
    for (double& lengthscale : gp.lengthscales) lengthscale = std::min(lengthscale, 1.5) * std::sqrt(d / 3.0);
    x = random.points(n, d);
    y = random.values(n, -1.5, 1.5);
    candidates = random.points(m, d);
  }
  double tolerance() const { return fixture::posterior_tolerance(gp, x.size()); }

  oracle::Uniform random;
  oracle::Gp gp;
  Points x;
  std::vector<double> y;
  Points candidates;
};

/// A scene's factor, candidates and swept field on one backend.
struct Staged {
  Staged(Backend& own_backend, const Scene& scene, std::vector<GpParameters> parameters = {})
      : backend(own_backend), set(backend.make_candidates(Rows(scene.candidates).view())) {
    if (parameters.empty()) parameters = {fixture::parameters(scene.gp)};
    factors = backend.factor(Rows(scene.x).view(), scene.y, parameters);
    for (const auto& factor : factors) {
      fields.push_back(backend.sweep(*factor, *set, true));
      members.push_back({factor.get(), fields.back().get()});
    }
  }
  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) {
    return backend.fantasise(members, *set, point, normals);
  }
  std::vector<double> scores(ScoreRequest request) {
    request.objective = members;
    std::vector<double> out(set->size());
    backend.scores(*set, request, out);
    return out;
  }
  BestTwo best(ScoreRequest request) {
    request.objective = members;
    return backend.best(*set, request);
  }

  Backend& backend;
  std::unique_ptr<CandidateSet> set;
  std::vector<std::unique_ptr<GpFactor>> factors;
  std::vector<std::unique_ptr<Field>> fields;
  std::vector<Member> members;
};

}  // namespace cuda_pair
