#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "program/process.hpp"

namespace carbo::program {
namespace {

using nlohmann::json;
using testing::answered;
using testing::CarboFolder;
using testing::lines_of;
using testing::Outcome;

const std::string plain_study = R"(budget = 100
seed = 3
[parameters]
n = "1..9"
rate = "1e-3..1.0 log"
)";

void expect_refused(const Outcome& outcome, int code, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
  for (const std::string& each : words)
    EXPECT_NE(outcome.err.find(each), std::string::npos) << each << " in " << outcome.err;
}

TEST(ProgramShell, AskTellFailAdoptAndEnqueueAreOnDisk) {
  const CarboFolder folder(plain_study);
  const json asked = answered(folder.carbo({"ask", "-n", "2", "--json"}));
  ASSERT_EQ(asked["suggestions"].size(), 2u);
  EXPECT_EQ(asked["stop_reason"], "running");
  const int first = asked["suggestions"][0]["id"], second = asked["suggestions"][1]["id"];
  EXPECT_EQ(folder
                .carbo({"tell", "--id", std::to_string(first), "--objective", "-0.5", "--cost", "2", "--metric",
                        "accuracy=0.75"})
                .code,
            0);
  EXPECT_EQ(folder.carbo({"fail", "--id", std::to_string(second), "--cost=1", "--reason=-x; $(touch owned)"}).code,
            0);
  const json adopted = answered(folder.carbo({"adopt", "--at", "n=4", "--at", "rate=0.5", "--json"}));
  EXPECT_EQ(folder.carbo({"enqueue", "--at", "n=5", "--at", "rate=0.25"}).code, 0);
  const json third = answered(folder.carbo({"ask", "-n", "1", "--json"}));
  EXPECT_EQ(third["suggestions"][0]["configuration"], (json{{"n", 5}, {"rate", 0.25}}));
  EXPECT_EQ(folder.carbo({"withdraw", "--id", third["suggestions"][0]["id"].dump()}).code, 0);

  const json status = answered(folder.carbo({"status", "--json"}));
  EXPECT_EQ(status["succeeded"], 1);
  EXPECT_EQ(status["failed"], 1);
  EXPECT_EQ(status["running"], 1);
  EXPECT_EQ(status["best"]["objective"], -0.5);
  EXPECT_EQ(status["best"]["metrics"]["accuracy"], 0.75);
  const json trials = answered(folder.carbo({"trials", "--state", "failed", "--json"}));
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0]["reason"], "-x; $(touch owned)");
  EXPECT_FALSE(std::filesystem::exists(folder / "owned"));
  EXPECT_EQ(answered(folder.carbo({"best", "study.db", "--json"}))["id"], first);
  EXPECT_EQ(answered(folder.carbo({"trials", "--id", std::to_string(first)}))["receipt"]["phase"], "warm start");
  // Other programs read the same.
  EXPECT_EQ(folder.shell("sqlite3 study.db 'select count(*) from trials'").out, "4\n");
  EXPECT_EQ(folder
                .shell("carbo status --json | python3 -m json.tool >/dev/null && carbo export --format json | "
                       "python3 -m json.tool >/dev/null && echo good")
                .out,
            "good\n");
  EXPECT_EQ(answered(folder.carbo({"list", "--json"})).size(), 1u);
  EXPECT_NE(adopted["id"], first);
}

TEST(ProgramShell, LabelsOfAnyKindPassThroughJsonAndCsv) {
  const std::vector<std::string> labels{"it's", "a b", ";", "$(touch owned)", "two\nlines", "-x", "ü\"q\"", "a,b"};
  const std::string study = "budget = 1000\n[parameters]\nword = " + json(labels).dump() + "\nn = \"1..9\"\n";
  const CarboFolder folder(study);
  folder.write("other.toml", study);
  for (std::size_t i = 0; i < labels.size(); ++i)
    ASSERT_EQ(folder
                  .carbo({"tell", "--at", "word=" + labels[i], "--at", "n=3", "--objective", std::to_string(i),
                          "--cost", "1"})
                  .code,
              0);
  const json told = answered(folder.carbo({"trials", "--json"}));
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(told[i]["configuration"]["word"], labels[i]);
  ASSERT_EQ(folder.carbo({"export", "-o", "trials.csv"}).code, 0);
  const Outcome read = folder.shell(
      "python3 -c \"import csv, json; print(json.dumps([r['word'] for r in csv.DictReader(open('trials.csv', "
      "newline=''))]))\"");
  EXPECT_EQ(json::parse(read.out), json(labels));
  ASSERT_EQ(folder.carbo({"import", "other.toml", "trials.csv"}).code, 0);
  ASSERT_EQ(folder.carbo({"export", "-q", "-o", "trials.json"}).code, 0);
  ASSERT_EQ(folder.carbo({"import", "other.toml", "trials.json"}).code, 0);
  const json imported = answered(folder.carbo({"trials", "other.toml", "--json"}));
  ASSERT_EQ(imported.size(), 2 * labels.size());
  for (std::size_t i = 0; i < imported.size(); ++i) {
    EXPECT_EQ(imported[i]["configuration"]["word"], labels[i % labels.size()]);
    EXPECT_EQ(imported[i]["objective"], static_cast<double>(i % labels.size()));
    EXPECT_EQ(imported[i]["origin"], "prior");
  }
  const Outcome shown = folder.carbo({"trials"});
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(shown.out).size(), labels.size() + 1);  // a line break in a label breaks no line
  EXPECT_FALSE(std::filesystem::exists(folder / "owned"));
}

TEST(ProgramShell, ParametersMayHaveTheNamesOfColumns) {
  const std::string study = "budget = 10\n[parameters]\nobjective = \"1..9\"\nstate = [\"a\", \"b\"]\n";
  const CarboFolder folder(study);
  folder.write("other.toml", study);
  ASSERT_EQ(folder.carbo({"tell", "--at", "objective=7", "--at", "state=b", "--objective", "2", "--cost", "1"}).code,
            0);
  ASSERT_EQ(folder.carbo({"export", "-o", "t.csv"}).code, 0);
  ASSERT_EQ(folder.carbo({"import", "other.toml", "t.csv"}).code, 0) << folder.read("t.csv");
  const json imported = answered(folder.carbo({"best", "other.toml", "--json"}));
  EXPECT_EQ(imported["configuration"], (json{{"objective", 7}, {"state", "b"}}));
  EXPECT_EQ(imported["objective"], 2);
}

TEST(ProgramShell, AnImportIsWholeOrNothing) {
  const CarboFolder folder("budget = 10\n[parameters]\nn = \"1..9\"\n");
  folder.write("t.json", R"([{"configuration": {"n": 1}, "objective": 2, "cost": 1},
                            {"configuration": {"n": 2}, "objective": 3, "cost": -1}])");
  expect_refused(folder.carbo({"import", "study.toml", "t.json"}), 6, {"n=2", "the cost is -1"});
  EXPECT_TRUE(answered(folder.carbo({"trials", "--json"})).empty());
}

TEST(ProgramErrors, HaveTheirExitCodes) {
  const CarboFolder folder(plain_study);
  expect_refused(folder.carbo({}), 2, {});
  expect_refused(folder.carbo({"sttus"}), 2, {"did you mean 'status'"});
  expect_refused(folder.carbo({"tell", "--objectve", "3"}), 2, {"did you mean '--objective'"});
  expect_refused(folder.carbo({"ask", "-n", "many"}), 2, {"many"});
  expect_refused(folder.carbo({"ask", "-n", "-3"}), 2, {"-3"});
  expect_refused(folder.carbo({"status", "study.toml", "more"}), 2, {"one argument too many"});
  expect_refused(folder.carbo({"status", "none.toml"}), 4, {"there is no file none.toml"});
  expect_refused(folder.carbo({"status"}), 4, {"has not begun", "carbo ask"});
  folder.write("wrong.toml", "budget = 1\nworkrs = 2\n[parameters]\nn = \"1..2\"\n");
  expect_refused(folder.carbo({"check", "wrong.toml"}), 3, {"wrong.toml:2:1: ", "did you mean 'workers'"});
  folder.write("wrong.toml", "budget = 1\ncost = {features = [\"log(q)\"]}\n[parameters]\nn = \"1..2\"\n");
  expect_refused(folder.carbo({"check", "wrong.toml"}), 3, {"wrong.toml:2:21: cost.features[0]", "unknown name 'q'"});
  folder.write("text.db", "no database at all, but long enough to be one\n");
  expect_refused(folder.carbo({"status", "text.db"}), 4, {"text.db"});
  ASSERT_EQ(folder.carbo({"ask"}).code, 0);
  expect_refused(folder.carbo({"tell", "--id", "0", "--objective", "nan", "--cost", "1"}), 6, {"objective"});
  expect_refused(folder.carbo({"tell", "--id", "0", "--objective", "1"}), 6, {"the cost is missing"});
  expect_refused(folder.carbo({"tell", "--id", "77", "--objective", "1", "--cost", "1"}), 6, {"77"});
  expect_refused(folder.carbo({"adopt", "--at", "n=4"}), 6, {"'rate' has no value"});
  expect_refused(folder.carbo({"adopt", "--at", "n=40", "--at", "rate=1"}), 6, {"'n'", "40"});
  expect_refused(folder.carbo({"adopt", "--at", "m=4"}), 6, {"'m'", "known are n, rate"});
  expect_refused(folder.carbo({"trials", "--id", "9"}), 6, {"no trial has the id 9"});
  expect_refused(folder.carbo({"init"}), 1, {"study.toml is there already"});
  ASSERT_EQ(folder.carbo({"tell", "--id", "0", "--objective", "1", "--cost", "1000"}).code, 0);
  expect_refused(folder.carbo({"ask"}), 7, {"the study is over: budget spent"});
  EXPECT_EQ(answered(folder.carbo({"status", "--json"}))["done"], true);
}

TEST(ProgramErrors, NaNOfPythonIsNamed) {
  const CarboFolder folder(plain_study);
  ASSERT_EQ(folder.carbo({"ask"}).code, 0);
  expect_refused(folder.carbo({"tell", "--from", "-"}, "{\"id\": 0, \"objective\": NaN, \"cost\": 1}\n"), 6,
                 {"standard input:1", "NaN is not JSON", "Python"});
}

TEST(ProgramStudyFile, ExampleOfInitIsRight) {
  const CarboFolder folder;
  ASSERT_EQ(folder.carbo({"init"}).code, 0);
  const json checked = answered(folder.carbo({"check", "--json"}));
  EXPECT_EQ(checked["parameters"].size(), 3u);
  EXPECT_GT(checked["memory_bytes"], 1e5);
  EXPECT_NE(folder.carbo({"check"}).out.find("MiB for 8192 candidates"), std::string::npos);
  folder.write("study.toml", "budget = 1\ncommand = [\"./no such program\"]\n[parameters]\nn = \"1..9\"\n");
  EXPECT_NE(folder.carbo({"check"}).out.find("./no such program is no program"), std::string::npos);
}

TEST(ProgramStudyFile, ChangesBetweenRunsAreRefusedWithTheDifference) {
  const auto study = [](const std::string& further) {
    return "budget = \"10 s\"\ncommand = [\"true\"]\nobjective = \"json:loss\"\n" + further +
           "[parameters]\nn = \"1..9\"\n";
  };
  const CarboFolder folder(study(""));
  ASSERT_EQ(folder.carbo({"ask"}).code, 0);
  std::string changed = study("");
  changed.replace(changed.find("json:loss"), 9, "json:error");
  folder.write("study.toml", changed);
  expect_refused(folder.carbo({"ask"}), 4,
                 {"objective", "was \"json:loss\"", "is  \"json:error\"", "--accept-changes"});
  // What runs by the old file may still be told.
  EXPECT_EQ(folder.carbo({"tell", "--id", "0", "--objective", "1", "--cost", "1"}).code, 0);
  expect_refused(folder.carbo({"ask"}), 4, {"json:error"});
  EXPECT_EQ(folder.carbo({"ask", "--accept-changes"}).code, 0);
  EXPECT_EQ(folder.carbo({"ask"}).code, 0);  // what was accepted is the study's now
  std::string longer = changed;
  longer.replace(longer.find("10 s"), 4, "20 s");
  folder.write("study.toml", "# a comment\n" + longer);
  EXPECT_EQ(folder.carbo({"ask"}).code, 0);
  EXPECT_EQ(answered(folder.carbo({"status", "--json"}))["budget"], 20);
  std::string other = longer;
  other.replace(other.find("n = \"1..9\""), 10, "n = \"1..5\"");
  folder.write("study.toml", other);
  expect_refused(folder.carbo({"ask"}), 4, {"'n'"});
}

TEST(ProgramStudyFile, PriorDataAndTriesComeOnce) {
  const CarboFolder folder(
      "budget = 100\nprior = \"prior.csv\"\n[parameters]\nn = \"1..9\"\n[[try]]\nn = 7\n[[try]]\nn = 7\n[[try]]\nn = "
      "2\n");
  folder.write("prior.csv", "n,objective,cost\n1,5,1\n2,6,\n1,5,1\n");
  std::vector<int> suggested;
  for (int i = 0; i < 3; ++i)
    suggested.push_back(answered(folder.carbo({"ask", "-n", "1", "--json"}))["suggestions"][0]["configuration"]["n"]);
  EXPECT_EQ(suggested, (std::vector<int>{7, 7, 2}));
  json status = answered(folder.carbo({"status", "--json"}));
  EXPECT_EQ(status["prior"], 3);
  EXPECT_EQ(status["enqueued"], 0);
  folder.write("prior.csv", "n,objective,cost\n1,5,1\n2,6,\n1,5,1\n3,7,1\n");
  ASSERT_EQ(folder.carbo({"ask", "-n", "1"}).code, 0);
  EXPECT_EQ(answered(folder.carbo({"status", "--json"}))["prior"], 4);
}

TEST(ProgramStudyFile, ProcessesThatBeginTogetherTellPriorDataOnce) {
  std::string study = "budget = 100\nprior = \"prior.csv\"\n[parameters]\nn = \"1..9\"\n";
  std::string rows = "n,objective,cost\n";
  for (int i = 0; i < 6; ++i) study += "[[try]]\nn = " + std::to_string(i + 1) + "\n";
  for (int i = 0; i < 60; ++i) rows += std::to_string(1 + i % 9) + "," + std::to_string(i) + ",1\n";
  const CarboFolder folder(study);
  folder.write("prior.csv", rows);
  EXPECT_EQ(folder.shell("for i in 1 2 3 4; do carbo ask -n 1 > /dev/null & done; wait").err, "");
  const json status = answered(folder.carbo({"status", "--json"}));
  EXPECT_EQ(status["prior"], 60);
  EXPECT_EQ(status["running"], 4);
  EXPECT_EQ(status["enqueued"], 2);
}

TEST(ProgramStudyFile, ConstraintsHoldInAnotherProcessThatHasTheDatabaseAlone) {
  const CarboFolder folder(
      "budget = 1000\nconstraints = [\"a + b == 5\"]\n[parameters]\na = \"1..4\"\nb = \"1..4\"\n");
  ASSERT_EQ(folder.carbo({"ask", "-n", "1"}).code, 0);
  std::filesystem::remove(folder / "study.toml");
  const json asked = answered(folder.carbo({"ask", "study.db", "-n", "3", "--json"}));
  for (const json& each : asked["suggestions"])
    EXPECT_EQ(each["configuration"]["a"].get<int>() + each["configuration"]["b"].get<int>(), 5);
  EXPECT_EQ(asked["suggestions"].size(), 3u);
}

TEST(ProgramStudyFile, PoolsAndTheirColumnsAreFoundAgainFromTheDatabase) {
  const CarboFolder folder(
      "budget = 100\npool = \"pool.csv\"\ncost = {features = [{work = {column = \"price\"}}]}\n"
      "[parameters]\nn = \"1..20\"\nkind = [\"x\", \"y\"]\n");
  std::string pool = "n,kind,price\n";
  for (int i = 0; i < 30; ++i)
    pool += std::to_string(i % 15 + 1) + (i < 15 ? ",x," : ",y,") + std::to_string(i + 1) + "\n";
  folder.write("pool.csv", pool);
  ASSERT_EQ(folder.carbo({"ask", "-n", "1"}).code, 0);
  ASSERT_EQ(folder.carbo({"tell", "study.db", "--id", "0", "--objective", "1", "--cost", "2"}).code, 0);
  const json asked = answered(folder.carbo({"ask", "study.db", "-n", "3", "--json"}));
  ASSERT_EQ(asked["suggestions"].size(), 3u);
  for (const json& each : asked["suggestions"]) EXPECT_LE(each["configuration"]["n"], 15);
  folder.write("pool.csv", pool + "20,y,1\n");
  expect_refused(folder.carbo({"ask"}), 4, {"pool"});
}

TEST(ProgramShell, AFullDiskIsNamed) {
  const CarboFolder folder(plain_study);
  ASSERT_EQ(folder.carbo({"ask"}).code, 0);
  const Outcome outcome = folder.shell("carbo export > /dev/full");
  expect_refused(outcome, 1, {"disk full"});
}

TEST(ProgramServe, AnswersEveryLine) {
  const CarboFolder folder("budget = 50\nseed = 1\n[parameters]\nn = \"1..9\"\n");
  std::string input = R"({"op": "ask", "count": 2, "request": "first"}
{"op": "tell", "id": 0, "objective": 3, "cost": 1, "accuracy": 0.5}
{"op": "tell", "id": 0, "objective": 3, "cost": 1}
no json
[1]
{"op": "tll"}
{"op": "tell", "id": 1, "objective": NaN}
{"op": "fail", "id": 1, "cost": 2, "reason": "because"}
{"op": "ask", "count": -1}

{"op": "adopt", "configuration": {"n": 4}}
{"op": "adopt", "configuration": {"m": 4}}
{"op": "report", "id": 2, "step": 1, "values": {"loss": 0.5}}
{"op": "enqueue", "configuration": {"n": 6}}
{"op": "ask", "count": 1}
{"op": "predict", "configurations": [{"n": 1}, {"n": 9}]}
{"op": "best"}
{"op": "status"}
{"op": "trials"})";  // the last line without its end
  const Outcome outcome = folder.carbo({"serve", "--stdio"}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<json> replies;
  for (const std::string& line : lines_of(outcome.out)) replies.push_back(json::parse(line));
  ASSERT_EQ(replies.size(), 18u) << outcome.out;
  EXPECT_EQ(replies[0]["request"], "first");
  EXPECT_EQ(replies[0]["suggestions"].size(), 2u);
  EXPECT_TRUE(replies[1]["ok"]);
  EXPECT_EQ(replies[2]["error"]["type"], "UnknownSuggestion");
  for (const std::size_t wrong : {3u, 4u, 5u, 6u, 8u, 10u}) EXPECT_FALSE(replies[wrong]["ok"]) << replies[wrong];
  EXPECT_NE(replies[5]["error"]["message"].get<std::string>().find("did you mean 'tell'"), std::string::npos);
  EXPECT_NE(replies[6]["error"]["message"].get<std::string>().find("NaN is not JSON"), std::string::npos);
  EXPECT_TRUE(replies[7]["ok"]);
  EXPECT_EQ(replies[9]["id"], 2);
  EXPECT_EQ(replies[10]["error"]["type"], "InvalidConfiguration");
  EXPECT_TRUE(replies[11]["ok"]);
  EXPECT_EQ(replies[13]["suggestions"][0]["configuration"]["n"], 6);
  EXPECT_EQ(replies[14]["predictions"].size(), 2u);
  EXPECT_EQ(replies[15]["best"]["objective"], 3);
  EXPECT_EQ(replies[16]["status"]["failed"], 1);
  EXPECT_EQ(replies[17]["trials"].size(), 4u);
}

TEST(ProgramModels, PredictAndImportance) {
  const CarboFolder folder("budget = 1000\nseed = 1\n[parameters]\nn = \"0..1.0\"\nm = \"0..1.0\"\n");
  std::string results;
  for (int i = 0; i < 12; ++i)
    results += json{{"configuration", {{"n", i / 11.0}, {"m", (i * 5 % 12) / 11.0}}},
                    {"objective", i / 11.0},
                    {"cost", 1 + i % 2},
                    {"prior", true}}
                   .dump() +
               "\n";
  folder.write("results.jsonl", results);
  ASSERT_EQ(folder.carbo({"tell", "--from", "results.jsonl"}).code, 0);
  const json predicted = answered(folder.carbo({"predict", "--at", "n=0.5", "--at", "m=0.5", "--json"}));
  EXPECT_NEAR(predicted[0]["objective"]["median"].get<double>(), 0.5, 0.2);
  EXPECT_LE(predicted[0]["objective"]["lower"], predicted[0]["objective"]["median"]);
  const json shares = answered(folder.carbo({"importance", "--json"}));
  EXPECT_GT(shares["parameters"][0]["total"], shares["parameters"][1]["total"]);
  EXPECT_EQ(lines_of(folder.carbo({"importance", "--of", "cost"}).out).size(), 3u);
  EXPECT_EQ(answered(folder.carbo({"best", "--recommend", "--json"}))["successes"], 1);
}

}  // namespace
}  // namespace carbo::program
