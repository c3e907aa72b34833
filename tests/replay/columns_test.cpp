#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "replay/columns.hpp"
#include "support/expect_error.hpp"

namespace carbo::replay {
namespace {

GuessedSpace guess(const std::string& text, ColumnChoice choice = {}) {
  choice.others.insert(choice.others.end(), {"objective", "cost"});
  return guess_space("t.csv", parse_csv("t.csv", text), choice);
}

/// Rows of one parameter column beside objective and cost.
std::string one_column(const std::vector<std::string>& cells) {
  std::string text = "p,objective,cost\n";
  for (const std::string& cell : cells) text += csv_field(cell) + ",1,1\n";
  return text;
}

TEST(ReplayColumns, TellsWholeNumbersOthersAndNames) {
  const Space space = guess("n,x,name,objective,cost\n3,0.5,b,1,1\n-2, 1e3 ,a,2,1\n+7,2,b,3,1\n").space;
  ASSERT_EQ(space.parameters().size(), 3u);
  const Parameter &n = space.parameters()[0], &x = space.parameters()[1], &name = space.parameters()[2];
  EXPECT_EQ(n.kind(), ParameterKind::integer);
  EXPECT_EQ(n.lower(), -2);
  EXPECT_EQ(n.upper(), 7);
  EXPECT_EQ(x.kind(), ParameterKind::real);
  EXPECT_EQ(x.lower(), 0.5);
  EXPECT_EQ(x.upper(), 1000);
  EXPECT_EQ(x.scale(), Scale::linear);
  EXPECT_EQ(name.labels(), (std::vector<std::string>{"a", "b"}));
}

TEST(ReplayColumns, TakesScalesAndCategoriesAsTheyWereGiven) {
  const Space space =
      guess("n,x,objective,cost\n1,0.5,1,1\n2,8,2,1\n4,2,3,1\n", {.logarithmic = {"x"}, .categorical = {"n"}}).space;
  EXPECT_EQ(space.parameters()[0].labels(), (std::vector<std::string>{"1", "2", "4"}));
  EXPECT_EQ(space.parameters()[1].scale(), Scale::log);
  const Space chosen = guess("n,x,objective,cost\n1,0.5,1,1\n2,8,2,1\n", {.parameters = {"x"}}).space;
  ASSERT_EQ(chosen.parameters().size(), 1u);
  EXPECT_EQ(chosen.parameters()[0].name(), "x");
}

TEST(ReplayColumns, LeavesOutWhatIsNoParameterAndSaysSo) {
  const GuessedSpace guessed = guess("row,same,void,x,objective,cost\n0,7,,1,1,1\n1,7,NA,2,1,1\n2,7,,5,1,1\n");
  ASSERT_EQ(guessed.space.parameters().size(), 1u);
  ASSERT_EQ(guessed.notes.size(), 3u);
  EXPECT_EQ(guessed.notes[0], "column 'row' numbers the rows and was left out");
  EXPECT_EQ(guessed.notes[1], "column 'same' is the same in every row and was left out");
  EXPECT_EQ(guessed.notes[2], "column 'void' is empty and was left out");
  const Space asked = guess("row,x,objective,cost\n1,1,1,1\n2,2,1,1\n3,9,1,1\n", {.parameters = {"row", "x"}}).space;
  EXPECT_EQ(asked.parameters().size(), 2u);
  expect_error<InvalidOptions>([] { guess("same,x,objective,cost\n7,1,1,1\n7,2,1,1\n", {.parameters = {"same"}}); },
                               {"'same' has one value alone"});
}

TEST(ReplayColumns, NamesLineAndColumnOfWhatIsWrong) {
  expect_error<InvalidObservation>(
      [] {
        guess(one_column({"1", "2", "three", "4"}));
      },
      {"t.csv:4: column 'p': 'three' is no number, as 3 others are", "categorical"});
  expect_error<InvalidObservation>(
      [] {
        guess(one_column({"low", "high", "3", "low"}));
      },
      {"t.csv:4: column 'p': '3' is a number, where 3 others are texts"});
  expect_error<InvalidObservation>(
      [] {
        guess(one_column({"1", "2.5", "-inf"}));
      },
      {"t.csv:4: column 'p': '-inf' is not finite"});
  expect_error<InvalidObservation>(
      [] {
        guess(one_column({"1", "2", "0"}), {.logarithmic = {"p"}});
      },
      {"t.csv:4: column 'p': '0' is not above 0"});
  expect_error<InvalidOptions>(
      [] {
        guess(one_column({"a", "b"}), {.logarithmic = {"p"}});
      },
      {"its values are names"});
  expect_error<InvalidOptions>(
      [] {
        guess(one_column({"1", "1"}), {.categorical = {"p"}});
      },
      {"'p' is to be categorical, but is no parameter"});
  expect_error<InvalidObservation>(
      [] {
        guess(one_column({"1", "2"}), {.logarithmic = {"q"}});
      },
      {"t.csv:1: no column is called 'q'"});
  expect_error<InvalidOptions>(
      [] {
        guess(one_column({"1", "2"}), {.parameters = {"p", "cost"}});
      },
      {"'cost' is a parameter, and also"});
  expect_error<InvalidOptions>([] { guess("objective,cost\n1,1\n2,1\n"); }, {"no column is left"});
}

TEST(ReplayColumns, TakesAThousandNamesButNotATextForEachRow) {
  std::vector<std::string> few, each;
  for (int i = 0; i < 2400; ++i) {
    few.push_back("name " + std::to_string(i * 7 % 1000));
    each.push_back("remark " + std::to_string(i));
  }
  EXPECT_EQ(guess(one_column(few)).space.parameters()[0].labels().size(), 1000u);
  expect_error<InvalidObservation>([&] { guess(one_column(each)); },
                                   {"t.csv:2: column 'p': 2400 different texts in 2400 rows"});
  EXPECT_EQ(guess(one_column(each), {.categorical = {"p"}}).space.parameters()[0].labels().size(), 2400u);
}

TEST(ReplayColumns, ReadsWhatOtherProgramsWrite) {
  const CsvTable table = parse_csv("t.csv", "\xEF\xBB\xBFx,\"a \"\"b\"\", c\"\r\n1,\"u\r\nv\"\r\n\r\n2,w\r\n");
  EXPECT_EQ(table.header, (CsvRow{"x", "a \"b\", c"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (CsvRow{"1", "u\r\nv"}));
  EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 5}));
}

}  // namespace
}  // namespace carbo::replay
