#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/candidates.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/field.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/cuda/posterior_pass.hpp"
#include "backend/proof_backend.hpp"
#include "launch/bounds.cuh"
#include "launch/finish.cuh"
#include "launch/posterior.cuh"
#include "launch/responses.cuh"
#include "launch/screen.cuh"
#include "launch/screen_responses.cuh"
#include "launch/search_lists.cuh"
#include "launch/substitution.cuh"

namespace carbo::internal {

class BatchResults;

/// Bounded search on the device; see Search. A pick of one or two candidates is one fixed sequence of launches, in
/// which lists of contenders and their lengths stay on the device, and one wait at its end:
///   ceilings of all (or exact scores, where all is known) with the best of every block
///   → the most promising are finished (in later picks: the best that are), which gives a threshold
///   → who reaches it becomes a contender: variances are tightened and candidates brought up to date, and dropped
///   after each step who no longer reaches the threshold. First those with the highest ceilings, of which the best
///   are finished and raise the threshold, then the others, of whom all that are left are finished.
/// Where the first pass bounds means in low precision, they become exact, and all fantasised points are applied anew,
/// before candidates are finished. Whether it does is decided on the device, by a few candidates. More than two
/// candidates are ranked by the dense pass and a sort.
class CudaSearch final : public BoundedSearch {
 public:
  CudaSearch(std::shared_ptr<const Context> context, const CudaCandidates& candidates, const SearchSetup& setup,
             double ceiling_shift);

  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  std::vector<double> fantasise_all(MatrixView points, std::span<const double> normals) override;
  std::vector<Scored> top(const SearchRequest& request, std::size_t count) override;
  /// One wait for both.
  std::vector<Scored> top_with(const SearchRequest& request, std::size_t count, const kernels::AcquisitionSpec& other,
                               Scored& beside) override;
  /// The whole batch in one sequence with one wait at its end, unless the limit on costs follows the picks: the
  /// caller hears of picks when all are made.
  BatchEnd pick(const BatchRequest& request) override;
  double log_cost(std::size_t) const override { return best_log_cost_; }
  void ceilings(const SearchRequest& request, std::span<double> out) override;
  std::uint64_t available() const override { return candidates_.available(); }
  SearchWork work() const override { return work_; }

 private:
  /// Device tables of one call.
  struct Tables {
    PackedBlock block;
    kernels::BoundView bounds;
    const kernels::PosteriorTask* posteriors = nullptr;
    int posterior_count = 0;
    const kernels::SubstitutionTask* substitutions = nullptr;
    const kernels::SubstitutionTask* cost_substitution = nullptr;
    const kernels::ResponseTask* responses = nullptr;  ///< one a member, then the cost's where its means are ours
    int exact_count = 0;                               ///< of those
    kernels::ScreenList screens;
    const kernels::ScreenChoice* choices = nullptr;
    int choice_count = 0;
    const kernels::SubstitutionTask* sample = nullptr;
  };
  /// A GP in low precision.
  struct ScreenRoom {
    DeviceBuffer<float> rows;                ///< points, then weights
    DeviceBuffer<kernels::FloatPair> pairs;  ///< the same
    DeviceBuffer<double> centre;             ///< one a column
    DeviceBuffer<kernels::ScreenScales> scales;
    DeviceBuffer<float> inverse;  ///< of an objective's: the first rows of L⁻¹
    DeviceBuffer<kernels::FloatVarianceRow> units;
  };
  /// What a request gives that is on the device already; null: as the request and the candidates have it.
  struct OnDevice {
    const double* incumbents = nullptr;
    const std::uint8_t* mask = nullptr;
    const double* round_log_cost = nullptr;
  };
  /// All that the host reads of a search for one or two candidates.
  struct Look {
    kernels::PickRecord kept;  ///< its state alone
    double log_cost;           ///< of the best; −∞ where there is none, or where cost does not enter
  };
  /// A list of contenders, those of like age together, with the room that the next one is written to.
  struct Lists {
    kernels::ListBuffer now;
    kernels::ListBuffer next;
  };

  int members() const { return static_cast<int>(factors_.size()); }
  std::size_t per_member() const { return fantasies_ / factors_.size(); }
  std::size_t fantasised() const { return factors_.front()->fantasised(); }
  std::size_t observed() const { return factors_.front()->observed(); }
  std::size_t size() const { return candidates_.size(); }
  std::size_t blocks() const { return (size() + kernels::bound_block - 1) / kernels::bound_block; }
  /// Means that each member has now.
  std::size_t means() const { return fantasised() == 0 ? 1 : per_member(); }

  void make_buffers();
  void begin_cost(const SearchSetup& setup);
  void take_over_fantasies();
  void check(const SearchRequest& request) const;
  void reserve_squares(std::size_t points);
  /// Σ z² after the points that follow point `first`, on the host and on the device.
  void add_squares(std::size_t first, std::span<const double> normals);
  void spread_means();
  std::vector<kernels::ScoreMember> score_members() const;
  std::vector<kernels::BoundMember> bound_members() const;
  std::vector<kernels::PosteriorTask> posterior_tasks();
  std::vector<kernels::SubstitutionTask> substitution_tasks();
  /// Room and tables of screens; see search_screen.cpp.
  void make_screen_rooms();
  /// Before the tables of a call that may be the first: whether means may be bounded.
  void allow_screens(const SearchRequest& request);
  kernels::PosteriorTask objective_pass(std::size_t member);
  kernels::SubstitutionTask sample_task();
  kernels::ScreenTask screen_task(std::size_t place, const kernels::PosteriorTask& pass);
  std::vector<kernels::ScreenTask> screen_tasks();
  std::vector<kernels::ScreenChoice> screen_choices();
  kernels::LookRules look_rules() const;
  bool screens() const { return screens_objective_ || screens_cost_; }
  kernels::PosteriorTask cost_pass();
  const double* cost_offset() const;
  /// Rows in float32, and the choice.
  void begin_screens(const Tables& tables);
  /// Variances, made of all rows; means become exact, and candidates are brought up to date, where they are bounds.
  void settle(const Tables& tables, const kernels::CandidateList& list);
  /// Rows of the one round of variances in float32; 0 where there is none.
  std::size_t float_variance_rows() const;
  std::vector<kernels::ResponseTask> response_tasks();
  const double* log_costs() const {
    return cost_means_from_ != nullptr ? cost_means_.data() : log_cost_->mean_row(0);
  }
  kernels::ScoreView score_view(const SearchRequest& request) const;
  const CudaFactor& cost_gp() const { return cost_factor_ != nullptr ? *cost_factor_ : *cost_means_from_->factor; }
  void make_tables(const SearchRequest& request, std::size_t horizon, Tables& tables, const OnDevice& given);

  template <class T>
  void clear(T* one) {
    context_->check(cudaMemsetAsync(one, 0, sizeof(T), context_->stream()), "a new pick");
  }
  kernels::CandidateList listed(const kernels::ListBuffer& list) const { return {list.indices, list.count, size()}; }
  kernels::CandidateList everyone() const { return {nullptr, nullptr, size()}; }
  kernels::ListBuffer seed_list() { return {seeds_.data(), counts_.data() + 2}; }
  kernels::BoundOutput bound_output();
  kernels::BestTarget best_target(bool keep, int wanted, double floor);
  /// Ceilings of all and the most promising, with the first pass where there has been none.
  void bound_all(const Tables& tables, const kernels::BestTarget& target);
  /// The first pass where there has been none, and all candidates up to date.
  void begin(const Tables& tables);
  void first_pass(const Tables& tables);
  void refresh(const Tables& tables, const kernels::CandidateList& list);
  void solve(const Tables& tables, const kernels::CandidateList& list, std::size_t rows);
  void solve_cost(const Tables& tables, const kernels::CandidateList& list);
  /// Scores a list exactly and takes its best into the state.
  void finish(const Tables& tables, const kernels::CandidateList& list, int wanted, double floor,
              const kernels::PickTarget& pick = {});
  void settle_seeds(const Tables& tables, int wanted, double floor);
  kernels::ContenderView contenders() const;
  kernels::ContenderCounts list_counts() { return {class_counts_.data(), list_blocks_}; }
  /// A list of all that reach the threshold, or of the highest of them, at least `most` where it is not 0.
  void gather(unsigned most, const kernels::ListBuffer& list);
  /// The same of all candidates, variances tightened and brought up to date. `rows`: what another round would solve.
  Lists narrowed(const Tables& tables, unsigned most, std::size_t& rows);
  /// Narrows the highest down and finishes the best of what is left.
  void settle_highest(const Tables& tables, int wanted, double floor);
  void settle_others(const Tables& tables, int wanted, double floor, const kernels::PickTarget& pick);
  /// `counted`: those that are left are counted by height.
  void drop_below(const Tables& tables, Lists& lists, bool counted = false);
  /// The best one or two candidates into the state and to `pick`, without waiting.
  void enqueue_top(const SearchRequest& request, int wanted, const OnDevice& given,
                   const kernels::PickTarget& pick = {});
  /// The same, with what the host reads of it.
  void enqueue_look(const SearchRequest& request, std::size_t wanted, Look* look);
  /// Takes up what a pick has read back.
  std::vector<Scored> take_result(const kernels::PickState& state, std::size_t wanted);
  /// Forgets fantasised points but for so many, and where there were more all that candidates know of them.
  void keep_fantasies(std::size_t points) noexcept;
  void enqueue_batch(const BatchRequest& request, std::span<const double> normals, BatchResults& results);
  BatchEnd take_batch(const BatchRequest& request, const BatchResults& results, std::size_t& taken);
  std::vector<Scored> rank(const SearchRequest& request, std::size_t count);
  void count_work(const kernels::WorkCounters& work);

  std::shared_ptr<const Context> context_;
  const CudaCandidates& candidates_;
  std::size_t fantasies_;
  std::vector<CudaFactor*> factors_;
  const CudaField* log_cost_ = nullptr;
  const CudaFactor* cost_factor_ = nullptr;         ///< where its variance is computed as needed
  const MeansOnDemand* cost_means_from_ = nullptr;  ///< where its means are, too
  double cost_scale_ = 1;
  Precision precision_;
  double margin_share_;
  double ceiling_shift_;  ///< see ProofBackend
  bool begun_ = false;
  bool seeded_ = false;  ///< whether a pick has finished candidates since the first pass

  DeviceBuffer<double> means_;  ///< fantasies × candidates, those of a member together
  DeviceBuffer<double> bases_;  ///< members × candidates, as the three below
  DeviceBuffer<double> reductions_;
  DeviceBuffer<std::uint32_t> versions_;
  DeviceBuffer<std::uint32_t> solved_;
  DeviceBuffer<double> cost_means_;  ///< where means of the log cost are computed here
  DeviceBuffer<double> cost_bases_;  ///< where the variance of the log cost is computed as needed
  DeviceBuffer<std::uint32_t> cost_solved_;
  std::vector<ScreenRoom> screen_rooms_;  ///< one a member, then the cost's
  /// Whether means of the objective, and of the cost, are bounds at first, and whether variances are by rounds.
  DeviceBuffer<std::uint32_t> screened_;
  DeviceBuffer<std::uint32_t> sample_;  ///< candidates that the precision is chosen by
  bool may_screen_ = false;             ///< whether there is room for it
  bool may_pair_ = false;               ///< and for pairs
  bool screens_objective_ = false;      ///< whether the first pass of now may have bounded its means
  bool screens_cost_ = false;
  SubstitutionRoom room_;
  DeviceBuffer<double> squares_;      ///< (points + 1) × fantasies, see BoundView
  std::vector<double> host_squares_;  ///< the same on the host
  DeviceBuffer<double> values_;       ///< fantasised values of one point
  DeviceBuffer<std::uint8_t> mask_;   ///< of a batch, whose picks leave it one by one
  DeviceBuffer<double> ceilings_;
  DeviceBuffer<std::uint32_t> lists_;   ///< two lists of all candidates
  DeviceBuffer<std::uint64_t> counts_;  ///< of the two lists, of the seeds and of the sample
  DeviceBuffer<std::uint32_t> seeds_;
  DeviceBuffer<std::uint64_t> seed_keys_;     ///< by block
  DeviceBuffer<std::uint32_t> seed_indices_;  ///< by block
  DeviceBuffer<double> block_ceilings_;       ///< by block
  DeviceBuffer<kernels::BestTwo> best_;
  DeviceBuffer<kernels::PickState> state_;
  DeviceBuffer<Look> looks_;          ///< that of `top`, and that beside it
  double best_log_cost_ = -HUGE_VAL;  ///< of the last `top`
  DeviceBuffer<kernels::ChunkRange> range_;
  int list_blocks_ = 1;  ///< of threads that count and compact a list
  DeviceBuffer<std::uint32_t> class_counts_;
  DeviceBuffer<unsigned> progress_;  ///< see BlockProgress
  SearchWork work_;
};

}  // namespace carbo::internal
