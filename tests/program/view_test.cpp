#include "program/run/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "program/support/terminal.hpp"

namespace carbo::program {
namespace {

RunView view() {
  RunView view;
  view.study = "tuning";
  view.unit = "s";
  view.budget = 100;
  view.spent = 25;
  view.began = 1000;
  view.evaluations = 12;
  view.failures = 1;
  view.best = 0.5;
  view.best_configuration = "rate=0.1 layers=3 name=naïve";
  view.bests = {3, 2, 2, 1, 0.5};
  view.phase = Phase::search;
  view.alpha = 0.75;
  view.workers = {{7, 1018, "rate=0.2 layers=4 name=x"}, {}};
  return view;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(ProgramView, ShowsBudgetBestPhaseAndWorkers) {
  const std::string text = joined(render(view(), 1020, {100, 20, true, false}));
  EXPECT_NE(text.find("tuning  search  α 0.75  12 evaluated, 1 running, 1 failed"), std::string::npos) << text;
  EXPECT_NE(text.find("25 %  25 s of 100 s  1:00 left"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5  █▅▅▂▁  rate=0.1"), std::string::npos) << text;
  EXPECT_NE(text.find("#0      7           2 s  rate=0.2"), std::string::npos) << text;
  EXPECT_NE(text.find("#1      waits"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ProgramView, FitsEveryTerminal) {
  RunView many = view();
  many.workers.resize(64, many.workers[0]);
  for (const bool utf8 : {true, false}) {
    for (const std::size_t columns : {19u, 40u, 80u, 300u}) {
      for (const std::size_t rows : {3u, 5u, 24u, 100u}) {
        const auto lines = render(many, 1020, {columns, rows, utf8, false});
        EXPECT_LE(lines.size(), rows);
        for (const std::string& line : lines) {
          EXPECT_LE(width_of(line), columns) << line;
          const bool ascii = std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
          EXPECT_TRUE(utf8 || ascii) << line;
        }
      }
    }
  }
  const auto short_list = render(many, 1020, {80, 10, true, false});
  EXPECT_EQ(short_list.back(), "and 58 more workers");
}

TEST(ProgramView, NoColourWithoutBeingAsked) {
  EXPECT_EQ(joined(render(view(), 1020, {80, 20, true, false})).find('\x1b'), std::string::npos);
  EXPECT_NE(joined(render(view(), 1020, {80, 20, true, true})).find('\x1b'), std::string::npos);
}

TEST(ProgramView, ControlCharactersDoNotReachTheTerminal) {
  RunView hostile = view();
  hostile.best_configuration = "name=\x1b[2J\n";
  EXPECT_EQ(joined(render(hostile, 1020, {80, 20, true, false})).find('\x1b'), std::string::npos);
}

TEST(ProgramView, SparklinesKeepTheLastOfEachShare) {
  EXPECT_EQ(sparkline({}, 10, false), "");
  EXPECT_EQ(sparkline({1}, 10, false), "_");
  EXPECT_EQ(sparkline({0, 7, 8}, 10, false), "_##");
  EXPECT_EQ(sparkline({9, 8, 1, 0}, 2, false), "#_");
}

TEST(ProgramView, WhatIsLeftFollowsThisRunAlone) {
  RunView later = view();
  later.spent_before = 20;  // five of the budget in 20 s
  EXPECT_NEAR(*seconds_left(later, 1020), 300, 1e-9);
  later.spent = 20;
  EXPECT_FALSE(seconds_left(later, 1020));
  later.most_evaluations = 24;
  EXPECT_NEAR(*seconds_left(later, 1020), 20, 1e-9) << "twelve of 24 evaluations in 20 s";
  EXPECT_EQ(clock_text(59.9), "59 s");
  EXPECT_EQ(clock_text(3605), "1:00:05");
}

}  // namespace
}  // namespace carbo::program
