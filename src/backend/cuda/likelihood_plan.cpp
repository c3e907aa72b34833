#include "backend/cuda/likelihood_plan.hpp"

#include <algorithm>
#include <string>

#include <carbo/error.hpp>

#include "backend/cuda/matrix_limits.hpp"
#include "launch/gram.cuh"
#include "launch/likelihood_steps.cuh"

namespace carbo::internal {
namespace {

/// Matrices in one library call.
constexpr std::size_t most_requests = 4096;
constexpr std::size_t part_alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + part_alignment - 1) / part_alignment * part_alignment; }

std::size_t partial_bytes(const LikelihoodRequest& request) {
  return kernels::likelihood_tiles(static_cast<int>(request.points.rows)) *
         kernels::likelihood_sums(static_cast<int>(request.points.columns)) * sizeof(double);
}

std::size_t result_bytes(const LikelihoodRequest& request) {
  return kernels::likelihood_results(static_cast<int>(request.points.columns)) * sizeof(double);
}

/// Pointers that the batched calls need for one matrix.
std::size_t pointer_bytes(std::size_t rows) { return (1 + 2 * likelihood_panels(rows)) * sizeof(double*); }

/// What a request adds to a chunk at most, without points, targets and counts.
std::size_t own_bytes(const LikelihoodRequest& request) {
  const std::size_t rows = request.points.rows;
  const std::size_t columns = request.points.columns;
  const std::size_t stride = likelihood_stride(rows);
  const std::size_t tasks = sizeof(kernels::LikelihoodTask) + sizeof(kernels::GramTask) + sizeof(kernels::ScaleTask);
  return tasks + aligned(pointer_bytes(rows)) + aligned(columns * sizeof(double)) +
         aligned(columns * stride * sizeof(double)) + aligned(stride * (rows + 1) * sizeof(double)) +
         aligned(stride * (rows + 2) * sizeof(double)) + aligned(partial_bytes(request)) + result_bytes(request) +
         sizeof(int);
}

/// Host arrays in the order in which they were first met, each with its place.
class SharedArrays {
 public:
  /// Whether the array is new.
  bool add(const double* data, std::size_t count) {
    if (find(data, count) != arrays_.end()) return false;
    arrays_.push_back({data, count, 0});
    return true;
  }
  template <class Take>
  void place(Take take) {
    for (Array& array : arrays_) array.place = take(array.count * sizeof(double));
  }
  std::size_t place_of(const double* data, std::size_t count) { return find(data, count)->place; }

 private:
  struct Array {
    const double* data;
    std::size_t count;
    std::size_t place;
  };
  std::vector<Array>::iterator find(const double* data, std::size_t count) {
    return std::find_if(arrays_.begin(), arrays_.end(),
                        [&](const Array& array) { return array.data == data && array.count == count; });
  }

  std::vector<Array> arrays_;
};

std::size_t point_count(const LikelihoodRequest& request) { return request.points.rows * request.points.columns; }

/// Collects requests, fewest rows first, and lays them out.
class ChunkBuilder {
 public:
  explicit ChunkBuilder(std::span<const LikelihoodRequest> requests) : requests_(requests) {}

  /// False, and nothing changed, where the chunk would pass `limit` bytes and holds a request already.
  bool add(std::size_t index, std::size_t limit) {
    const LikelihoodRequest& request = requests_[index];
    SharedArrays arrays = arrays_;
    std::size_t bytes = most_bytes_ + own_bytes(request);
    if (arrays.add(request.points.data, point_count(request)))
      bytes += aligned(point_count(request) * sizeof(double));
    if (arrays.add(request.targets.data(), request.points.rows))
      bytes += aligned(request.points.rows * sizeof(double));
    if (!request.counts.empty() && arrays.add(request.counts.data(), request.points.rows))
      bytes += aligned(request.points.rows * sizeof(double));
    if (!chunk_.places.empty() && (bytes > limit || chunk_.places.size() == most_requests)) return false;
    if (chunk_.groups.empty() || chunk_.groups.back().rows != request.points.rows)
      chunk_.groups.push_back(
          {chunk_.places.size(), 0, request.points.rows, likelihood_stride(request.points.rows), 0});
    ++chunk_.groups.back().count;
    chunk_.places.push_back({.request = index});
    arrays_ = std::move(arrays);
    most_bytes_ = bytes;
    return true;
  }

  LikelihoodChunk finish() {
    place_upload();
    place_results();
    for (const LikelihoodGroup& group : chunk_.groups) place_work(group);
    return std::move(chunk_);
  }

 private:
  std::size_t take(std::size_t bytes) {
    const std::size_t place = chunk_.bytes;
    chunk_.bytes += aligned(bytes);
    return place;
  }

  void place_upload() {
    chunk_.tasks = take(chunk_.places.size() * sizeof(kernels::LikelihoodTask));
    chunk_.gram_tasks = take(chunk_.places.size() * sizeof(kernels::GramTask));
    chunk_.scale_tasks = take(chunk_.places.size() * sizeof(kernels::ScaleTask));
    for (LikelihoodGroup& group : chunk_.groups) group.pointers = take(group.count * pointer_bytes(group.rows));
    arrays_.place([&](std::size_t bytes) { return take(bytes); });
    for (LikelihoodPlace& place : chunk_.places) {
      const LikelihoodRequest& request = requests_[place.request];
      place.points = arrays_.place_of(request.points.data, point_count(request));
      place.targets = arrays_.place_of(request.targets.data(), request.points.rows);
      if (!request.counts.empty()) place.counts = arrays_.place_of(request.counts.data(), request.points.rows);
      place.inverse_lengthscales = take(request.points.columns * sizeof(double));
    }
    chunk_.upload_bytes = chunk_.bytes;
  }

  void place_results() {
    for (const LikelihoodPlace& place : chunk_.places) chunk_.result_bytes += result_bytes(requests_[place.request]);
    chunk_.results = take(chunk_.result_bytes);
    std::size_t next_result = chunk_.results;
    std::size_t next_info = take(chunk_.places.size() * sizeof(int));
    for (LikelihoodPlace& place : chunk_.places) {
      place.results = next_result;
      next_result += result_bytes(requests_[place.request]);
      place.info = next_info;
      next_info += sizeof(int);
    }
  }

  void place_work(const LikelihoodGroup& group) {
    const std::size_t factor_bytes = group.factor_elements() * sizeof(double);
    const std::size_t solved_bytes = group.solved_elements() * sizeof(double);
    const std::size_t factors = take(group.count * factor_bytes);
    const std::size_t solved = take(group.count * solved_bytes);
    for (std::size_t k = 0; k < group.count; ++k) {
      LikelihoodPlace& place = chunk_.places[group.first + k];
      const LikelihoodRequest& request = requests_[place.request];
      place.factor = factors + k * factor_bytes;
      place.solved = solved + k * solved_bytes;
      place.scaled = take(request.points.columns * group.stride * sizeof(double));
      place.partials = take(partial_bytes(request));
    }
  }

  std::span<const LikelihoodRequest> requests_;
  LikelihoodChunk chunk_;
  SharedArrays arrays_;
  /// Bytes of the layout at most; what is aligned once a chunk comes first.
  std::size_t most_bytes_ = 5 * part_alignment;
};

}  // namespace

std::vector<LikelihoodChunk> plan_likelihoods(std::span<const LikelihoodRequest> requests,
                                              std::span<const std::size_t> which, std::size_t limit) {
  std::vector<std::size_t> order(which.begin(), which.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return requests[a].points.rows < requests[b].points.rows; });
  if (!order.empty()) check_matrix_rows(requests[order.back()].points.rows, "likelihood");
  std::vector<LikelihoodChunk> chunks;
  ChunkBuilder builder(requests);
  bool open = false;
  for (const std::size_t index : order) {
    if (open && !builder.add(index, limit)) {
      chunks.push_back(builder.finish());
      builder = ChunkBuilder(requests);
      open = false;
    }
    if (!open) open = builder.add(index, limit);
  }
  if (open) chunks.push_back(builder.finish());
  return chunks;
}

}  // namespace carbo::internal
