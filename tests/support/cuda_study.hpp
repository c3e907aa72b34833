#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include <carbo/carbo.hpp>

#include "support/environment.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/toy_problems.hpp"

/// Whole studies on the CUDA backend, loaded as a program loads it, beside the CPU's.
namespace carbo {

using test::valley;
using test::valley_space;

/// Two scores nearer than this may change places by rounding: fits on the two backends end up to about 1e-8 apart.
constexpr double decided = 1e-6;

inline bool is_decided(const Receipt& receipt) {
  return !receipt.log_score || !receipt.runner_up_log_score ||
         *receipt.log_score - *receipt.runner_up_log_score > decided;
}

class CudaStudy : public testing::Test {
 protected:
  /// `space`, `evaluate` and `change` make a study; `keep_pending` results are told only once as many more are asked.
  struct Study {
    Space space = valley_space();
    std::function<Evaluation(const Configuration&)> evaluate = valley;
    Options options = small();
    std::size_t batch = 1;
    std::size_t keep_pending = 0;
    std::size_t least_picks = 12;
  };

  static Options small() {
    Options options = test::small_options(60);
    options.candidates.count = 200;
    options.surrogate.restarts = options.cost.surrogate.restarts = 2;
    options.fantasies.count = 3;
    options.max_evaluations = 16;
    return options;
  }

  static Optimizer make(const Study& study, BackendKind kind) {
    Options options = study.options;
    options.backend.kind = kind;
    return Optimizer(study.space, options);
  }

  static void expect_the_cpus_picks(const Study& study) {
    Optimizer cpu = make(study, BackendKind::cpu), cuda = make(study, BackendKind::cuda);
    expect_the_same_picks(study, cpu, cuda);
  }

  static void expect_the_same_picks(const Study& study, Optimizer& cpu, Optimizer& cuda) {
    std::size_t compared = 0, searched = 0;
    std::vector<std::pair<Suggestion, Suggestion>> pending;
    bool same = true;
    while (same && !cpu.done()) {
      const std::vector<Suggestion> expected = cpu.ask(study.batch), picked = cuda.ask(study.batch);
      ASSERT_EQ(picked.size(), expected.size()) << "after " << compared << " picks";
      if (expected.empty()) break;
      for (std::size_t i = 0; same && i < picked.size(); ++i, ++compared) {
        EXPECT_EQ(picked[i].receipt.backend, "cuda");
        EXPECT_EQ(picked[i].receipt.phase, expected[i].receipt.phase);
        searched += picked[i].receipt.phase == Phase::search ? 1 : 0;
        same = picked[i].configuration.to_string() == expected[i].configuration.to_string();
        ASSERT_TRUE(same || !is_decided(expected[i].receipt)) << "pick " << compared;
        pending.emplace_back(expected[i], picked[i]);
      }
      for (; pending.size() > study.keep_pending; pending.erase(pending.begin())) {
        cpu.tell(pending[0].first.id, study.evaluate(pending[0].first.configuration));
        cuda.tell(pending[0].second.id, study.evaluate(pending[0].second.configuration));
      }
    }
    EXPECT_GT(searched, 0u);
    if (same) {
      EXPECT_EQ(cuda.stop_reason(), cpu.stop_reason());
    } else {
      EXPECT_GE(compared, study.least_picks) << "picks came apart early";
    }
  }

  EnvironmentVariable library_{"CARBO_CUDA_LIBRARY", CARBO_CUDA_LIBRARY_FILE};
};

}  // namespace carbo
