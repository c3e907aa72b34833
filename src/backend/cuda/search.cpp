#include "backend/cuda/search.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/ranking.hpp"
#include "launch/sorting.cuh"

namespace carbo::internal {
namespace {

/// Candidates that are finished before a threshold is known: in the first pick, and in later ones.
constexpr int first_seeds = 256;
constexpr int later_seeds = 64;
/// Rows of the first round that drops contenders; each later one has `round_growth` times as many.
constexpr std::size_t first_round_rows = 128;
constexpr std::size_t round_growth = 4;
/// A round must cost less than this share of finishing.
constexpr std::size_t rounds_below = 3;

}  // namespace

void CudaSearch::check(const SearchRequest& request) const {
  check_incumbents(request.incumbents, factors_.size() * means());
  check_acquisition(request.acquisition);
  check_normals_ahead(request.normals_ahead, fantasies_);
}

std::vector<double> CudaSearch::fantasise(std::span<const double> point, std::span<const double> normals) {
  const DeviceScope scope(*context_);
  check_size(normals.size(), fantasies_, "fantasise, normals");
  check_size(point.size(), candidates_.columns(), "fantasise, coordinates");
  check_finite(point, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  reserve_squares(fantasised() + 1);
  if (begun_ && fantasised() == 0) spread_means();
  add_squares(fantasised(), normals);
  enqueue_fantasies(*context_, factors_, point, normals, values_.data());
  std::vector<double> values(fantasies_);
  try {
    context_->download(std::span<double>(values), values_.data());
  } catch (...) {
    for (CudaFactor* factor : factors_) factor->drop_last_fantasy();
    throw;
  }
  return values;
}

std::vector<Scored> CudaSearch::top(const SearchRequest& request, std::size_t count) {
  const DeviceScope scope(*context_);
  check(request);
  if (count == 0) return {};
  Tables tables;
  make_tables(request, fantasised(), tables);
  context_->check(cudaMemsetAsync(state_.data(), 0, sizeof(kernels::PickState), context_->stream()), "a new pick");
  if (count > 2) return rank(tables, request, count);
  const int wanted = static_cast<int>(count);
  bound_all(tables);
  context_->check(kernels::launch_reduce_best(context_->stream(), best_.data(), blocks(), false, wanted,
                                              request.floor, state_.data()),
                  "the best known score");
  settle_seeds(tables, wanted, request.floor);
  settle_contenders(tables, wanted, request.floor);
  std::vector<Scored> best = take_result();
  best.resize(std::min(best.size(), count));
  return best;
}

void CudaSearch::bound_all(const Tables& tables) {
  if (!begun_ && fantasised() == 0) {
    first_pass(tables, true);
    begun_ = true;
    return;
  }
  begin(tables);
  context_->check(kernels::launch_bounds(context_->stream(), tables.bounds, size(), bound_output()),
                  "ceilings of all candidates");
}

void CudaSearch::begin(const Tables& tables) {
  if (begun_) return;
  first_pass(tables, false);
  if (fantasised() > 0) {
    spread_means();
    refresh(tables, everyone());
  }
  begun_ = true;
}

void CudaSearch::first_pass(const Tables& tables, bool with_bounds) {
  const cudaStream_t stream = context_->stream();
  const auto clear = [&](auto& buffer) {
    context_->check(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(*buffer.data()), stream),
                    "clearing the posterior");
  };
  clear(reductions_);
  clear(versions_);
  context_->check(kernels::launch_posterior(stream, candidates_.view(), tables.posteriors, tables.posterior_count,
                                            with_bounds ? &tables.bounds : nullptr,
                                            with_bounds ? bound_output() : kernels::BoundOutput{}),
                  "the first pass");
}

kernels::BoundOutput CudaSearch::bound_output() {
  return {ceilings_.data(), seed_keys_.data(), seed_indices_.data(), best_.data()};
}

void CudaSearch::refresh(const Tables& tables, const kernels::CandidateList& list) {
  context_->check(kernels::launch_responses(context_->stream(), candidates_.view(), list, tables.responses, members(),
                                            room_.resident(), &state_.data()->work),
                  "bringing candidates up to date");
}

void CudaSearch::solve(const Tables& tables, const kernels::CandidateList& list, std::size_t rows) {
  context_->check(
      kernels::launch_substitution(context_->stream(), candidates_.view(), list, tables.substitutions, members(),
                                   static_cast<int>(rows), room_.resident(), room_.workspace(), &state_.data()->work),
      "variances of candidates");
}

void CudaSearch::solve_cost(const Tables& tables, const kernels::CandidateList& list) {
  if (cost_factor_ == nullptr) return;
  context_->check(kernels::launch_substitution(context_->stream(), candidates_.view(), list, tables.cost_substitution,
                                               1, static_cast<int>(cost_factor_->observed()), room_.resident(),
                                               room_.workspace(), nullptr),
                  "variances of the log cost");
}

void CudaSearch::finish(const Tables& tables, const kernels::CandidateList& list, int wanted, double floor) {
  solve(tables, list, observed());
  solve_cost(tables, list);
  context_->check(kernels::launch_list_scores(context_->stream(), tables.bounds.score, list, room_.resident(),
                                              ceilings_.data(), best_.data()),
                  "exact scores");
  context_->check(
      kernels::launch_reduce_best(context_->stream(), best_.data(), static_cast<std::size_t>(room_.resident()), true,
                                  wanted, floor, state_.data()),
      "the best score");
}

void CudaSearch::settle_seeds(const Tables& tables, int wanted, double floor) {
  std::size_t bytes = sort_room_.size();
  context_->check(kernels::sort_by_key(context_->stream(), sort_room_.data(), bytes, seed_keys_.data(),
                                       seed_keys_.data() + blocks(), seed_indices_.data(),
                                       seed_indices_.data() + blocks(), blocks()),
                  "sorting the best of every block");
  const kernels::ListBuffer seeds{seeds_.data(), counts_.data() + 2};
  context_->check(kernels::launch_take_seeds(context_->stream(), seed_indices_.data() + blocks(), blocks(),
                                             fantasised() == 0 ? first_seeds : later_seeds, seeds),
                  "the most promising candidates");
  refresh(tables, listed(seeds));
  finish(tables, listed(seeds), wanted, floor);
}

void CudaSearch::drop_below(const Tables& tables, Lists& lists) {
  context_->check(kernels::launch_list_bounds(context_->stream(), tables.bounds, listed(lists.now), room_.resident(),
                                              ceilings_.data()),
                  "ceilings of contenders");
  context_->check(
      kernels::launch_compact(context_->stream(), listed(lists.now), ceilings_.data(), state_.data(), lists.next),
      "the contenders that are left");
  std::swap(lists.now, lists.next);
}

void CudaSearch::settle_contenders(const Tables& tables, int wanted, double floor) {
  Lists lists{{lists_.data(), counts_.data()}, {lists_.data() + size(), counts_.data() + 1}};
  context_->check(
      kernels::launch_flag_contenders(context_->stream(), ceilings_.data(), size(), state_.data(), flags_.data()),
      "who reaches the threshold");
  std::size_t bytes = select_room_.size();
  context_->check(kernels::select_flagged(context_->stream(), select_room_.data(), bytes, flags_.data(),
                                          lists.now.indices, lists.now.count, size()),
                  "the contenders");
  if (fantasised() > 0) {
    refresh(tables, listed(lists.now));
    drop_below(tables, lists);
  }
  for (std::size_t rows = first_round_rows; rounds_below * rows < observed(); rows *= round_growth) {
    solve(tables, listed(lists.now), rows);
    drop_below(tables, lists);
  }
  finish(tables, listed(lists.now), wanted, floor);
}

std::vector<Scored> CudaSearch::take_result() {
  const kernels::PickState state = context_->download_one(state_.data());
  count_work(state.work);
  std::vector<Scored> best;
  for (int i = 0; i < 2; ++i)
    if (state.best.index[i] != kernels::no_candidate) best.push_back({state.best.index[i], state.best.score[i]});
  return best;
}

void CudaSearch::count_work(const kernels::WorkCounters& work) {
  const std::size_t each = factors_.size();
  const double rows = static_cast<double>(observed());
  work_.finished += work.finished / each;
  work_.refreshed += work.refreshed / each;
  work_.rows += static_cast<double>(work.rows) / (rows * rows * static_cast<double>(size() * each));
  ++work_.sweeps;
}

std::vector<Scored> CudaSearch::rank(const Tables& tables, const SearchRequest& request, std::size_t count) {
  begin(tables);
  refresh(tables, everyone());
  solve(tables, everyone(), observed());
  solve_cost(tables, everyone());
  count_work(context_->download_one(&state_.data()->work));
  std::vector<Scored> ranked = rank_candidates(*context_, tables.bounds.score, size(), count);
  std::erase_if(ranked, [&](const Scored& one) { return one.score < request.floor; });
  return ranked;
}

void CudaSearch::ceilings(const SearchRequest& request, std::span<double> out) {
  const DeviceScope scope(*context_);
  check(request);
  check_size(out.size(), size(), "ceilings, room");
  const std::size_t ahead = request.normals_ahead.size() / fantasies_;
  reserve_squares(fantasised() + ahead);
  add_squares(fantasised(), request.normals_ahead);
  Tables tables;
  make_tables(request, fantasised() + ahead, tables);
  begin(tables);
  context_->check(kernels::launch_ceilings(context_->stream(), tables.bounds, size(), ceilings_.data()),
                  "ceilings of all candidates");
  context_->download(out, ceilings_.data());
}

}  // namespace carbo::internal
