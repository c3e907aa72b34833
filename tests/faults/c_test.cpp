#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <carbo/carbo.h>

#include "faults/c_calls.hpp"
#include "faults/sweep.hpp"
#include "support/random.hpp"

// The C face, and the selector behind it, while allocations fail: the status is CARBO_OUT_OF_HOST_MEMORY, the
// selector is as it was, and the second call does what the first would have done.
namespace carbo::test {
namespace {

constexpr int64_t rows = 40, columns = 2;

std::vector<double> uniform_numbers(std::size_t count, std::uint64_t index) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = internal::uniform(11, internal::Draw::uniform_configuration, index, static_cast<std::uint32_t>(i));
  return numbers;
}

class FaultedSelector {
 public:
  explicit FaultedSelector(bool costs_known) : costs_known_(costs_known) {
    carbo_selector_options options;
    EXPECT_EQ(carbo_selector_options_init(&options, sizeof options), CARBO_OK);
    options.columns = columns;
    options.restarts = options.cost_restarts = 1;
    options.fantasies = 2;
    options.threads = 1;
    options.backend = CARBO_BACKEND_CPU;
    options.memory_bytes = int64_t{1} << 30;
    options.cost_model = CARBO_COST_AUTOMATIC;
    const char* const features[] = {"x0 * x1", "1 + x0"};
    options.cost_features = features;
    options.cost_feature_count = 2;
    call("create", [&] { return carbo_selector_create(&options, &selector_); });
  }
  ~FaultedSelector() {
    call("destroy", [&] { return carbo_selector_destroy(selector_); });
  }
  FaultedSelector(const FaultedSelector&) = delete;
  FaultedSelector& operator=(const FaultedSelector&) = delete;

  void set_pool() {
    const carbo_matrix pool =
        carbo_matrix_of(pool_.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, rows, columns);
    const carbo_vector costs = carbo_vector_of(costs_.data(), CARBO_FLOAT64, CARBO_HOST, rows);
    call("set_pool", [&] { return carbo_selector_set_pool(selector_, &pool, costs_known_ ? &costs : nullptr); });
  }

  void append_points() {
    const std::vector<double> given = uniform_numbers(4 * columns, 2);
    const std::array<double, 4> objectives{0.5, -0.25, 1.5, 0.125}, prices{1.0, 2.0, 0.5, 1.5};
    const carbo_matrix points = carbo_matrix_of(given.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 4, columns);
    const carbo_vector objective = carbo_vector_of(objectives.data(), CARBO_FLOAT64, CARBO_HOST, 4);
    const carbo_vector cost = carbo_vector_of(prices.data(), CARBO_FLOAT64, CARBO_HOST, 4);
    call("append_points", [&] { return carbo_selector_append_points(selector_, &points, &objective, &cost); });
  }

  void fit() {
    std::array<double, columns> lengthscales{};
    carbo_fit_report report{};
    report.struct_size = sizeof report;
    report.lengthscales = lengthscales.data();
    report.lengthscale_room = columns;
    call("fit", [&] { return carbo_selector_fit(selector_, &report); });
    note(report.noise_variance);
    for (const double one : lengthscales) note(one);
  }

  std::vector<int64_t> design() {
    std::vector<int64_t> picked(2);
    const carbo_index_room room = carbo_index_room_of(picked.data(), CARBO_HOST, 2);
    const carbo_pick_request request = request_for(2);
    int64_t written = 0;
    call("design", [&] { return carbo_selector_design(selector_, &request, &room, &written); });
    for (const int64_t row : picked) note(static_cast<double>(row));
    return picked;
  }

  std::vector<int64_t> suggest() {
    std::vector<int64_t> picked(3);
    std::vector<double> scores(3);
    const carbo_index_room room = carbo_index_room_of(picked.data(), CARBO_HOST, 3);
    const carbo_vector_room score_room = carbo_vector_room_of(scores.data(), CARBO_FLOAT64, CARBO_HOST, 3);
    const carbo_pick_request request = request_for(3);
    int64_t written = 0;
    call("suggest", [&] { return carbo_selector_suggest(selector_, &request, &room, &score_room, &written); });
    EXPECT_EQ(written, 3);
    for (const int64_t row : picked) note(static_cast<double>(row));
    for (const double score : scores) note(score);
    return picked;
  }

  void append_rows(std::span<const int64_t> picked) {
    std::vector<double> objectives, prices;
    for (const int64_t row : picked) {
      objectives.push_back(std::sin(static_cast<double>(row)));
      prices.push_back(costs_[static_cast<std::size_t>(row)]);
    }
    const auto count = static_cast<int64_t>(picked.size());
    const carbo_indices indices = carbo_indices_of(picked.data(), CARBO_HOST, count);
    const carbo_vector objective = carbo_vector_of(objectives.data(), CARBO_FLOAT64, CARBO_HOST, count);
    const carbo_vector cost = carbo_vector_of(prices.data(), CARBO_FLOAT64, CARBO_HOST, count);
    call("append_rows", [&] { return carbo_selector_append_rows(selector_, &indices, &objective, &cost); });
  }

  void withdraw(std::span<const int64_t> picked) {
    const carbo_indices indices = carbo_indices_of(picked.data(), CARBO_HOST, static_cast<int64_t>(picked.size()));
    call("withdraw", [&] { return carbo_selector_withdraw(selector_, &indices); });
  }

  void scores() {
    std::vector<double> all(rows);
    const carbo_vector_room room = carbo_vector_room_of(all.data(), CARBO_FLOAT64, CARBO_HOST, rows);
    const carbo_pick_request request = request_for(1);
    call("scores", [&] { return carbo_selector_scores(selector_, &request, &room); });
    for (const double score : all) note(score);
  }

  const Transcript& transcript() const { return transcript_; }

 private:
  static carbo_pick_request request_for(int64_t count) {
    carbo_pick_request request;
    EXPECT_EQ(carbo_pick_request_init(&request, sizeof request), CARBO_OK);
    request.count = count;
    request.alpha = 0.5;
    return request;
  }

  template <class Action>
  void call(const char* name, const Action& action) {
    faulted_call(
        name, [this] { return visible(); }, action);
  }

  std::string visible() const {
    if (selector_ == nullptr) return "";
    carbo_selector_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(carbo_selector_get_info(selector_, &info), CARBO_OK);
    std::array<char, 100> words{};
    std::snprintf(words.data(), words.size(), "%lld %lld %lld %lld", static_cast<long long>(info.pool_size),
                  static_cast<long long>(info.available), static_cast<long long>(info.running),
                  static_cast<long long>(info.observations));
    return words.data();
  }

  void note(double value) { transcript_ += exact_line(value); }

  bool costs_known_;
  std::vector<double> pool_ = uniform_numbers(rows * columns, 0), costs_ = uniform_numbers(rows, 1);
  carbo_selector* selector_ = nullptr;
  Transcript transcript_;
};

void sweep_selector(const std::string& name, bool costs_known) {
  const auto scenario = [&] {
    // The words of a thread's last failure stay until the next one.
    EXPECT_EQ(carbo_cooling_exponent(std::nan(""), 1, 1, nullptr), CARBO_NULL_POINTER);
    FaultedSelector selector(costs_known);
    selector.append_points();
    selector.set_pool();
    selector.append_rows(selector.design());
    const std::vector<int64_t> picked = selector.suggest();
    selector.scores();
    selector.append_rows(std::span(picked).first(2));
    selector.withdraw(std::span(picked).last(1));
    selector.fit();
    selector.append_rows(selector.suggest());
    selector.set_pool();
    selector.suggest();
    return selector.transcript();
  };
  const SweepFigures figures = sweep(name, scenario, [](const Transcript& undisturbed, const Transcript& disturbed) {
    EXPECT_EQ(disturbed, undisturbed);
  });
  EXPECT_GT(figures.runs, 0u);
  EXPECT_EQ(figures.struck, figures.runs);
}

TEST(CFaults, CostsThatAreLearned) { sweep_selector("the C face, costs learned", false); }
TEST(CFaults, CostsThatAreKnown) { sweep_selector("the C face, costs known", true); }

}  // namespace
}  // namespace carbo::test
