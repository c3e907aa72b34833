#include <gtest/gtest.h>

#include "program/replay_tables.hpp"

namespace carbo::program::testing {
namespace {

class ReplayErrors : public ::testing::Test {
 protected:
  ReplayErrors() { folder.write("small.csv", small_table()); }

  void refused(const Outcome& outcome, int code, const std::vector<std::string>& parts) const {
    EXPECT_EQ(outcome.code, code) << outcome.out;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "t.replay"));
    EXPECT_FALSE(std::filesystem::exists(folder / "small.replay"));
  }
  void table(const std::string& text, const std::vector<std::string>& parts,
             const std::vector<std::string>& more = {}) const {
    folder.write("t.csv", text);
    std::vector<std::string> words = {"replay", "t.csv"};
    words.insert(words.end(), more.begin(), more.end());
    refused(folder.carbo(words), 6, parts);
  }
  void options(const std::vector<std::string>& more, int code, const std::vector<std::string>& parts) const {
    refused(folder.carbo(small_replay(more)), code, parts);
  }

  CarboFolder folder;
};

TEST_F(ReplayErrors, OfATableNameLineColumnAndWhatWouldBeRight) {
  const std::string header = "a,b,objective,cost\n", good = "1,x,3,1\n2,y,2,1\n4,y,2,1\n";
  table("", {"t.csv is empty; its first line names the columns"});
  table(header, {"t.csv: 0 rows after the names; a replay chooses between at least two"});
  table(header + "1,x,3,1\n", {"t.csv: 1 row after the names"});
  table(header + good + ",x,3,1\n", {"t.csv:5: column 'a': the value is missing", "--leave-out"});
  table(header + good + "3,NA,3,1\n", {"t.csv:5: column 'b': the value is missing", "--leave-out"});
  table(header + good + "3,x,3,\n", {"t.csv:5: column 'cost': the value is missing; give what the run cost"});
  table(header + good + "3,x,,NaN\n", {"t.csv:5: column 'cost': the value is missing", "also where it failed"});
  table(header + good + "3,x,bad,1\n",
        {"t.csv:5: column 'objective': 'bad' is not a finite number; leave the cell empty"});
  table(header + good + "3,x,-inf,1\n", {"t.csv:5: column 'objective': '-inf' is not a finite number"});
  table(header + good + "3,x,3,inf\n", {"t.csv:5: column 'cost': 'inf' is not a finite number"});
  table(header + good + "3,x,3,0\n", {"t.csv:5: column 'cost': a cost of 0 is not above 0"});
  table(header + good + "3,x,3,-2\n", {"t.csv:5: column 'cost': a cost of -2 is not above 0"});
  table(header + good + "inf,x,3,1\n", {"t.csv:5: column 'a': 'inf' is not finite"});
  table(header + good + "many,x,3,1\n",
        {"t.csv:5: column 'a': 'many' is no number, as 3 others are", "--categorical", "--ignore"});
  table(header + good + "2,y,9,9\n", {"t.csv:5 has the configuration of line 3", "--repeats mean"});
  table(header + good + "3,x,3\n", {"t.csv:5: 3 fields where the header has 4; quote fields that hold commas"});
  table(header + good + "3,\"x,3,1\n", {"t.csv:5: a quote is never closed"});
  table("a,a,objective,cost\n1,1,1,1\n2,2,2,2\n", {"t.csv:1: two columns are called 'a'"});
  table("a,b,objective,cost\n1,x,,1\n2,y,NA,1\n", {"all rows failed"});
  table("a,y,cost\n1,1,1\n2,2,1\n",
        {"which column is the objective? Name it with --objective; there are a, y, cost"});
  table("a,objective,Seconds\n1,1,1\n2,2,1\n",
        {"is column 'Seconds' what a row cost? Say --cost Seconds, or --cost none"});
  table("number,id,state,origin,a,objective,cost\n0,0,succeeded,this_run,1,1,1\n1,1,succeeded,this_run,2,2,1\n",
        {"t.csv is what carbo export writes of a study: say --space"});
  table(header + good, {"a run could evaluate 1 of 3 rows", "measure more rows, or give a larger --share"});
  table(header + good, {"a run could evaluate 3 of 3 rows"}, {"--share", "1"});
}

TEST_F(ReplayErrors, OfOptionsNameThemAndWhatThereIs) {
  refused(folder.carbo({"replay", "none.csv"}), 1, {"none.csv cannot be read: No such file"});
  refused(folder.carbo({"replay", "small.csv", "--objective", "eror", "--cost", "seconds"}), 6,
          {"--objective: no column is called 'eror'; did you mean 'error'?"});
  refused(
      folder.carbo({"replay", "small.csv", "--objective", "error", "--cost", "price"}), 6,
      {"--cost: no column is called 'price'; known are depth, share, kind, error, seconds; none: every row costs 1"});
  refused(folder.carbo({"replay"}), 2, {"TABLE is required"});
  options({"--ignore", "depth,kin"}, 6, {"--ignore: no column is called 'kin'; did you mean 'kind'?"});
  options({"--ignore", "depth,share,kind"}, 6, {"no column is left that could be a parameter"});
  options({"--parameters", "depth,error"}, 6, {"'error' is a parameter, and also the objective"});
  options({"--log", "kind"}, 6, {"'kind' is to be logarithmic, but its values are names"});
  options({"--methods", "ei,best"}, 6, {"there is no method 'best' among default, "});
  options({"--methods", "ei,"}, 6, {"--methods 'ei,' names nothing"});
  options({"--budgets", "5y"}, 6, {"--budgets '5y' is no budget; give such as 50x"});
  options({"--budgets", "0x"}, 6, {"--budgets '0x' is no budget"});
  options({"--batches", "1.5"}, 6, {"--batches '1.5' is no size"});
  options({"--batches", "43"}, 6,
          {"--batches 43: a run may evaluate 42 rows; give smaller batches, or a larger --share"});
  options({"--share", "1.5"}, 6, {"--share is 1.5; give a share of the rows"});
  options({"--share", "0.05"}, 6, {"a run could evaluate 4 of 84 rows (--share 0.05)"});
  options({"--seeds", "0"}, 2, {"--seeds"});
  options({"--goal", "up"}, 2, {"--goal: up not in {minimize,maximize}"});
  folder.write("space.toml", "[parameters]\ndepth = \"1..5\"\n");
  options({"--space", "space.toml"}, 6, {"small.csv:7: ", "depth"});
  options({"--space", "space.toml", "--log", "share"}, 6, {"with --space the study file says"});
  folder.write("space.toml", "budget = 3\n");
  options({"--space", "space.toml"}, 3, {"there is no table [parameters]"});
  folder.write("taken", "a file");
  options({"-o", "taken"}, 1, {"taken cannot be made"});
  folder.write("theirs/runs.csv", "a,b\n");
  options({"-o", "theirs"}, 4, {"theirs has a runs.csv that no replay of a table wrote"});
}

}  // namespace
}  // namespace carbo::program::testing
