#include "engine/time_unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <carbo/carbo.hpp>

#include "support/expect_error.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using internal::near_time_units;
using internal::seconds_per_unit;
using test::small_options;
using test::valley_space;

TEST(TimeUnit, UsualSpellingsAreKnown) {
  const std::vector<std::pair<double, std::vector<std::string>>> known{
      {1e-9, {"ns", "nsecs", "nanosec", "nanoseconds"}},
      {1e-6, {"us", "\u00b5s", "\u03bcs", "\u00b5sec", "usecs", "microsec", "microsecond"}},
      {1e-3, {"ms", "msec", "msecs", "millis", "millisec", "milliseconds", "Milliseconds"}},
      {1.0, {"s", "sec", "secs", "second", "seconds", "Sec", "SECONDS"}},
      {60.0, {"min", "mins", "minute", "minutes", "Min"}},
      {3600.0, {"h", "hr", "hrs", "hour", "hours", "Hours"}},
      {86400.0, {"d", "day", "days"}},
      {604800.0, {"wk", "week", "Weeks"}}};
  for (const auto& [seconds, spellings] : known) {
    for (const std::string& unit : spellings) {
      EXPECT_EQ(seconds_per_unit(unit), seconds) << unit;
      EXPECT_TRUE(near_time_units(unit).empty()) << unit;
      Options options = small_options(10);
      options.cost.unit = unit;
      EXPECT_EQ(Optimizer(valley_space(), options).accounting(), Accounting::longest) << unit;
    }
  }
}

TEST(TimeUnit, OtherUnitsAreSummed) {
  for (const std::string unit :
       {"EUR", "USD",   "US$",       "$",           "kWh",    "Wh",       "J",      "kJ",     "GB",
        "MiB", "GPU-h", "GPU hours", "core-hours",  "tokens", "records",  "steps",  "epochs", "flops",
        "CHF", "SEK",   "unit",      "evaluations", "coins",  "man-days", "pounds", "rounds"}) {
    EXPECT_EQ(seconds_per_unit(unit), 0) << unit;
    EXPECT_TRUE(near_time_units(unit).empty()) << unit << " taken for " << near_time_units(unit).front();
    Options options = small_options(10);
    options.cost.unit = unit;
    EXPECT_EQ(Optimizer(valley_space(), options).accounting(), Accounting::sum) << unit;
  }
}

TEST(TimeUnit, ANearMissIsTakenAsItIsWhereCostsAreSaidToBeSummed) {
  for (const std::string unit : {"tours", "US", "m", "sce"}) {
    Options options = small_options(10);
    options.cost.unit = unit;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {unit, "Accounting::sum"});
    options.accounting = Accounting::sum;
    EXPECT_EQ(Optimizer(valley_space(), options).accounting(), Accounting::sum) << unit;
  }
}

TEST(TimeUnit, ABlankIsNone) {
  for (const std::string unit : {"", "  ", ".", "[]"}) {
    Options options = small_options(10);
    options.cost.unit = unit;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, {"cost.unit is '" + unit + "'"});
  }
}

TEST(TimeUnit, ANearMissIsAnErrorThatNamesWhatIsNear) {
  const std::vector<std::pair<std::string, std::string>> misses{{"sec.", "sec"},
                                                                {" s", "s"},
                                                                {"[s]", "s"},
                                                                {"S", "s"},
                                                                {"MS", "ms"},
                                                                {"m", "min"},
                                                                {"esc", "sec"},
                                                                {"sces", "secs"},
                                                                {"hsr", "hrs"},
                                                                {"sceonds", "seconds"},
                                                                {"secnds", "seconds"},
                                                                {"secon", "second"},
                                                                {"minuts", "minutes"},
                                                                {"minuets", "minutes"},
                                                                {"hous", "hours"},
                                                                {"Houres", "hours"},
                                                                {"miliseconds", "milliseconds"},
                                                                {"millisecnds", "milliseconds"},
                                                                {"hs", "h"},
                                                                {"mn", "min"}};
  for (const auto& [unit, meant] : misses) {
    EXPECT_EQ(seconds_per_unit(unit), 0) << unit;
    const std::vector<std::string> near = near_time_units(unit);
    EXPECT_NE(std::ranges::find(near, meant), near.end()) << unit;
    Options options = small_options(10);
    options.cost.unit = unit;
    expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); },
                                 {"cost.unit is '" + unit + "'", meant, "EUR"});
  }
}

}  // namespace
}  // namespace carbo
