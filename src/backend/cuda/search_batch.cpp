#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/checks.hpp"
#include "backend/cuda/search.hpp"
#include "launch/batch_steps.cuh"

namespace carbo::internal {

/// What a batch writes on the device and reads back in one copy: a record a pick and one for what was looked for
/// beside the first, the coordinates of every pick, the lowest values of every fantasy.
class BatchResults {
 public:
  BatchResults(const Context& context, std::size_t picks, std::size_t columns, std::size_t fantasies)
      : context_(context),
        columns_(columns),
        fantasies_(fantasies),
        points_at_((picks + 1) * sizeof(kernels::PickRecord)),
        lowest_at_(points_at_ + picks * columns * sizeof(double)),
        host_(lowest_at_ + fantasies * sizeof(double)),
        device_(context.buffer<std::byte>(host_.size())) {}

  /// On the device; record 0 is that beside, pick k has record k + 1.
  kernels::PickRecord* records() { return reinterpret_cast<kernels::PickRecord*>(device_.data()); }
  double* point(std::size_t pick) { return reinterpret_cast<double*>(device_.data() + points_at_) + pick * columns_; }
  double* lowest() { return reinterpret_cast<double*>(device_.data() + lowest_at_); }

  void clear() {
    context_.check(cudaMemsetAsync(device_.data(), 0, device_.size(), context_.stream()), "a new batch");
  }
  /// Waits for the device; what follows is on the host.
  void read() { context_.download(std::span<std::byte>(host_), device_.data()); }
  kernels::PickRecord read_record(std::size_t i) const {
    kernels::PickRecord record;
    std::memcpy(&record, host_.data() + i * sizeof record, sizeof record);
    return record;
  }
  std::vector<double> read_point(std::size_t pick) const {
    return numbers(points_at_ + pick * columns_ * sizeof(double), columns_);
  }
  std::vector<double> read_lowest() const { return numbers(lowest_at_, fantasies_); }

 private:
  std::vector<double> numbers(std::size_t at, std::size_t count) const {
    std::vector<double> values(count);
    std::memcpy(values.data(), host_.data() + at, count * sizeof(double));
    return values;
  }

  const Context& context_;
  std::size_t columns_;
  std::size_t fantasies_;
  std::size_t points_at_;
  std::size_t lowest_at_;
  std::vector<std::byte> host_;
  DeviceBuffer<std::byte> device_;
};

namespace {

/// Whether the first pick of a batch is followed by a look under another acquisition.
bool looks_apart(const BatchRequest& request) { return request.beside && *request.beside != request.acquisition; }

std::size_t wanted_of(const BatchRequest& request) { return request.with_runner_up ? 2 : 1; }

std::vector<double> normals_of(const BatchRequest& request, std::size_t points) {
  std::vector<double> normals;
  for (std::size_t k = 0; k < points; ++k) {
    const std::vector<double> own = request.normals(k);
    normals.insert(normals.end(), own.begin(), own.end());
  }
  return normals;
}

}  // namespace

std::vector<Scored> CudaSearch::top_with(const SearchRequest& request, std::size_t count,
                                         const kernels::AcquisitionSpec& other, Scored& beside) {
  if (count == 0 || count > 2) return Search::top_with(request, count, other, beside);
  const DeviceScope scope(*context_);
  check(request);
  check_acquisition(other);
  enqueue_look(request, count, looks_.data());
  enqueue_look(request.under(other), 1, looks_.data() + 1);
  Look read[2];
  context_->download(std::span<Look>(read), looks_.data());
  best_log_cost_ = read[0].log_cost;
  std::vector<Scored> best = take_result(read[0].kept.state, count);
  const std::vector<Scored> under_other = take_result(read[1].kept.state, 1);
  beside = under_other.empty() ? Scored{} : under_other.front();
  return best;
}

void CudaSearch::keep_fantasies(std::size_t points) noexcept {
  if (points >= fantasised()) return;
  for (CudaFactor* factor : factors_) factor->keep_fantasies(points);
  begun_ = seeded_ = false;
}

BatchEnd CudaSearch::pick(const BatchRequest& request) {
  if (request.limit.of_next || request.count == 0) return Search::pick(request);
  if (available() == 0) return BatchEnd::exhausted;
  const DeviceScope scope(*context_);
  const std::size_t points = request.count - 1;
  const std::vector<double> normals = normals_of(request, points);
  check_size(normals.size(), points * fantasies_, "fantasise, normals");
  BatchResults results(*context_, request.count, candidates_.columns(), fantasies_);
  const std::size_t before = fantasised();
  std::size_t taken = 0;
  BatchEnd end{};
  try {
    enqueue_batch(request, normals, results);
    results.read();
    end = take_batch(request, results, taken);
  } catch (...) {
    keep_fantasies(before + std::min(taken, points));
    throw;
  }
  keep_fantasies(before + std::min(taken, points));
  return end;
}

void CudaSearch::enqueue_batch(const BatchRequest& request, std::span<const double> normals, BatchResults& results) {
  const bool by_factors = request.incumbents->by_factors();
  const std::span<const double> lowest = request.incumbents->lowest();
  results.clear();
  SearchRequest next;
  next.acquisition = request.acquisition;
  next.log_cost_limit = request.limit.log_cost;
  check_acquisition(next.acquisition);
  reserve_squares(fantasised() + request.count - 1);
  add_squares(fantasised(), normals);
  FantasySequence sequence(*context_, factors_, request.count - 1, normals);
  // Incumbents of the first pick or, by factors, of every one; then what the round lasts.
  auto first = context_->buffer<double>(fantasies_ + 1);
  double* const length = first.data() + fantasies_;
  if (!by_factors) {
    check_incumbents(lowest, factors_.size() * means());
    context_->upload(first.data(), lowest);
    const bool spread = lowest.size() == fantasies_;
    context_->upload<double>(results.lowest(), spread ? std::vector<double>(lowest.begin(), lowest.end())
                                                      : std::vector<double>(fantasies_, lowest.front()));
  }
  context_->copy_on_device(mask_.data(), candidates_.mask(), size());
  for (std::size_t k = 0; k < request.count; ++k) {
    kernels::PickRecord* const record = results.records() + k + 1;
    const bool followed = k > 0 && !by_factors;  // with the point that was fantasised last
    double* const incumbents = followed ? results.lowest() : first.data();
    for (std::size_t m = 0; by_factors && m < factors_.size(); ++m)
      factors_[m]->enqueue_lowest_fitted_mean(incumbents + m * means());
    if (!followed)
      context_->check(kernels::launch_follow_incumbents(
                          context_->stream(),
                          {nullptr, nullptr, incumbents, static_cast<int>(factors_.size() * means()), record}),
                      "what improvement is measured from");
    const bool joins = k > 0 && k < request.together;
    if (k >= request.together) next.acquisition.round_log_cost = -HUGE_VAL;
    if (joins) ++next.acquisition.waiting;
    const auto look = [&](const SearchRequest& under, std::size_t wanted, const kernels::RoundLength& round,
                          std::uint8_t* mask, kernels::PickRecord* to) {
      enqueue_top(under, static_cast<int>(wanted), {incumbents, mask_.data(), joins ? length : nullptr},
                  {candidates_.view(), round, mask, to, results.point(k)});
    };
    if (k == 0 && looks_apart(request)) look(next.under(*request.beside), 1, {}, nullptr, results.records());
    look(next, wanted_of(request),
         {length, log_cost_ == nullptr ? nullptr : log_costs(), k == 0, request.acquisition.round_log_cost},
         request.repeats ? nullptr : mask_.data(), record);
    if (k + 1 == request.count) break;
    if (begun_ && fantasised() == 0) spread_means();
    kernels::IncumbentTarget next_incumbents;
    if (!by_factors)
      next_incumbents = {record, values_.data(), results.lowest(), static_cast<int>(fantasies_), record + 1};
    sequence.enqueue(results.point(k), values_.data(), next_incumbents);
  }
}

BatchEnd CudaSearch::take_batch(const BatchRequest& request, const BatchResults& results, std::size_t& taken) {
  SearchWork before = work_;
  Scored beside;
  if (looks_apart(request)) {
    const std::vector<Scored> found = take_result(results.read_record(0).state, 1);
    if (!found.empty()) beside = found.front();
  }
  BatchEnd end = BatchEnd::complete;
  for (; taken < request.count; ++taken) {
    const kernels::PickRecord record = results.read_record(taken + 1);
    const std::vector<Scored> best = take_result(record.state, wanted_of(request));
    if (best.empty()) {
      end = available() == 0 ? BatchEnd::exhausted : BatchEnd::refused;
      break;
    }
    check_incumbents({&record.incumbent, 1}, 1);
    if (taken == 0 && request.beside && !request.go_on(looks_apart(request) ? beside : best.front()))
      return BatchEnd::stopped;
    const std::vector<double> point = results.read_point(taken);
    PickedRow picked{best.front()};
    picked.incumbent = record.incumbent;
    if (best.size() > 1) picked.runner_up_score = best[1].score;
    picked.available = available();
    picked.finished = work_.finished - before.finished;
    picked.refreshed = work_.refreshed - before.refreshed;
    picked.screened_share = work_.screened_share();
    picked.point = point;
    before = work_;
    request.take(picked);
  }
  if (!request.incumbents->by_factors() && taken > 0 && request.count > 1)
    request.incumbents->add(results.read_lowest());
  return end;
}

}  // namespace carbo::internal
