#include <algorithm>
#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/jitter_policy.hpp"

namespace carbo::internal {
namespace {

/// Fantasised points that there is room for after the first.
constexpr std::size_t first_room = 64;

}  // namespace

void CudaFactor::make_room(std::size_t points, std::size_t fantasies) {
  const bool enough = points <= fantasised_.room && points * fantasies <= fantasised_.normals.size();
  if (enough) return;
  Fantasised larger;
  larger.room = points <= fantasised_.room ? fantasised_.room : std::max({first_room, points, 2 * fantasised_.room});
  larger.responses = context_->buffer<double>(larger.room * capacity_);
  larger.pivots = context_->buffer<double>(larger.room);
  larger.response_errors = context_->buffer<double>(larger.room);
  larger.normals = context_->buffer<double>(larger.room * fantasies);
  larger.values = context_->buffer<double>(larger.room * fantasies);
  const std::size_t kept = fantasised();
  const auto keep = [&](DeviceBuffer<double>& to, const DeviceBuffer<double>& from, std::size_t per_point) {
    context_->copy_on_device(to.data(), from.data(), kept * per_point);
  };
  keep(larger.responses, fantasised_.responses, capacity_);
  keep(larger.pivots, fantasised_.pivots, 1);
  keep(larger.response_errors, fantasised_.response_errors, 1);
  keep(larger.normals, fantasised_.normals, fantasies_);
  keep(larger.values, fantasised_.values, fantasies_);
  fantasised_ = std::move(larger);
}

kernels::RowTask CudaFactor::fantasy_task(std::size_t fantasies, std::size_t ahead) {
  kernels::RowTask task = row_task(fantasised_.responses.data() + (fantasised() + ahead) * capacity_, fantasy_pivot);
  task.rows += static_cast<int>(ahead);
  task.pivots = fantasised_.pivots.data();
  task.normals = fantasised_.normals.data();
  task.response_errors = fantasised_.response_errors.data();
  task.values = fantasised_.values.data();
  task.fantasies = static_cast<int>(fantasies);
  return task;
}

void CudaFactor::keep_fantasies(std::size_t points) noexcept {
  rows_ = observed_ + points;
  fantasy_normals_.resize(points * fantasies_);
  if (points == 0) fantasies_ = 0;
}

void CudaFactor::drop_fantasies() { keep_fantasies(0); }

std::vector<double> CudaFactor::fantasise(std::span<const double> point, std::span<const double> normals) {
  const DeviceScope scope(*context_);
  auto device_values = context_->buffer<double>(normals.size());
  CudaFactor* const self = this;
  const std::size_t before = fantasised();
  FantasySequence(*context_, std::span(&self, 1), 1, normals, {point.data(), 1, point.size()})
      .enqueue(nullptr, device_values.data());
  try {
    std::vector<double> values(normals.size());
    context_->download<double>(values, device_values.data());
    return values;
  } catch (...) {
    keep_fantasies(before);
    throw;
  }
}

FantasySequence::FantasySequence(const Context& context, std::span<CudaFactor* const> factors, std::size_t points,
                                 std::span<const double> normals, MatrixView given)
    : context_(context),
      factors_(factors.begin(), factors.end()),
      points_(points),
      normals_(normals.begin(), normals.end()) {
  if (points == 0) return;
  check(given);
  fantasies_ = normals.size() / (points * members());
  const std::size_t added = points;
  std::size_t capacity = 0;
  for (const CudaFactor* factor : factors_)
    capacity = std::max(capacity, factor->capacity_for(factor->rows() + added));
  for (CudaFactor* factor : factors_) {
    factor->grow(capacity);
    factor->make_room(factor->fantasised() + added, fantasies_);
    factor->fantasy_normals_.reserve((factor->fantasised() + added) * fantasies_);
  }
  if (factors_.front()->background_.points > 0) priors_ = context_.buffer<double>(members());
  make_tables(given);
}

void FantasySequence::check(MatrixView given) const {
  if (normals_.empty()) throw InvalidOptions("fantasise: at least one normal a member is needed");
  if (normals_.size() % (points_ * members()) != 0)
    throw InvalidOptions("fantasise: " + std::to_string(normals_.size() / points_) + " normals for " +
                         std::to_string(members()) + " members; an equal number of each is needed");
  check_finite(std::span<const double>(given.data, given.rows * given.columns), "fantasise, point");
  check_finite(std::span<const double>(normals_), "fantasise, normals");
  const CudaFactor& first = *factors_.front();
  const std::size_t fantasies = normals_.size() / (points_ * members());
  for (const CudaFactor* factor : factors_) {
    if (given.rows > 0) check_size(given.columns, factor->columns(), "fantasise, coordinates");
    check_size(factor->rows(), first.rows(), "fantasise, rows of a member");
    if (factor->fantasised() > 0) check_size(fantasies, factor->fantasies(), "fantasise, normals a member");
  }
}

void FantasySequence::make_tables(MatrixView given) {
  std::vector<kernels::RowTask> tasks;
  std::vector<const double*> lowers;
  for (std::size_t k = 0; k < points_; ++k) {
    for (std::size_t m = 0; m < members(); ++m) {
      tasks.push_back(factors_[m]->fantasy_task(fantasies_, k));
      if (factors_[m]->background_.points > 0) tasks.back().prior = priors_.data() + m;
      columns_.push_back(tasks.back().column);
    }
  }
  for (std::size_t m = 0; m < members(); ++m) lowers.push_back(tasks[m].lower);
  tasks_at_ = block_.add<kernels::RowTask>(tasks);
  lowers_at_ = block_.add<const double*>(lowers);
  columns_at_ = block_.add<double*>(columns_);
  given_at_ = block_.add(std::span<const double>(given.data, given.rows * given.columns));
  normals_at_ = block_.add<double>(normals_);
  block_.upload(context_);
}

void FantasySequence::solve(cublasOperation_t operation) {
  const CudaFactor& first = *factors_.front();
  const std::size_t stride = first.capacity_;
  double* const* const columns = columns_.data() + next_ * members();
  if (members() == 1) return first.solve(operation, first.rows(), *columns, 1, stride);
  const double one = 1.0;
  context_.check(
      cublasDtrsmBatched(context_.blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, operation, CUBLAS_DIAG_NON_UNIT,
                         static_cast<int>(first.rows()), 1, &one, block_.at<const double*>(lowers_at_),
                         static_cast<int>(stride), block_.at<double*>(columns_at_) + next_ * members(),
                         static_cast<int>(stride), static_cast<int>(members())),
      "cublasDtrsmBatched");
}

void FantasySequence::enqueue(const double* point, double* values, const kernels::IncumbentTarget& incumbents) {
  const cudaStream_t stream = context_.stream();
  const CudaFactor& first = *factors_.front();
  const int count = static_cast<int>(members());
  const auto* tasks = block_.at<const kernels::RowTask>(tasks_at_) + next_ * members();
  const std::size_t all = fantasies_ * members();
  if (point == nullptr) point = block_.at<const double>(given_at_) + next_ * first.columns();
  for (std::size_t m = 0; m < members(); ++m)
    if (factors_[m]->background_.points > 0) factors_[m]->enqueue_prior(point, 1, priors_.data() + m);
  context_.check(kernels::launch_row_covariances(stream, tasks, count, static_cast<int>(first.rows()), point),
                 "covariances with a fantasised point");
  solve(CUBLAS_OP_N);
  context_.check(kernels::launch_fantasise_rows(stream, tasks, count,
                                                block_.at<const double>(normals_at_) + next_ * all, values),
                 "fantasising a point");
  solve(CUBLAS_OP_T);
  context_.check(kernels::launch_finish_responses(stream, tasks, count, incumbents),
                 "responses to a fantasised point");
  for (std::size_t m = 0; m < members(); ++m) {
    CudaFactor& factor = *factors_[m];
    const auto own = normals_.begin() + static_cast<std::ptrdiff_t>(next_ * all + m * fantasies_);
    factor.fantasy_normals_.insert(factor.fantasy_normals_.end(), own, own + static_cast<std::ptrdiff_t>(fantasies_));
    ++factor.rows_;
    factor.fantasies_ = fantasies_;
  }
  ++next_;
}

}  // namespace carbo::internal
