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

/// One right-hand side a factor.
struct Systems {
  const double* const* lowers;  ///< device memory, as is `columns`
  double* const* columns;
  int count;
  int rows;
  int stride;
};

void solve_all(const Context& context, cublasOperation_t operation, const Systems& systems) {
  const double one = 1.0;
  context.check(cublasDtrsmBatched(context.blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, operation,
                                   CUBLAS_DIAG_NON_UNIT, systems.rows, 1, &one, systems.lowers, systems.stride,
                                   systems.columns, systems.stride, systems.count),
                "cublasDtrsmBatched");
}

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

kernels::RowTask CudaFactor::fantasy_task(std::size_t fantasies) {
  kernels::RowTask task = row_task(fantasised_.responses.data() + fantasised() * capacity_, fantasy_pivot);
  task.pivots = fantasised_.pivots.data();
  task.normals = fantasised_.normals.data();
  task.response_errors = fantasised_.response_errors.data();
  task.values = fantasised_.values.data();
  task.fantasies = static_cast<int>(fantasies);
  return task;
}

void CudaFactor::drop_last_fantasy() noexcept {
  --rows_;
  if (rows_ == observed_) fantasies_ = 0;
}

void CudaFactor::drop_fantasies() {
  rows_ = observed_;
  fantasies_ = 0;
}

std::vector<double> CudaFactor::fantasise(std::span<const double> point, std::span<const double> normals) {
  const DeviceScope scope(*context_);
  auto device_values = context_->buffer<double>(normals.size());
  CudaFactor* const self = this;
  enqueue_fantasies(*context_, std::span(&self, 1), point, normals, device_values.data());
  try {
    std::vector<double> values(normals.size());
    context_->download<double>(values, device_values.data());
    return values;
  } catch (...) {
    drop_last_fantasy();
    throw;
  }
}

void enqueue_fantasies(const Context& context, std::span<CudaFactor* const> factors, std::span<const double> point,
                       std::span<const double> normals, double* values) {
  if (normals.empty()) throw InvalidOptions("fantasise: at least one normal a member is needed");
  if (normals.size() % factors.size() != 0)
    throw InvalidOptions("fantasise: " + std::to_string(normals.size()) + " normals for " +
                         std::to_string(factors.size()) + " members; an equal number of each is needed");
  check_finite(point, "fantasise, point");
  check_finite(normals, "fantasise, normals");
  const CudaFactor& first = *factors.front();
  const std::size_t fantasies = normals.size() / factors.size();
  std::size_t capacity = 0;
  for (const CudaFactor* factor : factors) {
    check_size(point.size(), factor->columns(), "fantasise, coordinates");
    check_size(factor->rows(), first.rows(), "fantasise, rows of a member");
    if (factor->fantasised() > 0) check_size(fantasies, factor->fantasies(), "fantasise, normals a member");
    capacity = std::max(capacity, factor->capacity_for(factor->rows() + 1));
  }

  auto priors = context.buffer<double>(first.background_.points > 0 ? factors.size() : 0);
  std::vector<kernels::RowTask> tasks;
  std::vector<const double*> lowers;
  std::vector<double*> columns;
  for (CudaFactor* factor : factors) {
    factor->grow(capacity);
    factor->make_room(factor->fantasised() + 1, fantasies);
    tasks.push_back(factor->fantasy_task(fantasies));
    if (factor->background_.points > 0) tasks.back().prior = priors.data() + (tasks.size() - 1);
    lowers.push_back(tasks.back().lower);
    columns.push_back(tasks.back().column);
  }
  PackedBlock block;
  const std::size_t tasks_at = block.add<kernels::RowTask>(tasks);
  const std::size_t lowers_at = block.add<const double*>(lowers);
  const std::size_t columns_at = block.add<double*>(columns);
  const std::size_t point_at = block.add(point);
  const std::size_t normals_at = block.add(normals);
  block.upload(context);

  for (std::size_t i = 0; i < factors.size(); ++i)
    if (tasks[i].prior != nullptr) factors[i]->enqueue_prior(block.at<const double>(point_at), 1, priors.data() + i);
  const int count = static_cast<int>(factors.size());
  const int rows = static_cast<int>(first.rows());
  const auto* device_tasks = block.at<const kernels::RowTask>(tasks_at);
  const Systems systems{block.at<const double*>(lowers_at), block.at<double*>(columns_at), count, rows,
                        static_cast<int>(capacity)};
  const auto solve = [&](cublasOperation_t operation) {
    if (count > 1) return solve_all(context, operation, systems);
    first.solve(operation, first.rows(), columns.front(), 1, capacity);
  };
  context.check(
      kernels::launch_row_covariances(context.stream(), device_tasks, count, rows, block.at<const double>(point_at)),
      "covariances with a fantasised point");
  solve(CUBLAS_OP_N);
  context.check(kernels::launch_fantasise_rows(context.stream(), device_tasks, count,
                                               block.at<const double>(normals_at), values),
                "fantasising a point");
  solve(CUBLAS_OP_T);
  context.check(kernels::launch_finish_responses(context.stream(), device_tasks, count),
                "responses to a fantasised point");
  for (CudaFactor* factor : factors) {
    ++factor->rows_;
    factor->fantasies_ = fantasies;
  }
}

}  // namespace carbo::internal
