#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/candidates.hpp"
#include "backend/cpu/lazy_field.hpp"
#include "backend/cpu/score.hpp"
#include "backend/cpu/score_ceiling.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/proof_backend.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// A candidate with an upper bound on its score in place of it.
using Contender = Scored;

/// Order of work: highest ceiling first, then lowest index.
inline bool higher(const Contender& a, const Contender& b) {
  return a.score != b.score ? a.score > b.score : a.index < b.index;
}

/// Brings the `count` highest to the front, in no order.
inline void select_highest(std::vector<Contender>& contenders, std::size_t count) {
  if (count >= contenders.size()) return;
  std::nth_element(contenders.begin(), contenders.begin() + static_cast<std::ptrdiff_t>(count), contenders.end(),
                   higher);
}

/// The best so far, best first; ties go to the lowest index.
class Ranking {
 public:
  Ranking(std::size_t count, double floor) : count_(count), floor_(floor) {}
  /// NaN and −∞ from candidates without a score are offered, too; NaN is passed over.
  void offer(std::size_t index, double score);
  /// Whoever is certainly below this cannot enter.
  double threshold() const;
  bool full() const { return best_.size() == count_; }
  std::vector<Scored> take() { return std::move(best_); }

 private:
  std::size_t count_;
  double floor_;
  std::vector<Scored> best_;
};

/// Bounded search on the host; see Search. The first pass computes every mean, or bounds it from below in float32,
/// and bounds every variance. A call of `top` then settles the candidates whose ceiling reaches the threshold,
/// highest first: brings them up to date with fantasised points, solves more rows of their variance, and scores those
/// that are left exactly.
class CpuSearch final : public BoundedSearch {
 public:
  CpuSearch(std::shared_ptr<ThreadPool> pool, ScratchPool& scratch, const CpuCandidates& candidates,
            const SearchSetup& setup, double ceiling_shift);

  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  std::vector<double> fantasise_all(MatrixView points, std::span<const double> normals) override;
  std::vector<Scored> top(const SearchRequest& request, std::size_t count) override;
  std::vector<Scored> top_with(const SearchRequest& request, std::size_t count, const kernels::AcquisitionSpec& other,
                               Scored& beside) override;
  void ceilings(const SearchRequest& request, std::span<double> out) override;
  double log_cost(std::size_t best) const override;
  std::uint64_t available() const override { return candidates_.available(); }
  SearchWork work() const override { return work_; }

 private:
  ScoreRequest score_request(const SearchRequest& request) const;
  std::size_t fantasised() const { return factors_.front()->fantasised(); }
  bool finished(std::size_t candidate) const;
  /// Counts in the fantasised points that the factors came with.
  void take_over_fantasies();
  /// The first pass over all candidates, before the first pick.
  void begin(const SearchRequest& request, const ScoreRequest& scores);
  void sweep_panel(std::size_t panel, bool dense);
  void bring_up_to_date(std::size_t panel);
  /// Whether bounds rule out too few for the first pass to pay, by scoring a few panels exactly.
  bool dense_is_cheaper(const ScoreRequest& request, std::size_t picks_ahead);
  CeilingContext ceiling_context(const ScoreRequest& request) const {
    return {request, fields_, norms_, versions_, cost_.get(), ceiling_shift_};
  }
  void begin_cost(const GpFactor* factor);
  void choose_precision(const ScoreRequest& request);
  void set_precision(Precision objective, Precision cost);
  bool ceilings_hold(const SearchRequest& request) const;
  /// Bounds reach as far ahead as normals are known from now on.
  void look_ahead(const SearchRequest& request);
  /// Ceilings of all that are available, those below `cut` perhaps loose ones; −∞ for others and in the padding.
  std::vector<double> all_ceilings(const ScoreRequest& request, Until until, double cut) const;
  /// These hold until the horizon.
  void keep_ceilings(const SearchRequest& request, std::vector<double> ceilings);
  /// Those that may be picked and reach the threshold, by the kept ceilings and by those of now.
  std::vector<Contender> reaching(const ScoreRequest& request, double threshold) const;
  /// Finished candidates of earlier picks, and the two most promising of every panel.
  std::vector<Contender> known_seeds(const ScoreRequest& request) const;
  std::vector<Contender> seeds_of_panels(const ScoreRequest& request, std::span<const double> ceilings) const;
  /// Those of the highest ceilings become known where the dense pass finished them: later picks need not look at all
  /// for their first threshold.
  void know_highest(std::span<const double> ceilings);
  /// Scores the best of these, for a first threshold.
  void seed(const ScoreRequest& request, std::vector<Contender> seeds, Ranking& ranking);
  Gathered available_of(std::size_t panel, std::uint32_t* room) const;
  /// Scores exactly whoever of `contenders`, with ceilings of now, could enter the ranking.
  void settle(const ScoreRequest& request, std::vector<Contender> contenders, Ranking& ranking);
  /// Solves more rows for those that miss fantasised points, and drops who no longer reaches the threshold.
  void tighten(const ScoreRequest& request, std::vector<Contender>& contenders, double threshold);
  /// Drops those that no longer reach the threshold, as they can have moved so little since they were up to date.
  void bound_responses(const ScoreRequest& request, std::vector<Contender>& contenders, double threshold);
  void refresh(std::span<const Contender> contenders);
  void refine(const ScoreRequest& request, std::vector<Contender>& contenders, Ranking& ranking);
  void solve(std::span<const Contender> contenders, std::size_t rows);
  void finish(const ScoreRequest& request, std::span<const Contender> contenders, Ranking& ranking);
  /// `cut`: as in ceilings_of.
  void update_ceilings(const ScoreRequest& request, std::span<Contender> contenders, double cut) const;
  std::vector<Gathered> groups_of_like_age(Gathered stale, std::size_t most) const;
  /// Candidates that a thread takes at once, so that all have work.
  std::size_t lanes_per_thread(std::size_t candidates) const;
  template <class Body>
  void for_each_gathered(std::span<const std::uint32_t> candidates, const Body& body) const;

  std::shared_ptr<ThreadPool> pool_;
  ScratchPool& scratch_;
  const CpuCandidates& candidates_;
  SearchSetup setup_;
  double ceiling_shift_;  ///< see ProofBackend
  std::vector<CpuFactor*> factors_;
  std::vector<std::unique_ptr<LazyField>> fields_;
  std::unique_ptr<LazyField> cost_;  ///< where the log cost, or its variance, is computed as needed
  bool computes_cost_ = false;       ///< its means, too
  std::vector<Member> members_;
  NormTable norms_;
  std::vector<std::uint32_t> versions_;  ///< fantasised points that a candidate has seen
  std::vector<std::uint32_t> known_;     ///< finished candidates of earlier picks
  std::vector<double> ceilings_;         ///< of the last sweep, which hold until its horizon; padded
  kernels::AcquisitionSpec swept_acquisition_;
  std::vector<double> swept_incumbents_;
  bool begun_ = false;
  std::size_t picks_left_ = 0;  ///< of the batch, after this one
  bool apply_at_once_ = false;  ///< fantasised points that the factors came with, in the first pass
  std::size_t bounded_ = 0;     ///< times that a candidate's responses were bounded
  std::size_t dropped_ = 0;     ///< of them, that it was dropped for it
  SearchWork work_;
};

}  // namespace carbo::internal
