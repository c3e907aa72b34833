#include "backend/cuda/search.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/ranking.hpp"
#include "backend/cuda/search_rounds.hpp"

namespace carbo::internal {
namespace {

/// Candidates that are finished before a threshold is known: in the first pick, and in later ones.
constexpr int first_seeds = 256;
constexpr int later_seeds = 64;
/// Contenders with the highest ceilings that are settled before the others, so that these meet a higher threshold.
constexpr unsigned first_chunk = 512;
/// Of these, those that are finished at once.
constexpr unsigned finished_first = 64;

}  // namespace

void CudaSearch::check(const SearchRequest& request) const {
  check_incumbents(request.incumbents, factors_.size() * means());
  check_acquisition(request.acquisition);
  check_normals_ahead(request.normals_ahead, fantasies_);
}

std::vector<double> CudaSearch::fantasise(std::span<const double> point, std::span<const double> normals) {
  return fantasise_all({point.data(), 1, point.size()}, normals);
}

std::vector<double> CudaSearch::fantasise_all(MatrixView points, std::span<const double> normals) {
  const DeviceScope scope(*context_);
  check_size(normals.size(), points.rows * fantasies_, "fantasise, normals");
  if (points.rows == 0) return {};
  check_size(points.columns, candidates_.columns(), "fantasise, coordinates");
  check_finite(points, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  const std::size_t before = fantasised();
  reserve_squares(before + points.rows);
  if (begun_ && before == 0) spread_means();
  add_squares(before, normals);
  auto values = context_->buffer<double>(normals.size());
  FantasySequence sequence(*context_, factors_, points.rows, normals, points);
  std::vector<double> read(normals.size());
  try {
    for (std::size_t i = 0; i < points.rows; ++i) sequence.enqueue(nullptr, values.data() + i * fantasies_);
    context_->download(std::span<double>(read), values.data());
  } catch (...) {
    for (CudaFactor* factor : factors_) factor->keep_fantasies(before);
    throw;
  }
  return read;
}

std::vector<Scored> CudaSearch::top(const SearchRequest& request, std::size_t count) {
  const DeviceScope scope(*context_);
  check(request);
  if (count == 0) return {};
  if (count > 2) return rank(request, count);
  enqueue_look(request, count, looks_.data());
  const Look look = context_->download_one(looks_.data());
  best_log_cost_ = look.log_cost;
  return take_result(look.kept.state, count);
}

void CudaSearch::enqueue_look(const SearchRequest& request, std::size_t wanted, Look* look) {
  clear(look);
  const double* const log_costs = log_cost_ == nullptr ? nullptr : this->log_costs();
  enqueue_top(request, static_cast<int>(wanted), {},
              {candidates_.view(), {&look->log_cost, log_costs, true, -HUGE_VAL}, nullptr, &look->kept, nullptr});
}

void CudaSearch::enqueue_top(const SearchRequest& request, int wanted, const OnDevice& given,
                             const kernels::PickTarget& pick) {
  Tables tables;
  allow_screens(request);
  make_tables(request, fantasised(), tables, given);
  clear(state_.data());
  bound_all(tables, best_target(false, wanted, request.floor));
  settle_seeds(tables, wanted, request.floor);
  if (size() > first_chunk) settle_highest(tables, wanted, request.floor);
  settle_others(tables, wanted, request.floor, pick);
  seeded_ = true;
}

void CudaSearch::bound_all(const Tables& tables, const kernels::BestTarget& target) {
  begin(tables);
  const kernels::SeedTarget seeds{fantasised() == 0 ? first_seeds : later_seeds, seed_list(),
                                  &range_.data()->highest};
  context_->check(kernels::launch_bounds(context_->stream(), tables.bounds, size(), bound_output(), target, seeds),
                  "ceilings of all candidates");
}

void CudaSearch::begin(const Tables& tables) {
  if (begun_) return;
  first_pass(tables);
  if (fantasised() > 0) {
    spread_means();
    refresh(tables, everyone());
  }
  work_.means += (factors_.size() + (cost_means_from_ != nullptr ? 1 : 0)) * size();
  begun_ = true;
}

void CudaSearch::first_pass(const Tables& tables) {
  const cudaStream_t stream = context_->stream();
  const auto clear_all = [&](auto& buffer) {
    context_->check(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(*buffer.data()), stream),
                    "clearing the posterior");
  };
  clear_all(reductions_);
  clear_all(versions_);
  begin_screens(tables);
  context_->check(kernels::launch_posterior(stream, candidates_.view(), tables.posteriors, tables.posterior_count,
                                            tables.screens),
                  "the first pass");
}

kernels::BestTarget CudaSearch::best_target(bool keep, int wanted, double floor) {
  return {kernels::block_progress(progress_.data()).arrived, keep, wanted, floor, state_.data()};
}

kernels::BoundOutput CudaSearch::bound_output() {
  return {ceilings_.data(), seed_keys_.data(), seed_indices_.data(), best_.data(), block_ceilings_.data()};
}

void CudaSearch::finish(const Tables& tables, const kernels::CandidateList& list, int wanted, double floor,
                        const kernels::PickTarget& pick) {
  settle(tables, list);
  solve_cost(tables, list);
  context_->check(kernels::launch_list_scores(context_->stream(), tables.bounds.score, list, room_.resident(),
                                              ceilings_.data(), best_.data(), best_target(true, wanted, floor), pick),
                  "exact scores");
}

void CudaSearch::settle_seeds(const Tables& tables, int wanted, double floor) {
  if (!screens()) refresh(tables, listed(seed_list()));  // else they are, with their means
  finish(tables, listed(seed_list()), wanted, floor);
}

kernels::ContenderView CudaSearch::contenders() const {
  return {ceilings_.data(), state_.data(), versions_.data(), static_cast<std::uint32_t>(fantasised())};
}

void CudaSearch::gather(unsigned most, const kernels::ListBuffer& list) {
  const cudaStream_t stream = context_->stream();
  const kernels::CandidateList from = everyone();
  kernels::ChunkRange* const range = most == 0 ? nullptr : range_.data();
  if (range != nullptr) {
    clear(&range->bins);
    context_->check(kernels::launch_chunk_histogram(stream, from, contenders(), range, list_blocks_),
                    "ceilings by height");
  }
  context_->check(kernels::launch_count_contenders(stream, from, contenders(), range, most, list_counts()),
                  "who reaches the threshold");
  context_->check(kernels::launch_compact(stream, from, contenders(), range, list_counts(), list), "the contenders");
}

void CudaSearch::drop_below(const Tables& tables, Lists& lists, bool counted) {
  const kernels::CandidateList now = listed(lists.now);
  if (counted) clear(&range_.data()->bins);
  context_->check(kernels::launch_list_bounds(context_->stream(), tables.bounds, now, contenders(), ceilings_.data(),
                                              kernels::block_progress(progress_.data()), list_blocks_,
                                              counted ? range_.data() : nullptr, lists.next),
                  "the contenders that are left");
  std::swap(lists.now, lists.next);
}

CudaSearch::Lists CudaSearch::narrowed(const Tables& tables, unsigned most, std::size_t& rows) {
  Lists lists{{lists_.data(), counts_.data()}, {lists_.data() + size(), counts_.data() + 1}};
  gather(most, lists.now);
  const bool counted = most != 0, refreshes = fantasised() > 0;
  rows = float_variance_rows();
  if (rows == 0) rows = first_round_rows(observed());
  for (; tightens(rows, observed()); rows *= 2) {
    solve(tables, listed(lists.now), rows);
    drop_below(tables, lists, counted && !refreshes && !tightens(2 * rows, observed()));
  }
  if (refreshes) {
    refresh(tables, listed(lists.now));
    drop_below(tables, lists, counted);
  }
  return lists;
}

void CudaSearch::settle_highest(const Tables& tables, int wanted, double floor) {
  std::size_t rows = 0;
  const Lists lists = narrowed(tables, first_chunk, rows);
  context_->check(kernels::launch_compact_highest(context_->stream(), listed(lists.now), contenders(), range_.data(),
                                                  finished_first, kernels::block_progress(progress_.data()),
                                                  list_blocks_, lists.next),
                  "the highest of the contenders");
  finish(tables, listed(lists.next), wanted, floor);
}

void CudaSearch::settle_others(const Tables& tables, int wanted, double floor, const kernels::PickTarget& pick) {
  std::size_t rows = 0;
  Lists lists = narrowed(tables, 0, rows);
  for (; rounds_below * rows < observed(); rows *= round_growth) {
    solve(tables, listed(lists.now), rows);
    drop_below(tables, lists);
  }
  finish(tables, listed(lists.now), wanted, floor, pick);
}

std::vector<Scored> CudaSearch::take_result(const kernels::PickState& state, std::size_t wanted) {
  count_work(state.work);
  std::vector<Scored> best;
  for (std::size_t i = 0; i < wanted; ++i)
    if (state.best.index[i] != kernels::no_candidate) best.push_back({state.best.index[i], state.best.score[i]});
  return best;
}

void CudaSearch::count_work(const kernels::WorkCounters& work) {
  const std::size_t each = factors_.size();
  const double rows = static_cast<double>(observed());
  work_.finished += work.finished / each;
  work_.refreshed += work.refreshed / each;
  work_.screened += work.screened;
  work_.rows += static_cast<double>(work.rows) / (rows * rows * static_cast<double>(size() * each));
  ++work_.sweeps;
}

std::vector<Scored> CudaSearch::rank(const SearchRequest& request, std::size_t count) {
  Tables tables;
  if (!begun_) screens_objective_ = screens_cost_ = false;
  make_tables(request, fantasised(), tables, {});
  clear(state_.data());
  begin(tables);
  refresh(tables, everyone());
  settle(tables, everyone());
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
  allow_screens(request);
  make_tables(request, fantasised() + ahead, tables, {});
  begin(tables);
  context_->check(kernels::launch_ceilings(context_->stream(), tables.bounds, size(), ceilings_.data()),
                  "ceilings of all candidates");
  context_->download(out, ceilings_.data());
}

}  // namespace carbo::internal
