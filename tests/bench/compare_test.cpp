#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/backends/compare.hpp"
#include "bench/backends/results.hpp"
#include "reports.hpp"

namespace {

using namespace bench_reports;

class BackendBenchCompare : public ::testing::Test {
 protected:
  /// A whole fit, which has no limit, on a machine whose GEMM rate is `speed` times the usual.
  static Report timed(double seconds, double width = 0.02, double speed = 1) {
    return machine_report({with_spread(Job::fit, "whole", seconds, width)}, speed);
  }
  /// Jobs of every limit and of none, each with `kernels` times the usual seconds on a machine of `speed`. The
  /// Matérn pass is the product's own, so that it slows down with its kernels.
  static Report all_jobs_timed(double kernels, double speed) {
    std::vector<Measurement> all;
    for (const auto& [job, variant] : {std::pair{Job::fit, "step"},
                                       {Job::fit, "whole"},
                                       {Job::dense, ""},
                                       {Job::pick, ""},
                                       {Job::append, ""},
                                       {Job::design, ""}}) {
      Measurement m = with_spread(job, variant, kernels / speed, 0.02);
      const bool own_pass = m.work.limit == Limit::matern;
      if (m.work.limit != Limit::none) {
        m.limit_rate = 1e9 * speed / (own_pass ? kernels : 1);
        m.share = spread_round(own_pass ? 0.5 : 0.5 / kernels, 0.02);
      }
      all.push_back(m);
      m.backend = "cuda";
      all.push_back(m);
    }
    return machine_report(all, speed);
  }
  static Verdict verdict(const Report& before, const Report& after) {
    return compare(before, after).changes.at(0).verdict;
  }
  static void expect_all(const Comparison& comparison, Verdict verdict) {
    EXPECT_EQ(comparison.changes.size(), 12u);
    EXPECT_EQ(comparison.count(verdict), 12u) << comparison_text(comparison, least_change);
  }

 private:
  static Measurement with_spread(Job job, const char* variant, double seconds, double width) {
    Measurement m = measurement(job, "cpu", 1000, seconds);
    m.of.variant = variant;
    m.seconds = spread_round(seconds, width);
    m.work = nominal_work(m.of);
    return m;
  }
  static Report machine_report(const std::vector<Measurement>& measurements, double speed) {
    Report report = report_of(measurements);
    report.limits.gemm_flops *= speed;
    report.device_limits = MachineLimits{1e13 * speed, 2e12 * speed, 1e9};
    return report;
  }
};

TEST_F(BackendBenchCompare, FlagsChangesBeyondSpreadAndThreshold) {
  EXPECT_EQ(verdict(timed(1), timed(1)), Verdict::unchanged);
  EXPECT_EQ(verdict(timed(1), timed(1.2)), Verdict::slower);
  EXPECT_EQ(verdict(timed(1.2), timed(1)), Verdict::faster);
  // Inside the threshold, however narrow the spread.
  EXPECT_EQ(verdict(timed(1, 1e-6), timed(1.049, 1e-6)), Verdict::unchanged);
  EXPECT_EQ(verdict(timed(1, 1e-6), timed(1.051, 1e-6)), Verdict::slower);
  // Inside the spread: 1 ± 0.12 and 1.2 ± 0.144 overlap.
  EXPECT_EQ(verdict(timed(1, 0.12), timed(1.2, 0.12)), Verdict::unchanged);
  EXPECT_EQ(compare(timed(1), timed(1.2), 0.3).count(Verdict::slower), 0u);
}

TEST_F(BackendBenchCompare, AKernelThatSlowsItsOwnProbeDownIsFlagged) {
  const Comparison slower = compare(all_jobs_timed(1, 1), all_jobs_timed(2, 1));
  expect_all(slower, Verdict::slower);
  EXPECT_TRUE(slower.worse());
  for (const Change& c : slower.changes) {
    EXPECT_EQ(c.seconds_ratio, 2);
    EXPECT_EQ(c.machine_ratio, 1);
    EXPECT_EQ(c.limit_ratio.has_value(), nominal_work(c.of).limit != Limit::none);
    EXPECT_EQ(c.limit_ratio.value_or(1), c.limit == Limit::matern ? 0.5 : 1);
  }
  expect_all(compare(all_jobs_timed(2, 1), all_jobs_timed(1, 1)), Verdict::faster);
}

TEST_F(BackendBenchCompare, AMachineThatIsSlowerAsAWholeIsNamed) {
  const Comparison slower = compare(all_jobs_timed(1, 1), all_jobs_timed(1, 0.5));
  expect_all(slower, Verdict::slower_machine);
  EXPECT_FALSE(slower.worse());
  EXPECT_NE(comparison_text(slower, least_change).find("slower, and so is the machine"), std::string::npos);
  expect_all(compare(all_jobs_timed(1, 0.5), all_jobs_timed(1, 1)), Verdict::faster_machine);
  // Both: what the kernels lost is flagged all the same.
  expect_all(compare(all_jobs_timed(1, 1), all_jobs_timed(2, 0.5)), Verdict::slower);
}

TEST_F(BackendBenchCompare, FewerSecondsAreNeverSlower) {
  // A little faster on a machine whose limit is far faster.
  expect_all(compare(all_jobs_timed(1, 1), all_jobs_timed(1.6, 2)), Verdict::faster_machine);
  // As many seconds there: nothing is said of it.
  expect_all(compare(all_jobs_timed(1, 1), all_jobs_timed(2, 2)), Verdict::unchanged);
}

TEST_F(BackendBenchCompare, WithoutARateOfTheMachineSecondsDecide) {
  Report bare = timed(1), slower = timed(2, 0.02, 0.5);
  EXPECT_EQ(verdict(bare, slower), Verdict::slower_machine);
  for (Report* report : {&bare, &slower}) {
    report->measurements.front().backend = "cuda";
    report->device_limits.reset();
  }
  EXPECT_EQ(verdict(bare, slower), Verdict::slower);
  EXPECT_FALSE(compare(bare, slower).changes.front().machine_ratio);
}

TEST_F(BackendBenchCompare, SharesOfOtherDefinitionsAreNotCompared) {
  const Report before = all_jobs_timed(1, 1);
  const auto changed = [&](auto change) {
    Report after = all_jobs_timed(1, 0.5);  // by seconds alone: slower
    for (Measurement& m : after.measurements) change(m);
    const Comparison comparison = compare(before, after);
    expect_all(comparison, Verdict::slower);
    EXPECT_EQ(comparison.warnings.size(), 12u);
    EXPECT_NE(comparison.warnings.at(0).find("defined in another way; seconds alone"), std::string::npos);
  };
  changed([](Measurement& m) { m.work.limit = m.work.limit == Limit::memory ? Limit::gemm : Limit::memory; });
  changed([](Measurement& m) { m.work.limit_work += 1; });
  changed([](Measurement& m) { m.work.unit = "other things"; });
  Report other_size = all_jobs_timed(1, 0.5);
  other_size.environment["device_limit_size"] = "64";  // of the device alone
  EXPECT_EQ(compare(before, other_size).count(Verdict::slower), 6u);
  EXPECT_EQ(compare(before, other_size).count(Verdict::slower_machine), 6u);
  Report other_product = all_jobs_timed(1, 0.5);
  other_product.environment["cpu_gemm"] = "some BLAS";  // of the CPU alone
  EXPECT_EQ(compare(before, other_product).count(Verdict::slower), 6u);
  EXPECT_EQ(compare(before, other_product).count(Verdict::slower_machine), 6u);
}

TEST_F(BackendBenchCompare, MatchesByJobBackendAndSizes) {
  const Report before = report_of({measurement(Job::pick, "cpu", 1000, 1), measurement(Job::pick, "cuda", 1000, 1)});
  const Report after = report_of({measurement(Job::pick, "cpu", 1000, 3), measurement(Job::pick, "cpu", 2000, 1)});
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.changes.size(), 1u);
  EXPECT_EQ(comparison.count(Verdict::slower), 1u);
  EXPECT_EQ(comparison.missing, std::vector<std::string>{"pick on cuda, n = 100, m = 1,000, d = 6"});
  EXPECT_EQ(comparison.only_after, std::vector<std::string>{"pick on cpu, n = 100, m = 2,000, d = 6"});
  const std::string text = comparison_text(comparison, least_change);
  for (const char* part : {"SLOWER", "MISSING in the later", "Only in the later", "1 compared: 1 slower, 0 faster"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(BackendBenchCompare, WhatIsThereNoMoreIsWorse) {
  const Report both = report_of({measurement(Job::pick, "cpu", 1000, 1), measurement(Job::pick, "cuda", 1000, 1)});
  const Report cpu_alone = report_of({measurement(Job::pick, "cpu", 1000, 1)});
  EXPECT_TRUE(compare(both, cpu_alone).worse());
  EXPECT_FALSE(compare(cpu_alone, both).worse());
  EXPECT_FALSE(compare(both, both).worse());
}

TEST_F(BackendBenchCompare, WhatRanBeforeAndFailsIsNamed) {
  Report failing = timed(1);
  const Measurement measured = failing.measurements.front();
  failing.measurements.clear();
  failing.failures.push_back({measured.of, "cpu", "no memory"});
  failing.failures.push_back({measured.of, "cuda", "never ran"});
  const Report read = report_from_json(json_text(failing, {}), "some.json");
  const Comparison comparison = compare(timed(1), read);
  EXPECT_EQ(comparison.failing, std::vector<std::string>{"fit, whole on cpu, n = 100, m = 1,000, d = 6: no memory"});
  EXPECT_TRUE(comparison.missing.empty());
  EXPECT_TRUE(comparison.worse());
  EXPECT_NE(comparison_text(comparison, least_change).find("FAILED"), std::string::npos);
}

TEST_F(BackendBenchCompare, WarnsOfTooFewRuns) {
  Report few = timed(1);
  few.measurements.front().seconds.samples = 2;
  EXPECT_EQ(compare(timed(1), few).warnings,
            std::vector<std::string>{"1 results of the later report have fewer than 3 runs, too few for a spread"});
  EXPECT_TRUE(compare(timed(1), timed(1)).warnings.empty());
}

TEST_F(BackendBenchCompare, WarnsWhereTheRunsAreNotAlike) {
  Report other = timed(1);
  other.environment["flags"] = "-O2";
  other.environment["device"] = "a card";
  other.environment["cpu_level"] = "v2";
  const Comparison comparison = compare(timed(1), other);
  ASSERT_EQ(comparison.warnings.size(), 3u);
  EXPECT_EQ(comparison.warnings[0], "cpu_level differs: unknown before, v2 after");
  EXPECT_EQ(comparison.warnings[1], "device differs: unknown before, a card after");
  EXPECT_EQ(comparison.warnings[2], "flags differs: -O3 before, -O2 after");
}

}  // namespace
