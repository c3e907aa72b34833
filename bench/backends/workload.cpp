#include "bench/backends/workload.hpp"

#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/backends/learning.hpp"
#include "bench/support/problem.hpp"
#include "bench/support/scene.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

/// What jobs over a pool have in common.
class PoolWorkload : public Workload {
 public:
  PoolWorkload(const JobSizes& sizes, const BackendOptions& backend)
      : sizes_(sizes),
        problem_(DataSet::late, sizes.n, sizes.m, sizes.d),
        scene_(problem_, {.backend = backend, .fantasies = sizes.fantasies, .batched = sizes.batched}) {}

 protected:
  /// `picks`: that the work was done for.
  PickShares shares_of(const SearchWork& work, std::size_t picks) const {
    const auto m = static_cast<double>(sizes_.m);
    const auto count = static_cast<double>(picks);
    const double later = count > 1 ? count - 1 : 1;  // nothing is stale at the first
    return {.finished = static_cast<double>(work.finished) / (m * count),
            .refreshed = static_cast<double>(work.refreshed) / (m * later),
            .rows = work.rows / count,
            .screened = static_cast<double>(work.screened) / m};
  }

  JobSizes sizes_;
  Problem problem_;
  Scene scene_;
};

class Dense final : public PoolWorkload {
 public:
  using PoolWorkload::PoolWorkload;
  void run() override {
    const auto objective = scene_.backend().sweep(scene_.objective_factor(), scene_.candidates(), true);
    const auto log_cost = scene_.log_cost_field();
    if (scene_.dense_scores(*objective, *log_cost).size() != sizes_.m) throw std::logic_error("scores are missing");
  }
};

class OnePick final : public PoolWorkload {
 public:
  using PoolWorkload::PoolWorkload;
  void run() override { work_ = scene_.one_pick().work; }
  std::optional<PickShares> shares() const override { return shares_of(work_, 1); }

 private:
  SearchWork work_;
};

class Batch final : public PoolWorkload {
 public:
  using PoolWorkload::PoolWorkload;
  void prepare() override { scene_.renew_candidates(); }
  void run() override { work_ = scene_.batch(sizes_.b).work; }
  std::optional<PickShares> shares() const override { return shares_of(work_, sizes_.b); }

 private:
  SearchWork work_;
};

class Append final : public PoolWorkload {
 public:
  Append(const JobSizes& sizes, const BackendOptions& backend)
      : PoolWorkload(sizes, backend), normals_(fantasy_normals(0, 1, sizes.fantasies)) {}
  /// The field keeps what earlier runs added, which costs the same.
  void prepare() override {
    scene_.objective_factor().drop_fantasies();
    if (field_ == nullptr) field_ = scene_.backend().sweep(scene_.objective_factor(), scene_.candidates(), true);
  }
  void run() override {
    const Member member{&scene_.objective_factor(), field_.get()};
    scene_.backend().fantasise({&member, 1}, scene_.candidates(), problem_.pool_rows().row(0), normals_);
    static_cast<void>(field_->variance(sizes_.m - 1));  // waits for the pass over all candidates
  }

 private:
  std::vector<double> normals_;
  std::unique_ptr<Field> field_;
};

/// Log costs that do not depend on the candidates, so that a race is hard.
class Design final : public Workload {
 public:
  Design(const JobSizes& sizes, const BackendOptions& options)
      : problem_(DataSet::spread, design_points, sizes.m, sizes.d), backend_(make_backend(options)) {
    renew();
    std::vector<double> log_costs(sizes.m);
    for (std::size_t i = 0; i < sizes.m; ++i) log_costs[i] = scattered(i);
    log_cost_ = backend_->make_field(log_costs, {});
  }
  /// Each run takes a candidate out; where many are, all come back, so that every run races over about m.
  void prepare() override {
    if (excluded_ > problem_.candidates() / 16) renew();
  }
  void run() override {
    candidates_->add_design_point(problem_.pool_rows().row(next_));
    next_ = backend_->race(*candidates_, *log_cost_, std::numeric_limits<double>::infinity());
    if (next_ == Scored::none) throw std::logic_error("design: a race without a winner");
    candidates_->exclude(next_);
    ++excluded_;
  }

 private:
  static constexpr std::size_t design_points = 20;
  void renew() {
    candidates_ = backend_->make_candidates(problem_.pool_rows());
    candidates_->set_design(problem_.point_rows());
    excluded_ = next_ = 0;
  }
  /// In [0, 1), without a pattern that the pool shares.
  static double scattered(std::size_t i) {
    const double turns = static_cast<double>(i) * 0.6180339887498949;
    return turns - static_cast<double>(static_cast<std::size_t>(turns));
  }

  Problem problem_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<CandidateSet> candidates_;
  std::unique_ptr<Field> log_cost_;
  std::size_t next_ = 0;
  std::size_t excluded_ = 0;  ///< since the candidates were made
};

}  // namespace

std::unique_ptr<Workload> make_workload(const Case& c, const BackendOptions& backend) {
  switch (c.job) {
    case Job::fit:
      return make_fit_workload(c, backend);
    case Job::suggest:
      return make_suggest_workload(c, backend);
    case Job::dense:
      return std::make_unique<Dense>(c.sizes, backend);
    case Job::pick:
      return std::make_unique<OnePick>(c.sizes, backend);
    case Job::batch:
      return std::make_unique<Batch>(c.sizes, backend);
    case Job::append:
      return std::make_unique<Append>(c.sizes, backend);
    case Job::design:
      return std::make_unique<Design>(c.sizes, backend);
  }
  throw std::logic_error("a job without a workload");
}

}  // namespace carbo::bench
