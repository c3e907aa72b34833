#include "bench/backends/limits.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/support/matern_pass.hpp"
#include "bench/support/problem.hpp"
#include "bench/support/timing.hpp"
#include "support/thread_pool.hpp"

namespace carbo::bench {

namespace {

using internal::ThreadPool;

/// A square Eigen product on every thread.
class Gemm final : public LimitProbe {
 public:
  Gemm() : pool_(0) {
    for (std::size_t i = 0; i < pool_.threads(); ++i)
      operands_.push_back({Matrix::Random(size, size), Matrix::Random(size, size), Matrix(size, size)});
  }
  void run() override {
    pool_.parallel_for(operands_.size(),
                       [&](std::size_t i) { operands_[i].c.noalias() = operands_[i].a * operands_[i].b; });
  }
  double work() const override { return 2.0 * static_cast<double>(operands_.size()) * size * size * size; }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
  static constexpr int size = 768;
  struct Operands {
    Matrix a, b, c;
  };
  ThreadPool pool_;
  std::vector<Operands> operands_;
};

/// a = b + s · c over arrays far larger than the caches. Counts the bytes named, not the lines fetched to be written.
class Triad final : public LimitProbe {
 public:
  Triad() : a_(length, 0.0), b_(length, 1.0), c_(length, 2.0), pool_(0) {}
  void run() override {
    constexpr double scale = 3.0;
    constexpr std::size_t chunk = length / chunks;
    pool_.parallel_for(chunks, [&](std::size_t i) {
      double* __restrict a = a_.data() + i * chunk;
      const double* __restrict b = b_.data() + i * chunk;
      const double* __restrict c = c_.data() + i * chunk;
      for (std::size_t j = 0; j < chunk; ++j) a[j] = b[j] + scale * c[j];
    });
  }
  double work() const override { return 3.0 * sizeof(double) * length; }

 private:
  static constexpr std::size_t length = std::size_t{1} << 24;  // 128 MiB each
  static constexpr std::size_t chunks = 64;
  std::vector<double> a_, b_, c_;
  ThreadPool pool_;
};

class Matern final : public LimitProbe {
 public:
  explicit Matern(const JobSizes& sizes)
      : problem_(DataSet::late, std::max<std::size_t>(sizes.n, 1), std::min(sizes.m, most_candidates), sizes.d),
        pass_(problem_.point_rows(), problem_.pool_rows(), problem_.objective_gp.inverse_lengthscales,
              std::vector<double>(problem_.rows(), 1.0)) {}
  void run() override { pass_.run(); }
  double work() const override {
    return static_cast<double>(problem_.rows()) * static_cast<double>(pass_.sums().size());
  }

 private:
  /// A rate needs no more, and the job beside it waits less.
  static constexpr std::size_t most_candidates = 32768;
  Problem problem_;
  MaternPass pass_;
};

/// Work a second of the median run.
double rate_of(LimitProbe& probe) {
  constexpr int repeats = 5;
  probe.run();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(time_of([&] { probe.run(); }).seconds);
  return probe.work() / median(seconds);
}

}  // namespace

std::unique_ptr<LimitProbe> make_cpu_probe(Limit limit, const JobSizes& sizes) {
  switch (limit) {
    case Limit::gemm:
      return std::make_unique<Gemm>();
    case Limit::memory:
      return std::make_unique<Triad>();
    case Limit::matern:
      return std::make_unique<Matern>(sizes);
    default:
      return nullptr;
  }
}

MachineLimits measure_limits(const ProbeMaker& make_probe, const JobSizes& pass_sizes) {
  return {rate_of(*make_probe(Limit::gemm, pass_sizes)), rate_of(*make_probe(Limit::memory, pass_sizes)),
          rate_of(*make_probe(Limit::matern, pass_sizes))};
}

}  // namespace carbo::bench
