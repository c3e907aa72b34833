#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/backends/environment.hpp"
#include "bench/backends/plot.hpp"
#include "bench/backends/results.hpp"
#include "bench/backends/tables.hpp"
#include "reports.hpp"

namespace {

using namespace bench_reports;

std::string message_of_unreadable(const std::string& text) {
  try {
    report_from_json(text, "some.json");
  } catch (const UnreadableReport& error) {
    return error.what();
  }
  return "";
}

TEST(BackendBenchResults, JsonIsReadBackExactly) {
  Measurement pick = measurement(Job::pick, "cpu", 1000, 0.1 + 0.2);
  pick.share = spread_round(1.0 / 3);
  pick.limit_rate = 1e9 / 7;
  pick.peak_bytes = 123456789;
  pick.shares = PickShares{0.01, 0.07, 1.0 / 17};
  Measurement batch = measurement(Job::batch, "cuda", 1000, 5e-324);  // the smallest that there is
  batch.seconds = {5e-324, 5e-324, 5e-324, 5e-324, 5e-324, 1};
  batch.of.variant = "batched";
  batch.of.sizes.batched = true;
  Report written = report_of({pick, batch});
  EXPECT_FALSE(report_from_json(json_text(written, {}), "some.json").device_limits);
  written.limits.fma_flops = 0.1 + 0.7;
  written.device_limits = MachineLimits{1e13, 2e12, 1.0 / 3};
  const Report read = report_from_json(json_text(written, {}), "some.json");
  EXPECT_EQ(read.environment, written.environment);
  EXPECT_EQ(read.limits.matern_entries, 5e8);
  EXPECT_EQ(read.limits.fma_flops, 0.1 + 0.7);
  ASSERT_TRUE(read.device_limits);
  EXPECT_EQ(read.device_limits->gemm_flops, 1e13);
  EXPECT_EQ(read.device_limits->memory_bytes, 2e12);
  EXPECT_EQ(read.device_limits->matern_entries, 1.0 / 3);
  ASSERT_EQ(read.measurements.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Measurement &a = read.measurements[i], &b = written.measurements[i];
    EXPECT_EQ(a.of, b.of);
    EXPECT_EQ(a.backend, b.backend);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.share, b.share);
    EXPECT_EQ(a.cpu_seconds, b.cpu_seconds);
    EXPECT_EQ(a.limit_rate, b.limit_rate);
    EXPECT_EQ(a.peak_bytes, b.peak_bytes);
    EXPECT_EQ(a.work.units, b.work.units);
    EXPECT_EQ(a.work.unit, b.work.unit);
    EXPECT_EQ(a.work.limit, b.work.limit);
    EXPECT_EQ(a.shares.has_value(), b.shares.has_value());
  }
  EXPECT_EQ(read.measurements[0].shares->rows, 1.0 / 17);
}

TEST(BackendBenchResults, WhatCannotBeUsedIsSaid) {
  const std::string good = json_text(report_of({measurement(Job::pick, "cpu", 1000, 1)}), {});
  EXPECT_EQ(message_of_unreadable(good), "");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    const std::size_t place = good.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return good.substr(0, place) + to + good.substr(place + from.size());
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(message_of_unreadable(text).find(part), std::string::npos) << message_of_unreadable(text);
  };
  expect("", "some.json is not JSON");
  expect(good.substr(0, good.size() / 2), "is not JSON");
  expect("[]", "is not a report");
  expect("{\"schema\": 3}", "schema");
  expect(replaced("\"schema_version\": 1", "\"schema_version\": 2"), "schema_version is 2, and 1 is what");
  expect(replaced("\"pick\"", "\"peck\""), "'peck' is not known");
  expect(replaced("\"n\": 100", "\"n\": \"many\""), "n is a whole number");
  expect(replaced("\"n\": 100", "\"n\": -100"), "n is a whole number that is not negative, not -100");
  expect(replaced("\"m\": 1000", "\"m\": 0.5"), "m is a whole number that is not negative, not 0.5");
  expect(replaced("\"median\": 1.0", "\"median\": -1.0"), "ascending order");
  expect(replaced("\"median\": 1.0", "\"median\": null"), "is not a report");
  EXPECT_THROW(read_report(std::filesystem::temp_directory_path() / "carbo" / "is not there.json"), UnreadableReport);
  const Measurement same = measurement(Job::pick, "cpu", 1000, 1);
  expect(json_text(report_of({same, same}), {}), "twice");
}

TEST(BackendBenchResults, CsvHasOneRowAMeasurement) {
  const std::string text =
      results_csv(report_of({measurement(Job::pick, "cpu", 1000, 0.25), measurement(Job::dense, "cuda", 10, 2)}));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_NE(text.find("\npick,,cpu,100,1000,6,1,10,4,0.25,"), std::string::npos) << text;
  EXPECT_NE(text.find("Model; with ;quotes;"), std::string::npos);
}

TEST(BackendBenchResults, CsvSaysWhereItWasMeasured) {
  Report report = report_of({measurement(Job::pick, "cuda", 1000, 0.25)});
  report.measurements.front().share = spread_round(0.5, 0.25);
  report.environment["driver"] = "580.1";
  report.environment["device_clocks"] = "1980 MHz, 1980 MHz";
  const std::string text = results_csv(report);
  for (const char* column : {",share_of_limit,share_lower_quartile,share_upper_quartile,",
                             ",device,driver,device_clocks,compiler,commit\n", ",0.5,0.4375,0.5625,",
                             ",unknown,580.1,1980 MHz; 1980 MHz,-O3,abc\n"})
    EXPECT_NE(text.find(column), std::string::npos) << column << "\n" << text;
}

TEST(BackendBenchEnvironment, SaysWhatWasBuilt) {
  const Environment environment = describe_environment({"-O7", "1.2.3", "abc-dirty"});
  EXPECT_EQ(environment.at("flags"), "-O7");
  EXPECT_EQ(environment.at("version"), "1.2.3");
  EXPECT_EQ(environment.at("commit"), "abc-dirty");
}

TEST(BackendBenchEnvironment, ADeviceHasOneNameHoweverItWasChosen) {
  const std::string card = "NVIDIA L4 (device 0, compute capability 8.9)";
  EXPECT_EQ(device_in("cuda: " + card + ", asked for"), card);
  EXPECT_EQ(device_in("cuda: " + card + ", the device that was found"), card);
  EXPECT_EQ(device_in("some text"), "some text");
}

TEST(BackendBenchTables, BothBackendsStandBesideEachOther) {
  const Report report =
      report_of({measurement(Job::pick, "cpu", 1000, 0.3), measurement(Job::pick, "cuda", 1000, 0.1)});
  const std::string table = results_table(report);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_NE(table.find(" 3.00 |"), std::string::npos) << table;
  EXPECT_EQ(results_table(report_of({})), "");
  EXPECT_EQ(results_table(report_of({measurement(Job::pick, "cpu", 1000, 1)})).find("cuda"), std::string::npos);
}

TEST(BackendBenchTables, WhatOnlyTheDeviceCouldRunIsThere) {
  const std::string table =
      results_table(report_of({measurement(Job::pick, "cpu", 1000, 0.3), measurement(Job::pick, "cuda", 1000, 0.1),
                               measurement(Job::dense, "cuda", 1000, 0.1)}));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
  EXPECT_NE(table.find("| dense |"), std::string::npos) << table;
}

TEST(BackendBenchTables, EachBackendIsHeldAgainstItsOwnLimit) {
  Report report = report_of({measurement(Job::pick, "cpu", 1000, 0.3), measurement(Job::pick, "cuda", 1000, 0.1)});
  report.measurements[1].share = spread_round(0.25);
  const std::string table = results_table(report);
  EXPECT_NE(table.find("| cuda: of the limit | cpu / cuda |"), std::string::npos) << table;
  EXPECT_LT(table.find(" 10 picks/s |"), table.find(" 0.25 of Matérn |")) << table;  // after the device's rate
  EXPECT_LT(table.find(" 0.25 of Matérn |"), table.find(" 3.00 |")) << table;
  EXPECT_EQ(environment_text(report).find("limits of the device"), std::string::npos);
  report.limits.fma_flops = 2e11;
  report.environment["cpu_gemm"] = "some BLAS";
  EXPECT_NE(environment_text(report).find("machine: multiply-adds 200 Gflop/s, GEMM (some BLAS) 100 Gflop/s"),
            std::string::npos)
      << environment_text(report);
  report.device_limits = MachineLimits{1e13, 2e12, 3e10};
  EXPECT_NE(environment_text(report).find("limits of the device: GEMM (cuBLAS) 10 Tflop/s, memory (copy) 2 TB/s"),
            std::string::npos)
      << environment_text(report);
}

TEST(BackendBenchTables, NumbersReadWell) {
  EXPECT_EQ(grouped(1234567.8), "1,234,568");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(seconds_text(2.5e-5), "25 µs");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
  EXPECT_EQ(seconds_text(1234), "1234 s");
  EXPECT_EQ(seconds_text(0.9996), "1 s");
  EXPECT_EQ(seconds_text(0.9994), "999 ms");
  EXPECT_EQ(seconds_text(999.6e-6), "1 ms");
  EXPECT_EQ(seconds_text(999.6), "1000 s");
  EXPECT_EQ(quantity_text(999.6e6, "B"), "1 GB");
  EXPECT_EQ(quantity_text(1.5e10, "B"), "15 GB");
  EXPECT_EQ(quantity_text(7, "B"), "7 B");
}

TEST(BackendBenchPlot, HasALineForEachJobAndBackend) {
  std::vector<Measurement> all;
  for (const std::size_t m : {1000, 10000})
    for (const char* backend : {"cpu", "cuda"}) all.push_back(measurement(Job::pick, backend, m, 1e-3));
  const std::string plot = results_plot(report_of(all));
  std::size_t lines = 0;
  for (std::size_t at = plot.find("<polyline"); at != std::string::npos; at = plot.find("<polyline", at + 1)) ++lines;
  EXPECT_EQ(lines, 2u);
  EXPECT_EQ(plot.find(">pick<"), plot.rfind(">pick<"));  // one entry of the legend for both
  EXPECT_NE(plot.find(">pick<"), std::string::npos);
  EXPECT_EQ(results_plot(report_of({all.front()})), "");  // one size has no line
}

}  // namespace
