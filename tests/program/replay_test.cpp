#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <limits>

#include "program/replay_tables.hpp"
#include "replay/methods.hpp"
#include "replay/schedule.hpp"
#include "replay/table.hpp"

namespace carbo::program::testing {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double number_of(const std::string& cell) { return cell.empty() ? never : std::stod(cell); }

/// By linear interpolation between order statistics.
double quantile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  if (weight == 0 || values[below] == values[below + 1]) return values[below];
  return values[below] + weight * (values[below + 1] - values[below]);
}

/// Share of the budget that is left when `ours` is as low as `rival` ends; the other way round, negative.
double savings_of(const std::vector<double>& ours, const std::vector<double>& rival) {
  const auto reached = [](const std::vector<double>& curve, double level) {
    for (std::size_t i = 0; i < curve.size(); ++i)
      if (curve[i] <= level) return static_cast<double>(i) / 1000;
    return 1.0;
  };
  if (ours.back() < rival.back()) return 1 - reached(ours, rival.back());
  if (ours.back() > rival.back()) return reached(rival, ours.back()) - 1;
  return reached(rival, rival.back()) - reached(ours, ours.back());
}

/// What the page draws.
nlohmann::json page_data(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// Traces of a folder, seed by seed: of each evaluation its row, cost, end and regret.
struct Evaluation {
  std::size_t row;
  double cost, finished, objective;
};
std::map<std::string, std::vector<std::vector<Evaluation>>> traces_of(const CarboFolder& folder,
                                                                      const std::string& budget) {
  std::map<std::string, std::vector<std::vector<Evaluation>>> traces;
  for (const NamedRow& row : named_rows(folder.read("out/traces.csv"))) {
    if (row.at("budget") != budget) continue;
    auto& seeds = traces[row.at("method")];
    seeds.resize(std::max<std::size_t>(seeds.size(), std::stoul(row.at("seed"))));
    seeds[std::stoul(row.at("seed")) - 1].push_back({std::stoul(row.at("row")), number_of(row.at("cost")),
                                                     number_of(row.at("finished")), number_of(row.at("objective"))});
  }
  return traces;
}

class Replay : public ::testing::Test {
 protected:
  Replay() { folder.write("small.csv", small_table()); }
  CarboFolder folder;
};

TEST_F(Replay, CurvesAndSavingsAreThoseOfPlainLoops) {
  const auto said = answered(folder.carbo(small_replay(
      {"--methods", "default,ei,random", "--seeds", "4", "--budgets", "12x,6x", "-o", "out", "--json"})));
  const std::vector<NamedRow> table = named_rows(folder.read("small.csv")),
                              curves = named_rows(folder.read("out/curves.csv")),
                              saved = named_rows(folder.read("out/savings.csv"));
  double lowest = never, sum = 0;
  for (const NamedRow& row : table) {
    lowest = std::min(lowest, number_of(row.at("error")));
    sum += number_of(row.at("seconds"));
  }
  EXPECT_EQ(said["table"]["best"], lowest);
  EXPECT_EQ(said["table"]["failed"], 2);
  EXPECT_NEAR(said["table"]["mean_cost"].get<double>(), sum / 84, 1e-12);
  ASSERT_EQ(said["cells"].size(), 2u);
  const auto drawn = page_data(folder.read("out/report.html"));
  ASSERT_EQ(curves.size(), 2u * 3 * 1001);
  ASSERT_EQ(saved.size(), 2u * 6);
  for (std::size_t cell = 0; cell < 2; ++cell) {
    const std::string budget = curves[cell * 3 * 1001].at("budget");
    EXPECT_NEAR(std::stod(budget), (cell == 0 ? 6 : 12) * sum / 84, 1e-9);
    const auto traces = traces_of(folder, budget);
    std::map<std::string, std::vector<double>> medians;
    for (std::size_t m = 0; m < 3; ++m) {
      const std::string name = said["methods"][m]["name"];
      std::vector<std::vector<double>> best(1001);
      ASSERT_EQ(traces.at(name).size(), 4u);
      for (const std::vector<Evaluation>& run : traces.at(name)) {
        double spent = 0;
        for (const Evaluation& each : run) {
          EXPECT_EQ(each.objective, number_of(table[each.row].at("error")));
          EXPECT_EQ(each.cost, number_of(table[each.row].at("seconds")));
          spent += each.cost;
          EXPECT_NEAR(each.finished, spent, 1e-9) << "one at a time";
        }
        for (std::size_t i = 0; i <= 1000; ++i) {
          double regret = never;
          for (const Evaluation& each : run)
            if (each.finished <= static_cast<double>(i) / 1000 * std::stod(budget))
              regret = std::min(regret, each.objective - lowest);
          best[i].push_back(regret);
        }
      }
      const auto& points = drawn["cells"][cell]["methods"][m]["curve"];
      std::size_t point = 0;
      for (std::size_t i = 0; i <= 1000; ++i) {
        const NamedRow& row = curves[(cell * 3 + m) * 1001 + i];
        ASSERT_EQ(row.at("method"), name);
        const double shares[] = {0.25, 0.5, 0.75};
        const char* const columns[] = {"regret_25", "regret_50", "regret_75"};
        if (point + 1 < points.size() && points[point + 1][0] == i) ++point;
        for (std::size_t k = 0; k < 3; ++k) {
          const double expected = quantile_of(best[i], shares[k]), written = number_of(row.at(columns[k]));
          EXPECT_EQ(written, expected) << name << " at " << i;
          EXPECT_EQ(points[point][k + 1].is_null() ? never : points[point][k + 1].get<double>(), expected)
              << "on the page";
        }
        EXPECT_EQ(number_of(row.at("objective_50")), lowest + quantile_of(best[i], 0.5));
        medians[name].push_back(quantile_of(best[i], 0.5));
      }
    }
    for (std::size_t p = 0; p < 6; ++p) {
      const NamedRow& row = saved[cell * 6 + p];
      const double share = savings_of(medians.at(row.at("method")), medians.at(row.at("rival")));
      EXPECT_NEAR(std::stod(row.at("savings")), share, 1e-12);
      EXPECT_LE(std::stod(row.at("low")), std::stod(row.at("high")));
      EXPECT_EQ(said["cells"][cell]["savings"][p], drawn["cells"][cell]["savings"][p]);
      EXPECT_EQ(drawn["cells"][cell]["savings"][p]["share"], std::stod(row.at("savings")));
      EXPECT_EQ(drawn["cells"][cell]["savings"][p]["low"], std::stod(row.at("low")));
    }
  }
}

TEST_F(Replay, TakesTheSpaceOfAStudyThatHasNoFile) {
  ASSERT_EQ(folder
                .shell("carbo run -q --budget '2 evaluations' --param depth=1..9 --param 'share=0.01..1.0 log' "
                       "--param kind=round,flat --objective 'stdout:([0-9])' -- echo {depth} {share} {kind}")
                .code,
            0);
  const auto outcome =
      folder.carbo(small_replay({"--space", "echo.db", "--methods", "random", "--seeds", "2", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

/// The benchmarks make runs through src/replay themselves, with a space that they know.
TEST_F(Replay, MakesTheRunsThatTheBenchmarksMake) {
  folder.write("study.toml",
               "[parameters]\ndepth = \"1..9\"\nshare = \"0.01..1.0 log\"\nkind = [\"round\", \"flat\"]\n");
  ASSERT_EQ(folder
                .carbo(small_replay({"--space", "study.toml", "--methods", "default,carbo,eipu", "--seeds", "2",
                                     "--budgets", "9x,5x", "--batches", "1,3", "-o", "out"}))
                .code,
            0);
  const Space space{integer("depth", 1, 9), real("share", 0.01, 1).log(), categorical("kind", {"round", "flat"})};
  const auto table = std::make_shared<const replay::Table>(replay::read_table(
      folder / "small.csv", space, {.objective = "error", .cost = "seconds", .missing_fails = true}));
  const replay::Problem problem = replay::table_problem("small", "Small", table, 0.5);
  std::vector<replay::Cell> cells;
  for (const std::size_t batch : {1, 3})
    for (const double mean_costs : {5.0, 9.0})
      cells.push_back({.problem = &problem, .batch = batch, .budget = mean_costs * problem.mean_cost, .seeds = 2});
  replay::RunStore store(folder / "bench");
  const auto methods = replay::methods_named({"default", "carbo", "eipu"});
  ASSERT_EQ(replay::make_runs(replay::jobs_of(cells, methods), store, {.threads = 1}), 0u);
  const auto sorted = [&](const std::string& file) {
    std::vector<std::string> lines = lines_of(folder.read(file));
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(sorted("out/traces.csv"), sorted("bench/traces.csv"));
  EXPECT_GT(sorted("out/traces.csv").size(), 100u);
}

TEST_F(Replay, GoesOnWithTheRunsThatAreThereAndRefusesThoseOfAnotherTable) {
  const std::vector<std::string> two = {"--methods", "random,eipu", "--seeds", "2", "-o", "out"},
                                 three = {"--methods", "random,eipu", "--seeds", "3", "-o", "out"};
  ASSERT_EQ(folder.carbo(small_replay(two)).code, 0);
  const std::string before = folder.read("out/runs.csv"), page = folder.read("out/report.html");
  ASSERT_EQ(lines_of(before).size(), 5u);
  ASSERT_EQ(folder.carbo(small_replay(three)).code, 0);
  const std::string after = folder.read("out/runs.csv");
  EXPECT_TRUE(after.starts_with(before)) << "with the seconds that they took: not made again";
  EXPECT_EQ(lines_of(after).size(), 7u);
  ASSERT_EQ(folder.carbo(small_replay(two)).code, 0);
  EXPECT_EQ(folder.read("out/runs.csv"), after);

  const int lock = ::open((folder / "out/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const Outcome busy = folder.carbo(small_replay(two));
  EXPECT_EQ(busy.code, 5);
  EXPECT_NE(busy.err.find("another process replays into out"), std::string::npos) << busy.err;
  ::close(lock);

  std::string other = small_table();
  other.replace(other.rfind(",4"), 2, ",5");
  folder.write("small.csv", other);
  const Outcome refused = folder.carbo(small_replay(two));
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("out holds runs of another table"), std::string::npos) << refused.err;
  EXPECT_EQ(folder.read("out/runs.csv"), after);
}

TEST_F(Replay, StoppedItKeepsWhatWasRun) {
  const Outcome stopped = folder.shell(
      "carbo replay small.csv --objective error --cost seconds --seeds 100000 --methods random,ei -o out --jobs 2 & "
      "carbo=$!\n"
      "until [ \"$(wc -l 2>/dev/null < out/runs.csv || echo 0)\" -gt 3 ]; do kill -0 $carbo || exit 1; sleep 0.02; "
      "done\n"
      "kill -TERM $carbo; wait $carbo");
  EXPECT_EQ(stopped.code, 143) << stopped.err;
  EXPECT_NE(stopped.err.find("runs are kept in out"), std::string::npos) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/report.html"))
      << "nothing is said of a replay that is not whole";
  const std::string before = folder.read("out/runs.csv");
  ASSERT_EQ(folder.carbo(small_replay({"--methods", "random,ei", "--seeds", "1", "-o", "out"})).code, 0);
  EXPECT_TRUE(folder.read("out/runs.csv").starts_with(before.substr(0, before.rfind('\n'))));
}

TEST_F(Replay, ShowsATableThatOthersWrote) {
  std::string text = "\xEF\xBB\xBF\"learning, rate\", kind ,\"<script>alert(1)</script>\",score\r\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(0.001 * (i + 1)) + "," + (i % 3 == 0 ? "\"a \"\"b\"\"\"" : " c ") + "," +
            std::to_string(i * 7 % 5) + "," + (i == 4 ? "NaN" : std::to_string(i * 11 % 40)) + "\r\n";
  folder.write("other.csv", text);
  const Outcome plain = folder.carbo({"replay", "other.csv", "--objective", "score", "--goal", "maximize", "--log",
                                      "learning, rate", "--seeds", "2", "--methods", "random,default"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  for (const char* const words :
       {"40 rows; maximize 'score', best 39\n  3 parameters: learning, rate, kind, <script>", "every row costs 1",
        "1 row has no objective and counts as failed", "saved by random", "other.replay"})
    EXPECT_NE(plain.out.find(words), std::string::npos) << words << " in " << plain.out;
  EXPECT_EQ(plain.err, "") << "no bar where there is no terminal";
  const std::string page = folder.read("other.replay/report.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const auto data = page_data(page);
  EXPECT_EQ(data["table"]["goal"], "maximize");
  EXPECT_EQ(data["table"]["parameters"][0]["name"], "learning, rate");
  EXPECT_EQ(data["table"]["parameters"][0]["log"], true);
  EXPECT_EQ(data["table"]["parameters"][1]["labels"], nlohmann::json({"a \"b\"", "c"}));
  for (const NamedRow& row : named_rows(folder.read("other.replay/curves.csv"))) {
    if (row.at("regret_50").empty()) continue;
    ASSERT_NEAR(number_of(row.at("objective_50")), 39 - number_of(row.at("regret_50")), 1e-12);
  }
}

}  // namespace
}  // namespace carbo::program::testing
