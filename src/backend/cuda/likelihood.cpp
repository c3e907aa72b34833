#include "backend/cuda/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "backend/checks.hpp"
#include "backend/jitter_policy.hpp"
#include "backend/likelihood_gradient.hpp"
#include "launch/gram.cuh"
#include "launch/likelihood_steps.cuh"

namespace carbo::internal {
namespace {

template <class T>
T* at(std::byte* base, std::size_t offset) {
  return reinterpret_cast<T*>(base + offset);
}

struct Variances {
  double signal;
  double noise;

  double mean_diagonal() const { return signal + noise; }
};

Variances variances_of(const LikelihoodRequest& request) {
  const std::size_t groups = request.log_parameters.size() - 2;
  return {std::exp(request.log_parameters[groups]), std::exp(request.log_parameters[groups + 1])};
}

/// Writes everything that the host gives for one request into `image`, the host's copy of the workspace's first
/// bytes.
void write_request(const LikelihoodRequest& request, const LikelihoodPlace& place, std::byte* image) {
  std::memcpy(image + place.points, request.points.data,
              request.points.rows * request.points.columns * sizeof(double));
  std::memcpy(image + place.targets, request.targets.data(), request.targets.size_bytes());
  if (!request.counts.empty()) std::memcpy(image + place.counts, request.counts.data(), request.counts.size_bytes());
  auto* inverse = at<double>(image, place.inverse_lengthscales);
  for (const int group : request.column_groups)
    *inverse++ = std::exp(-request.log_parameters[static_cast<std::size_t>(group)]);
}

/// Pointers of the batched calls; see LikelihoodGroup::pointers.
void write_pointers(const LikelihoodChunk& chunk, const LikelihoodGroup& group, std::byte* device, std::byte* image) {
  auto* pointers = at<double*>(image, group.pointers);
  const auto places = std::span(chunk.places).subspan(group.first, group.count);
  for (const LikelihoodPlace& place : places) *pointers++ = at<double>(device, place.factor);
  for (std::size_t first = 0; first < group.rows; first += likelihood_panel) {
    for (const LikelihoodPlace& place : places)
      *pointers++ = at<double>(device, place.factor) + first * (group.stride + 1);
    // The first panel has the two columns of the targets before those of the identity.
    const std::size_t column = first == 0 ? 0 : first + 2;
    for (const LikelihoodPlace& place : places)
      *pointers++ = at<double>(device, place.solved) + column * group.stride + first;
  }
}

int most_columns(std::span<const LikelihoodRequest> requests, const LikelihoodChunk& chunk) {
  std::size_t most = 0;
  for (const LikelihoodPlace& place : chunk.places) most = std::max(most, requests[place.request].points.columns);
  return static_cast<int>(most);
}

int count_of(const LikelihoodChunk& chunk) { return static_cast<int>(chunk.places.size()); }
int most_rows(const LikelihoodChunk& chunk) { return static_cast<int>(chunk.groups.back().rows); }

}  // namespace

void CudaLikelihood::upload(const Run& run) {
  const LikelihoodChunk& chunk = run.chunk;
  std::byte* const device = run.workspace;
  upload_.assign(chunk.upload_bytes, std::byte{0});
  auto* task = at<kernels::LikelihoodTask>(upload_.data(), chunk.tasks);
  auto* gram = at<kernels::GramTask>(upload_.data(), chunk.gram_tasks);
  auto* scale = at<kernels::ScaleTask>(upload_.data(), chunk.scale_tasks);
  for (const LikelihoodGroup& group : chunk.groups) {
    write_pointers(chunk, group, device, upload_.data());
    const int rows = static_cast<int>(group.rows);
    for (const LikelihoodPlace& place : std::span(chunk.places).subspan(group.first, group.count)) {
      const LikelihoodRequest& request = run.requests[place.request];
      const Variances variances = variances_of(request);
      const int columns = static_cast<int>(request.points.columns);
      auto* const scaled = at<double>(device, place.scaled);
      auto* const factor = at<double>(device, place.factor);
      const double* const counts = request.counts.empty() ? nullptr : at<double>(device, place.counts);
      write_request(request, place, upload_.data());
      *scale++ = {at<double>(device, place.points),
                  at<double>(device, place.inverse_lengthscales),
                  scaled,
                  group.stride,
                  rows,
                  columns};
      *gram++ = {.points = scaled,
                 .point_stride = group.stride,
                 .matrix = factor,
                 .matrix_stride = group.stride,
                 .rows = rows,
                 .columns = columns,
                 .signal_variance = variances.signal,
                 .noise_variance = variances.noise,
                 .jitter = run.jitter * variances.mean_diagonal(),
                 .counts = counts};
      *task++ = {.points = scaled,
                 .targets = at<double>(device, place.targets),
                 .counts = counts,
                 .factor = factor,
                 .solved = at<double>(device, place.solved),
                 .partials = at<double>(device, place.partials),
                 .results = at<double>(device, place.results),
                 .info = at<int>(device, place.info),
                 .stride = group.stride,
                 .rows = rows,
                 .columns = columns,
                 .mean_given = request.mean.has_value(),
                 .mean = request.mean.value_or(0.0),
                 .smallest_pivot = smallest_pivot(group.rows) * variances.mean_diagonal()};
    }
  }
  context_->upload<std::byte>(device, upload_);
}

void CudaLikelihood::factorise(const Run& run) const {
  const LikelihoodChunk& chunk = run.chunk;
  const std::size_t most_elements =
      chunk.groups.back().rows * static_cast<std::size_t>(most_columns(run.requests, chunk));
  context_->check(
      kernels::launch_scale_tasks(context_->stream(), at<const kernels::ScaleTask>(run.workspace, chunk.scale_tasks),
                                  count_of(chunk), most_elements),
      "scaling points");
  context_->check(
      kernels::launch_gram(context_->stream(), at<const kernels::GramTask>(run.workspace, chunk.gram_tasks),
                           count_of(chunk), most_rows(chunk)),
      "building kernel matrices");
  for (const LikelihoodGroup& group : chunk.groups) factorise_group(run, group);
}

void CudaLikelihood::factorise_group(const Run& run, const LikelihoodGroup& group) const {
  const auto places = std::span(run.chunk.places).subspan(group.first, group.count);
  int* const infos = at<int>(run.workspace, places.front().info);
  if (!run.alone && group.rows <= most_batched_rows) {
    context_->check(cusolverDnDpotrfBatched(context_->solver(), CUBLAS_FILL_MODE_LOWER, static_cast<int>(group.rows),
                                            at<double*>(run.workspace, group.pointers),
                                            static_cast<int>(group.stride), infos, static_cast<int>(group.count)),
                    "cusolverDnDpotrfBatched");
    return;
  }
  std::vector<double*> matrices;
  for (const LikelihoodPlace& place : places) matrices.push_back(at<double>(run.workspace, place.factor));
  run.cholesky.plan(group.rows, group.stride, group.count);
  run.cholesky.factorise(matrices, infos);
}

/// L⁻¹[1 | y − mean | I], a panel of columns at a time: those of the identity from their first row that is not 0.
void CudaLikelihood::invert_factors(const Run& run) const {
  const LikelihoodChunk& chunk = run.chunk;
  context_->check(
      kernels::launch_right_sides(context_->stream(), at<const kernels::LikelihoodTask>(run.workspace, chunk.tasks),
                                  count_of(chunk), most_rows(chunk)),
      "writing right-hand sides");
  const double one = 1;
  for (const LikelihoodGroup& group : chunk.groups) {
    const int stride = static_cast<int>(group.stride);
    double** pointers = at<double*>(run.workspace, group.pointers) + group.count;
    for (std::size_t first = 0; first < group.rows; first += likelihood_panel, pointers += 2 * group.count) {
      const std::size_t width = std::min(likelihood_panel, group.rows - first) + (first == 0 ? 2 : 0);
      context_->check(
          cublasDtrsmBatched(context_->blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                             CUBLAS_DIAG_NON_UNIT, static_cast<int>(group.rows - first), static_cast<int>(width),
                             &one, pointers, stride, pointers + group.count, stride, static_cast<int>(group.count)),
          "cublasDtrsmBatched");
    }
  }
}

/// [α | lower triangle of K⁻¹] = L⁻ᵀ[w | L⁻¹], a panel of rows at a time, over the rows of L⁻¹ that are not 0 in it.
void CudaLikelihood::multiply_inverses(const Run& run) const {
  const double one = 1;
  const double zero = 0;
  for (const LikelihoodGroup& group : run.chunk.groups) {
    const LikelihoodPlace& place = run.chunk.places[group.first];
    const int stride = static_cast<int>(group.stride);
    const double* const whitened = at<double>(run.workspace, place.solved) + group.stride;
    double* const product = at<double>(run.workspace, place.factor);
    for (std::size_t first = 0; first < group.rows; first += likelihood_panel) {
      const std::size_t height = std::min(likelihood_panel, group.rows - first);
      context_->check(
          cublasDgemmStridedBatched(context_->blas(), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(height),
                                    static_cast<int>(1 + first + height), static_cast<int>(group.rows - first), &one,
                                    whitened + (1 + first) * group.stride + first, stride,
                                    static_cast<long long>(group.solved_elements()), whitened + first, stride,
                                    static_cast<long long>(group.solved_elements()), &zero, product + first, stride,
                                    static_cast<long long>(group.factor_elements()), static_cast<int>(group.count)),
          "cublasDgemmStridedBatched");
    }
  }
}

void CudaLikelihood::sum_gradients(const Run& run) const {
  const auto* tasks = at<const kernels::LikelihoodTask>(run.workspace, run.chunk.tasks);
  context_->check(kernels::launch_gradient(context_->stream(), tasks, count_of(run.chunk), most_rows(run.chunk)),
                  "summing gradients over tiles");
  context_->check(kernels::launch_gradient_sums(context_->stream(), tasks, count_of(run.chunk),
                                                most_columns(run.requests, run.chunk)),
                  "summing gradients");
}

/// Gives the requests whose matrix is not positive definite at this jitter.
std::vector<std::size_t> CudaLikelihood::compute_chunk(const Run& run, std::span<LikelihoodValue> values) {
  using Result = kernels::LikelihoodResult;
  upload(run);
  factorise(run);
  invert_factors(run);
  context_->check(
      kernels::launch_whiten(context_->stream(), at<const kernels::LikelihoodTask>(run.workspace, run.chunk.tasks),
                             count_of(run.chunk)),
      "whitening targets");
  multiply_inverses(run);
  sum_gradients(run);
  results_.resize(run.chunk.result_bytes / sizeof(double));
  context_->download<double>(results_, at<const double>(run.workspace, run.chunk.results));
  run.cholesky.settled();
  std::vector<std::size_t> failed;
  for (const LikelihoodPlace& place : run.chunk.places) {
    const double* result = results_.data() + (place.results - run.chunk.results) / sizeof(double);
    if (result[Result::usable] == 0.0) {
      failed.push_back(place.request);
      continue;
    }
    const LikelihoodRequest& request = run.requests[place.request];
    LikelihoodValue& value = values[place.request];
    value.mean = result[Result::mean];
    value.jitter = run.jitter;
    value.log_likelihood = -0.5 * result[Result::squared_norm] - result[Result::log_pivots] -
                           0.5 * static_cast<double>(request.points.rows) * std::log(2.0 * std::numbers::pi);
    const auto [signal, noise] = variances_of(request);
    set_gradient(request, signal, noise, result + Result::sums, value);
  }
  return failed;
}

/// Chunks beside which there is room to factor the largest matrices one by one.
CudaLikelihood::Plan CudaLikelihood::plan(std::span<const LikelihoodRequest> requests,
                                          std::span<const std::size_t> open) const {
  if (open.empty()) return {};
  std::size_t rows = 0;
  for (const std::size_t i : open) rows = std::max(rows, requests[i].points.rows);
  const DeviceMemory& memory = *context_->memory();
  const std::size_t taken =
      memory.used() + Cholesky::workspace_bytes(*context_, rows, likelihood_stride(rows), open.size());
  const std::size_t free = memory.budget() - std::min(memory.budget(), taken);
  // Blocks are rounded up by an eighth at most.
  Plan plan{plan_likelihoods(requests, open, free / 9 * 8)};
  for (const LikelihoodChunk& chunk : plan.chunks) plan.workspace_bytes = std::max(plan.workspace_bytes, chunk.bytes);
  return plan;
}

void CudaLikelihood::compute(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) {
  check_requests(requests, values.size());
  const DeviceScope scope(*context_);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    values[i] = LikelihoodValue{};
    values[i].gradient.assign(requests[i].log_parameters.size(), 0.0);
    values[i].mean = requests[i].mean.value_or(0.0);
    if (representable(requests[i].log_parameters)) open.push_back(i);
  }
  const Plan whole = plan(requests, open);
  DeviceBuffer<std::byte> workspace = context_->buffer<std::byte>(whole.workspace_bytes);
  Cholesky cholesky(*context_);  // goes first, and waits where an error has left factors under way
  std::vector<LikelihoodChunk> chunks = whole.chunks;
  const auto run_chunks = [&](double jitter, bool alone) {
    open.clear();
    for (const LikelihoodChunk& chunk : chunks) {
      const std::vector<std::size_t> failed =
          compute_chunk({requests, chunk, workspace.data(), jitter, alone, cholesky}, values);
      open.insert(open.end(), failed.begin(), failed.end());
    }
    chunks = plan_likelihoods(requests, open, whole.workspace_bytes);
  };
  const auto was_in_a_batch = [&](std::size_t i) { return requests[i].points.rows <= most_batched_rows; };
  for (const double jitter : jitter_steps) {
    run_chunks(jitter, false);
    if (std::any_of(open.begin(), open.end(), was_in_a_batch)) run_chunks(jitter, true);
    if (open.empty()) return;
  }
}

}  // namespace carbo::internal
