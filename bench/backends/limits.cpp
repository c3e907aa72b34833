#include "bench/backends/limits.hpp"

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bench/backends/blas.hpp"
#include "bench/support/level_loops.hpp"
#include "bench/support/matern_pass.hpp"
#include "bench/support/problem.hpp"
#include "bench/support/timing.hpp"
#include "support/thread_pool.hpp"

namespace carbo::bench {

namespace {

using internal::ThreadPool;

/// A square product on every thread, by an installed BLAS or else by Eigen.
class Gemm final : public LimitProbe {
 public:
  Gemm() : pool_(0) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    for (std::size_t i = 0; i < pool_.threads(); ++i) {
      Operands& own = operands_.emplace_back();
      for (Matrix* const matrix : {&own.a, &own.b, &own.c}) {
        matrix->resize(size * size);
        std::generate(matrix->begin(), matrix->end(), [&] { return entry(random); });
      }
    }
  }
  void run() override {
    pool_.parallel_for(operands_.size(), [&](std::size_t i) {
      Operands& own = operands_[i];
      product_(own.a.data(), own.b.data(), own.c.data(), size);
    });
  }
  double work() const override { return 2.0 * static_cast<double>(operands_.size() * size * size * size); }

 private:
  using Matrix = std::vector<double>;
  static constexpr std::size_t size = 1152;
  struct Operands {
    Matrix a, b, c;
  };
  decltype(Blas::product) product_ =
      installed_blas().product != nullptr ? installed_blas().product : level_loops().product;
  ThreadPool pool_;
  std::vector<Operands> operands_;
};

/// Multiply-adds that wait for nothing but those of their own chain, on every thread.
class MultiplyAdds final : public LimitProbe {
 public:
  MultiplyAdds() : pool_(0), sums_(pool_.threads()) {}
  void run() override {
    pool_.parallel_for(sums_.size(), [&](std::size_t i) { sums_[i] = loops_.fma(rounds, 0.5); });
  }
  double work() const override { return 2.0 * static_cast<double>(sums_.size() * rounds * loops_.fma_lanes); }

 private:
  static constexpr std::size_t rounds = 1'000'000;
  const LevelLoops& loops_ = level_loops();
  ThreadPool pool_;
  std::vector<double> sums_;
};

/// a = b + s · c over arrays far larger than the caches. Counts the bytes named, not the lines fetched to be written.
/// Every thread has its own stretch of the arrays and is the first to touch it, so that it lies in memory near by.
class Triad final : public LimitProbe {
 public:
  Triad() : begin_(waiting()), end_(waiting()) {
    const auto count = static_cast<std::size_t>(waiting() - 1);
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back(
          [this, first = length * i / count, last = length * (i + 1) / count] { work_on(first, last); });
    end_.arrive_and_wait();
  }
  ~Triad() override {
    stopping_ = true;
    begin_.arrive_and_wait();
  }
  void run() override {
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
  }
  double work() const override { return 3.0 * sizeof(double) * length; }

 private:
  using Array = std::unique_ptr<double[]>;
  static constexpr std::size_t length = std::size_t{1} << 24;  // 128 MiB each

  /// At a barrier: one thread a core, and the caller.
  static std::ptrdiff_t waiting() { return static_cast<std::ptrdiff_t>(internal::thread_count(0)) + 1; }
  static Array untouched() { return std::make_unique_for_overwrite<double[]>(length); }

  void work_on(std::size_t first, std::size_t last) {
    std::fill(a_.get() + first, a_.get() + last, 0.0);
    std::fill(b_.get() + first, b_.get() + last, 1.0);
    std::fill(c_.get() + first, c_.get() + last, 2.0);
    end_.arrive_and_wait();
    for (begin_.arrive_and_wait(); !stopping_; begin_.arrive_and_wait()) {
      loops_.triad(a_.get() + first, b_.get() + first, c_.get() + first, 3.0, last - first);
      end_.arrive_and_wait();
    }
  }

  const LevelLoops& loops_ = level_loops();
  Array a_ = untouched(), b_ = untouched(), c_ = untouched();
  std::barrier<> begin_, end_;
  bool stopping_ = false;              // written before begin_, read after it
  std::vector<std::jthread> threads_;  // joined before all else goes
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

/// Work a second of the median run; 0 where there is nothing that measures it.
double rate_of(const std::unique_ptr<LimitProbe>& made) {
  if (made == nullptr) return 0;
  LimitProbe& probe = *made;
  constexpr int repeats = 5;
  probe.run();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) seconds.push_back(time_of([&] { probe.run(); }).seconds);
  return probe.work() / replay::median(seconds);
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
    case Limit::fma:
      return std::make_unique<MultiplyAdds>();
    default:
      return nullptr;
  }
}

std::string cpu_gemm_name() { return installed_blas().product != nullptr ? installed_blas().name : "Eigen"; }

MachineLimits measure_limits(const ProbeMaker& make_probe, const JobSizes& pass_sizes) {
  return {.gemm_flops = rate_of(make_probe(Limit::gemm, pass_sizes)),
          .memory_bytes = rate_of(make_probe(Limit::memory, pass_sizes)),
          .matern_entries = rate_of(make_probe(Limit::matern, pass_sizes)),
          .fma_flops = rate_of(make_probe(Limit::fma, pass_sizes))};
}

}  // namespace carbo::bench
