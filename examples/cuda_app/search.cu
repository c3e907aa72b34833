#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <carbo/cuda.hpp>

#include "kernels.cuh"
#include "metered_allocator.hpp"
#include "oscillator.h"

Library::Library(std::size_t size, const Stream& stream)
    : size_(size), values_(size * oscillator_parameters, stream) {
  fill_library<<<blocks_for(size, block_threads), block_threads, 0, stream>>>(values_.data(),
                                                                              static_cast<std::int64_t>(size));
  check_launch();
}

namespace {

namespace cc = carbo::cuda;

class Search {
 public:
  Search(const Library& library, const Arguments& arguments, const Stream& stream)
      : library_(library), arguments_(arguments), stream_(stream) {
    selector_ = waits("constructor", [&] {
      return cc::make_selector({.columns = oscillator_parameters, .seed = arguments.seed},
                               {.stream = static_cast<cudaStream_t>(stream), .allocator = allocator_});
    });
    waits("set_pool",
          [&] { selector_->set_pool({cc::device_rows(library.rows(), library.size(), oscillator_parameters)}); });
  }

  ~Search() {
    waits("destructor", [&] { selector_.reset(); });
  }

  Outcome run(Method method) {
    warm_start();
    if (method == Method::cooled) design_phase();
    suggest_phase(method);
    count_candidates_in_play();
    return outcome_;
  }

 private:
  /// A few rows from all over the library teach both models what objectives and costs look like.
  void warm_start() {
    const int count = static_cast<int>(std::min<std::size_t>(arguments_.batch, 5));
    spread_rows<<<1, 32, 0, stream_>>>(static_cast<std::int64_t>(library_.size()), count, picked_.data());
    check_launch();
    evaluate_and_append(count);
  }

  /// Cheap rows that are far from one another, for an eighth of the budget.
  void design_phase() {
    while (spent() < arguments_.budget / 8 && next_batch() > 0) {
      fit_where_data_grew();
      evaluate_and_append(waits("design", [&] {
        return selector_->design({.count = next_batch()}, {cc::device_index_room(picked_.data(), next_batch())});
      }));
    }
  }

  /// The rows that promise most, for what they cost or whatever they cost, to the end of the budget.
  void suggest_phase(Method method) {
    const double spent_at_start = spent();
    while (spent() < arguments_.budget && next_batch() > 0) {
      fit_where_data_grew();
      const double alpha =
          method == Method::cooled ? carbo::cooling_exponent(arguments_.budget, spent(), spent_at_start) : 0;
      evaluate_and_append(waits("suggest", [&] {
        return selector_->suggest({.count = next_batch(), .alpha = alpha},
                                  {cc::device_index_room(picked_.data(), next_batch())});
      }));
    }
  }

  /// Simulates the rows that were just picked, and appends them from where they are on the device. They are copied to
  /// the host as well, because the budget is kept there.
  void evaluate_and_append(std::size_t picked) {
    const int count = static_cast<int>(picked);
    evaluate<<<blocks_for(picked, 32), 32, 0, stream_>>>(library_.rows(), picked_.data(), count, objectives_.data(),
                                                         costs_.data());
    check_launch();
    rows_on_host_.copy_from(picked_, picked, stream_);
    objectives_on_host_.copy_from(objectives_, picked, stream_);
    costs_on_host_.copy_from(costs_, picked, stream_);
    waits("append", [&] {
      selector_->append({.rows = cc::device_indices(picked_.data(), picked),
                         .objectives = cc::device_values(objectives_.data(), picked),
                         .costs = cc::device_values(costs_.data(), picked)});
    });
    // append waits for the stream, and so for the copies before it.
    for (std::size_t i = 0; i < picked && spent() < arguments_.budget; ++i)
      record(rows_on_host_[i], objectives_on_host_[i], costs_on_host_[i]);
  }

  /// One simulation, in the order of the picks. What the last batch does beyond the budget is not counted.
  void record(std::int64_t row, double objective, double cost) {
    const bool best = outcome_.points.empty() || objective < outcome_.points.back().best;
    if (best) outcome_.best_row = row;
    outcome_.points.push_back({spent() + cost, best ? objective : outcome_.points.back().best});
  }

  /// Hyperparameters change little: fitted whenever the data have grown by a third, kept in between.
  void fit_where_data_grew() {
    if (3 * selector_->observations() >= 4 * observations_at_fit_) fit();
  }
  void fit() {
    waits("fit", [&] { selector_->fit(); });
    observations_at_fit_ = selector_->observations();
    ++outcome_.fits;
  }

  /// Every candidate's score, and what two kernels make of them. After a fit all observations have been taken up and
  /// no row is running, so that `scores` does not wait: the kernels follow it in the stream.
  void count_candidates_in_play() {
    fit();
    const DeviceArray<double> scores(library_.size(), stream_), maxima(score_blocks, stream_);
    const DeviceArray<unsigned long long> found(1, stream_);
    const auto size = static_cast<std::int64_t>(library_.size());
    selector_->scores({.alpha = 0}, cc::device_room(scores.data(), scores.size()));
    block_maxima<<<score_blocks, block_threads, 0, stream_>>>(scores.data(), size, maxima.data());
    check_launch();
    check(cudaMemsetAsync(found.data(), 0, sizeof(unsigned long long), stream_));
    count_near_best<<<score_blocks, block_threads, 0, stream_>>>(scores.data(), size, maxima.data(), std::log(10.0),
                                                                 found.data());
    check_launch();
    found_on_host_.copy_from(found, 1, stream_);
    stream_.wait("application: candidates in play");
    outcome_.in_play = found_on_host_[0];
    outcome_.selector_bytes = allocator_->peak_bytes();
  }

  double spent() const { return outcome_.points.empty() ? 0 : outcome_.points.back().spent; }
  std::size_t next_batch() const { return std::min(arguments_.batch, selector_->available()); }

  const Library& library_;
  const Arguments& arguments_;
  const Stream& stream_;
  std::shared_ptr<MeteredAllocator> allocator_ = std::make_shared<MeteredAllocator>();
  std::optional<carbo::Selector> selector_;
  DeviceArray<std::int64_t> picked_{arguments_.batch, stream_};
  DeviceArray<double> objectives_{arguments_.batch, stream_};
  DeviceArray<double> costs_{arguments_.batch, stream_};
  PinnedArray<std::int64_t> rows_on_host_{arguments_.batch};
  PinnedArray<double> objectives_on_host_{arguments_.batch};
  PinnedArray<double> costs_on_host_{arguments_.batch};
  PinnedArray<unsigned long long> found_on_host_{1};
  std::size_t observations_at_fit_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome search(const Library& library, Method method, const Arguments& arguments, const Stream& stream) {
  return Search(library, arguments, stream).run(method);
}
