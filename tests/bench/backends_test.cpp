#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "bench/backends/arguments.hpp"
#include "bench/backends/crossover.hpp"
#include "bench/backends/tables.hpp"
#include "reports.hpp"

namespace {

using namespace bench_reports;

std::string message_of_bad_arguments(const std::vector<std::string>& arguments) {
  try {
    parse_arguments(arguments);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(BackendBenchStatistics, SpreadHoldsQuartilesAndExtremes) {
  const carbo::replay::Spread spread = carbo::replay::spread_of({5, 1, 3, 2, 4});
  EXPECT_EQ(spread, (carbo::replay::Spread{3, 2, 4, 1, 5, 5}));
  EXPECT_EQ(spread.interquartile_range(), 2);
  EXPECT_EQ(carbo::replay::spread_of({7}), (carbo::replay::Spread{7, 7, 7, 7, 7, 1}));
  EXPECT_THROW(carbo::replay::spread_of({}), std::invalid_argument);
}

TEST(BackendBenchJobs, NamesAreReadBack) {
  std::set<std::string> names;
  for (const Job job : all_jobs) {
    EXPECT_EQ(job_by_name(name_of(job)), job);
    names.insert(name_of(job));
  }
  EXPECT_EQ(names.size(), 7u);
  EXPECT_THROW(job_by_name("race"), carbo::InvalidOptions);
}

TEST(BackendBenchJobs, WorkFollowsTheFormulas) {
  const JobSizes sizes{.n = 10, .m = 1000, .d = 4, .b = 8};
  EXPECT_EQ(nominal_work({Job::fit, "step", sizes}).flops, 8 * 1000);           // two GPs, four restarts, n³
  EXPECT_EQ(nominal_work({Job::dense, "", sizes}).limit_work, 100 * 1000);      // n²·m
  EXPECT_EQ(nominal_work({Job::pick, "", sizes}).limit_work, 2 * 10 * 1000);    // both GPs
  EXPECT_EQ(nominal_work({Job::append, "", sizes}).limit_work, 10 * 1000);      // one
  EXPECT_EQ(nominal_work({Job::design, "", sizes}).bytes, 8 * (4 + 3) * 1000);  // rows, distances twice, costs
  EXPECT_EQ(nominal_work({Job::batch, "shared", sizes}).units, 8);
  EXPECT_EQ(nominal_work({Job::fit, "whole", sizes}).limit, Limit::none);
  EXPECT_EQ(nominal_work({Job::suggest, "fitted", sizes}).limit, Limit::matern);
  EXPECT_EQ(nominal_work({Job::suggest, "with fit", sizes}).limit, Limit::none);
  EXPECT_EQ(nominal_work({Job::suggest, "with fit", sizes}).units, 8);
  JobSizes batched = sizes;
  batched.batched = true;  // a GP a fantasy, and the log cost's
  EXPECT_EQ(nominal_work({Job::batch, "batched", batched}).limit_work, 11 * 10 * 1000);
}

TEST(BackendBenchJobs, SizesThatDoNotMatterCompareEqual) {
  const JobSizes sizes{.n = 10, .m = 1000, .d = 4, .b = 8, .fantasies = 3};
  JobSizes other = sizes;
  other.m = 5;
  EXPECT_EQ(relevant(Job::fit, sizes), relevant(Job::fit, other));
  EXPECT_NE(relevant(Job::pick, sizes), relevant(Job::pick, other));
  other = sizes;
  other.b = 1;
  EXPECT_EQ(relevant(Job::dense, sizes), relevant(Job::dense, other));
  EXPECT_NE(relevant(Job::suggest, sizes), relevant(Job::suggest, other));
}

TEST(BackendBenchArguments, CasesAreTheGridEachOnce) {
  const Arguments arguments =
      parse_arguments({"--n", "10,20", "--m", "1e3,2e3", "--d", "3", "--b", "4,5000", "--jobs", "fit,pick,batch"});
  const std::vector<Case> cases = cases_of(arguments);
  // fit: two variants at two n; pick: n × m; batch: n × m × b, half of which is impossible.
  EXPECT_EQ(cases.size(), 4u + 4u + 8u);
  EXPECT_EQ(std::count_if(cases.begin(), cases.end(), [](const Case& c) { return !why_impossible(c).empty(); }), 4);
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(std::count(cases.begin(), cases.end(), cases[i]), 1) << label(cases[i]);
  EXPECT_EQ(cases_of(parse_arguments({"--grid", "small", "--jobs", "batch", "--batched"})).size(), 4u);
}

TEST(BackendBenchArguments, WhatIsImpossibleIsSaid) {
  EXPECT_EQ(why_impossible({Job::batch, "shared", {.n = 9, .m = 20, .d = 2, .b = 20}}), "");
  EXPECT_EQ(why_impossible({Job::batch, "shared", {.n = 9, .m = 20, .d = 2, .b = 21}}),
            "b = 21 points do not fit into m = 20 candidates");
  EXPECT_EQ(why_impossible({Job::suggest, "fitted", {.n = 5, .m = 20, .d = 2}}), "");
  EXPECT_NE(why_impossible({Job::suggest, "fitted", {.n = 4, .m = 20, .d = 2}}).find("not n = 4"), std::string::npos);
  EXPECT_EQ(why_impossible({Job::pick, "", {.n = 1, .m = 1, .d = 2}}), "");
}

TEST(BackendBenchArguments, OwnSizesReplaceThoseOfTheGridWhereverTheyStand) {
  for (const auto& line : {std::vector<std::string>{"--m", "7", "--grid", "small"}, {"--grid", "small", "--m", "7"}})
    EXPECT_EQ(parse_arguments(line).grid.m, std::vector<std::size_t>{7});
}

TEST(BackendBenchArguments, BadOnesAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--n", "0"}, "--n takes whole numbers"},
      {{"--n", "1.5"}, "'1.5'"},
      {{"--m", "1e3,,5"}, "without gaps"},
      {{"--m", "-4"}, "'-4'"},
      {{"--m", "nan"}, "takes numbers"},
      {{"--m", "1e400"}, "takes numbers"},
      {{"--d", "101"}, "at most 100"},
      {{"--jobs", "dense,race"}, "'race' is not known; there are fit, dense"},
      {{"--backend", "gpu"}, "cpu, cuda or both"},
      {{"--grid", "huge"}, "small, default or large"},
      {{"--repeats"}, "--repeats needs a value"},
      {{"--grid"}, "--grid needs a value"},
      {{"--out"}, "--out needs a value"},
      {{"--out", ""}, "--out needs a folder"},
      {{"--card", "T4", "--card", "T4"}, "--card names T4 twice"},
      {{"--card", "name=X,flops=1,flops=2"}, "--card has flops twice"},
      {{"--limit-size", "0"}, "--limit-size takes whole numbers"},
      {{"--limit-size", "32769"}, "--limit-size is at most 32768"},
      {{"--limit-size", "64,128"}, "--limit-size takes numbers"},
      {{"--card", "name=X,flops=1e12"}, "--card needs"},
      {{"--card", "name=X,flops=-1"}, "above 0"},
      {{"--card", "no such card"}, "no such card"},
      {{"--compare", "one.json"}, "--compare needs a value"},
      {{"--threshold", "2"}, "between 0 and 1"},
      {{"--fast"}, "unknown argument '--fast'"},
      {{"fit"}, "unknown argument 'fit'"},
  };
  for (const auto& [arguments, expected] : cases)
    EXPECT_NE(message_of_bad_arguments(arguments).find(expected), std::string::npos)
        << arguments.front() << ": " << message_of_bad_arguments(arguments);
}

TEST(BackendBenchArguments, ACardOfOnesOwnIsTaken) {
  const Arguments arguments = parse_arguments({"--card",
                                               "name=Mine,flops=1e12,float32=2e12,bandwidth=5e11,link=1e10,launch=5e-"
                                               "6,wait=1e-5,multiprocessors=60,row=8e-8"});
  ASSERT_EQ(arguments.cards.size(), 1u);
  EXPECT_EQ(arguments.cards.front().name, "Mine");
  EXPECT_EQ(arguments.cards.front().wait_seconds, 1e-5);
  EXPECT_EQ(arguments.cards.front().row_seconds, 8e-8);
  EXPECT_EQ(arguments.cards.front().float32_flops, 2e12);
}

TEST(BackendBenchCrossover, PowerLawsAreMetExactly) {
  // cpu = 1e-6·m and cuda = 1e-3·√m are equal at m = 1e6; both are straight lines in logarithms.
  std::vector<SizeTimes> times;
  for (const double m : {1e8, 1e4, 1e7}) times.push_back({m, 1e-6 * m, 1e-3 * std::sqrt(m)});
  const auto crossover = find_crossover(times);
  ASSERT_TRUE(crossover);
  EXPECT_EQ(crossover->kind, CrossoverKind::at);
  EXPECT_NEAR(crossover->size, 1e6, 1e6 * 1e-12);  // a few roundings of logarithms below 20
  EXPECT_EQ(describe(*crossover), "1,000,000");
}

TEST(BackendBenchCrossover, EndsOfTheGridAreSaid) {
  EXPECT_FALSE(find_crossover({}));
  EXPECT_EQ(describe(*find_crossover({{1000, 2, 1}, {10000, 3, 1}})), "below 1,000");
  EXPECT_EQ(describe(*find_crossover({{1000, 1, 2}, {10000, 3, 3}})), "not up to 10,000");
  // Faster at the smallest, slower in between: only the last stretch counts.
  EXPECT_EQ(describe(*find_crossover({{100, 2, 1}, {1000, 1, 2}, {10000, 2, 1}})), "3,162");
}

TEST(BackendBenchCrossover, LinesDifferInOneSizeAlone) {
  std::vector<Measurement> all;
  for (const std::size_t m : {1000, 100000}) {
    all.push_back(measurement(Job::pick, "cpu", m, 1e-6 * static_cast<double>(m)));
    all.push_back(measurement(Job::pick, "cuda", m, 1e-2));
  }
  all.push_back(measurement(Job::dense, "cpu", 1000, 1));  // not measured on the other: no line
  const std::vector<CrossoverLine> lines = crossovers(report_of(all));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].varies, "m");
  EXPECT_NEAR(lines[0].crossover.size, 1e4, 1e-6);
  EXPECT_NE(crossover_table(report_of(all)).find("m 10,000"), std::string::npos);
  for (Measurement& m : all)
    if (m.backend == "cuda") m.seconds = spread_round(10);
  EXPECT_NE(crossover_table(report_of(all)).find("m not up to 100,000"), std::string::npos);
}

}  // namespace
