#pragma once

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
#include "launch/posterior.cuh"
#include "launch/responses.cuh"
#include "launch/search_lists.cuh"

namespace carbo::internal {

/// Bounded search on the device; see Search. A pick of one or two candidates is one fixed sequence of launches, in
/// which lists of contenders and their lengths stay on the device, and one wait at its end:
///   ceilings of all (or exact scores, where all is known) with the best of every block
///   → the most promising are finished, which gives a threshold → who reaches it becomes a contender
///   → brought up to date, more rows solved, and dropped in between who no longer reaches it → the rest is scored.
/// More than two candidates are ranked by the dense pass and a sort.
class CudaSearch final : public BoundedSearch {
 public:
  CudaSearch(std::shared_ptr<const Context> context, const CudaCandidates& candidates, const SearchSetup& setup,
             double ceiling_shift);

  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  std::vector<Scored> top(const SearchRequest& request, std::size_t count) override;
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
    const kernels::ResponseTask* responses = nullptr;
  };
  /// A list of contenders with the room that the next one is written to.
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
  std::vector<kernels::ResponseTask> response_tasks();
  kernels::ScoreView score_view(const SearchRequest& request) const;
  void make_tables(const SearchRequest& request, std::size_t horizon, Tables& tables);

  kernels::CandidateList listed(const kernels::ListBuffer& list) const { return {list.indices, list.count, size()}; }
  kernels::CandidateList everyone() const { return {nullptr, nullptr, size()}; }
  kernels::BoundOutput bound_output();
  /// Ceilings of all, with the first pass where there has been none.
  void bound_all(const Tables& tables);
  /// The first pass where there has been none, and all candidates up to date.
  void begin(const Tables& tables);
  void first_pass(const Tables& tables, bool with_bounds);
  void refresh(const Tables& tables, const kernels::CandidateList& list);
  void solve(const Tables& tables, const kernels::CandidateList& list, std::size_t rows);
  void solve_cost(const Tables& tables, const kernels::CandidateList& list);
  /// Scores a list exactly and takes its best into the state.
  void finish(const Tables& tables, const kernels::CandidateList& list, int wanted, double floor);
  void settle_seeds(const Tables& tables, int wanted, double floor);
  void settle_contenders(const Tables& tables, int wanted, double floor);
  void drop_below(const Tables& tables, Lists& lists);
  std::vector<Scored> take_result();
  std::vector<Scored> rank(const Tables& tables, const SearchRequest& request, std::size_t count);
  void count_work(const kernels::WorkCounters& work);

  std::shared_ptr<const Context> context_;
  const CudaCandidates& candidates_;
  std::size_t fantasies_;
  std::vector<CudaFactor*> factors_;
  const CudaField* log_cost_ = nullptr;
  const CudaFactor* cost_factor_ = nullptr;
  double cost_scale_ = 1;
  double ceiling_shift_;  ///< see ProofBackend
  bool begun_ = false;

  DeviceBuffer<double> means_;  ///< fantasies × candidates, those of a member together
  DeviceBuffer<double> bases_;  ///< members × candidates, as the three below
  DeviceBuffer<double> reductions_;
  DeviceBuffer<std::uint32_t> versions_;
  DeviceBuffer<std::uint32_t> solved_;
  DeviceBuffer<double> cost_bases_;  ///< where the variance of the log cost is computed as needed
  DeviceBuffer<std::uint32_t> cost_solved_;
  std::vector<DeviceBuffer<double>> inverse_blocks_;  ///< one a member, then the cost's
  SubstitutionRoom room_;
  DeviceBuffer<double> squares_;      ///< (points + 1) × fantasies, see BoundView
  std::vector<double> host_squares_;  ///< the same on the host
  DeviceBuffer<double> values_;       ///< fantasised values of one point
  DeviceBuffer<double> ceilings_;
  DeviceBuffer<std::uint8_t> flags_;
  DeviceBuffer<std::uint32_t> lists_;   ///< two lists of all candidates
  DeviceBuffer<std::uint64_t> counts_;  ///< of the two lists and of the seeds
  DeviceBuffer<std::uint32_t> seeds_;
  DeviceBuffer<std::uint64_t> seed_keys_;     ///< by block, then sorted
  DeviceBuffer<std::uint32_t> seed_indices_;  ///< by block, then sorted
  DeviceBuffer<kernels::BestTwo> best_;
  DeviceBuffer<kernels::PickState> state_;
  DeviceBuffer<std::byte> sort_room_;
  DeviceBuffer<std::byte> select_room_;
  SearchWork work_;
};

}  // namespace carbo::internal
