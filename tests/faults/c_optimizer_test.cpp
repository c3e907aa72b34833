#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <carbo/carbo.h>

#include "faults/c_calls.hpp"
#include "faults/sweep.hpp"

// The optimizer of the C face while allocations fail: the status is CARBO_OUT_OF_HOST_MEMORY, the optimizer is as it
// was, and the second call does what the first would have done.
namespace carbo::test {
namespace {

constexpr std::int64_t width = 2, batch = 2;

class FaultedOptimizer {
 public:
  FaultedOptimizer() {
    static const std::array<const char*, 2> labels{"a", "b"};
    static const std::array<carbo_parameter, width> parameters{carbo_real("x", 0, 1),
                                                               carbo_categorical("c", labels.data(), 2)};
    carbo_cost_feature feature{};
    feature.struct_size = sizeof feature;
    feature.value.expression = "1 + x";
    carbo_optimizer_options options;
    EXPECT_EQ(carbo_optimizer_options_init(&options, sizeof options), CARBO_OK);
    options.parameters = parameters.data();
    options.parameter_count = width;
    options.budget = 20;
    options.design.warm_start = 2;
    options.candidates.count = 24;
    options.cost.features = &feature;
    options.cost.feature_count = 1;
    options.cost.unit = "credits";
    options.surrogate.restarts = options.cost.surrogate.restarts = 1;
    options.fantasies.count = 2;
    options.backend.kind = CARBO_BACKEND_CPU;
    options.backend.threads = 1;
    options.backend.memory_bytes = std::int64_t{1} << 30;
    call("create", [&] { return carbo_optimizer_create(&options, &optimizer_); });
  }
  ~FaultedOptimizer() {
    call("destroy", [&] { return carbo_optimizer_destroy(optimizer_); });
  }
  FaultedOptimizer(const FaultedOptimizer&) = delete;
  FaultedOptimizer& operator=(const FaultedOptimizer&) = delete;

  void round() {
    std::array<carbo_suggestion, batch> suggestions{};
    std::array<double, batch * width> numbers{};
    suggestions[0].struct_size = sizeof suggestions[0];
    std::int64_t written = 0;
    call("ask", [&] { return carbo_optimizer_ask(optimizer_, batch, suggestions.data(), numbers.data(), &written); });
    for (std::size_t i = 0; i < static_cast<std::size_t>(written); ++i) {
      const double x = numbers[i * width], c = numbers[i * width + 1];
      for (const double one : {x, c, suggestions[i].log_score, suggestions[i].predicted_cost}) note(one);
      const std::int64_t id = suggestions[i].id;
      if (id % 5 == 3)
        call("fail",
             [&] { return carbo_optimizer_fail(optimizer_, id, 0.5, "a reason of some length, or more", 0); });
      else
        call("tell", [&] { return carbo_optimizer_tell(optimizer_, id, std::sin(5 * x) + c, 1 + x); });
    }
  }

  void decide() {
    const std::array<double, width> adopted{0.25, 1}, wanted{0.75, 0};
    std::int64_t id = -1;
    call("adopt", [&] { return carbo_optimizer_adopt(optimizer_, adopted.data(), &id); });
    call("enqueue", [&] { return carbo_optimizer_enqueue(optimizer_, wanted.data()); });
    call("tell of an adopted point", [&] { return carbo_optimizer_tell(optimizer_, id, 0.5, 1.0); });
    carbo_observation told{sizeof told, CARBO_SUCCEEDED, CARBO_PRIOR, -1, 0.75, std::nan(""), -1, -1};
    call("tell of an observation",
         [&] { return carbo_optimizer_tell_observation(optimizer_, &told, adopted.data(), nullptr); });
  }

  void know() {
    const std::array<double, width> at{0.5, 1};
    std::array<double, width> best{};
    carbo_prediction predicted{};
    predicted.struct_size = sizeof predicted;
    call("predict", [&] { return carbo_optimizer_predict(optimizer_, at.data(), 1, 0.9, &predicted); });
    note(predicted.upper);
    call("recommend", [&] { return carbo_optimizer_recommend(optimizer_, best.data(), nullptr, nullptr); });
    note(best[0]);
    std::array<carbo_importance, width> shares{};
    shares[0].struct_size = sizeof shares[0];
    call("importance", [&] {
      return carbo_optimizer_importance(optimizer_, CARBO_MODEL_OF_OBJECTIVE, 16, 2, shares.data(), nullptr);
    });
    note(shares[0].total);
    std::array<char, 200> words{};
    call("describe",
         [&] { return carbo_optimizer_describe(optimizer_, at.data(), words.data(), words.size(), nullptr); });
    call("warnings", [&] { return carbo_optimizer_warnings(optimizer_, words.data(), words.size(), nullptr); });
  }

  /// Goes on with the optimizer that the state is restored to.
  void resume() {
    const char* state = nullptr;
    std::int64_t length = 0;
    carbo_optimizer* other = nullptr;
    call("save", [&] { return carbo_optimizer_save(optimizer_, &state, &length); });
    call("restore", [&] { return carbo_optimizer_restore(state, length, nullptr, &other); });
    std::swap(optimizer_, other);
    call("destroy what was saved", [&] { return carbo_optimizer_destroy(other); });
    std::array<carbo_suggestion, 1> suggestions{};
    std::array<double, width> numbers{};
    suggestions[0].struct_size = sizeof suggestions[0];
    std::int64_t count = -1;
    call("pending suggestions", [&] {
      return carbo_optimizer_pending_suggestions(optimizer_, suggestions.data(), numbers.data(), 1, &count);
    });
    note(static_cast<double>(count));
  }

  const Transcript& transcript() const { return transcript_; }

 private:
  template <class Action>
  void call(const char* name, const Action& action) {
    faulted_call(
        name, [this] { return visible(); }, action);
  }

  std::string visible() const {
    if (optimizer_ == nullptr) return "";
    carbo_optimizer_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(carbo_optimizer_get_info(optimizer_, &info), CARBO_OK);
    std::array<char, 200> words{};
    std::snprintf(words.data(), words.size(), "%d %d %lld %lld %lld %a", info.phase, info.stop_reason,
                  static_cast<long long>(info.observations), static_cast<long long>(info.pending),
                  static_cast<long long>(info.enqueued), info.spent);
    return words.data();
  }

  void note(double value) { transcript_ += exact_line(value); }

  carbo_optimizer* optimizer_ = nullptr;
  Transcript transcript_;
};

TEST(CFaults, AskAndTell) {
  const auto scenario = [] {
    // The words of a thread's last failure stay until the next one.
    EXPECT_EQ(carbo_cooling_exponent(std::nan(""), 1, 1, nullptr), CARBO_NULL_POINTER);
    FaultedOptimizer optimizer;
    optimizer.decide();
    for (int i = 0; i < 4; ++i) optimizer.round();
    optimizer.know();
    optimizer.resume();
    optimizer.round();
    return optimizer.transcript();
  };
  const SweepFigures figures =
      sweep("the optimizer of the C face", scenario,
            [](const Transcript& undisturbed, const Transcript& disturbed) { EXPECT_EQ(disturbed, undisturbed); });
  EXPECT_GT(figures.runs, 0u);
  EXPECT_EQ(figures.struck, figures.runs);
}

}  // namespace
}  // namespace carbo::test
