#include <cstdio>

#include "program/replay_tables.hpp"

// The replay of a table of the project's own gives the figures of docs/paper.md again.
namespace carbo::program::testing {
namespace {

using nlohmann::json;

std::string of_the_tree(const std::string& file) { return content(std::filesystem::path(CARBO_TREE) / file); }

/// A learner of bench/hpo/spaces.json as a study file has it.
std::string study_of(const std::string& learner) {
  std::string study = "[parameters]\n";
  const json spaces = json::parse(of_the_tree("bench/hpo/spaces.json"));
  for (const json& each : spaces.at(learner).at("parameters")) {
    const std::string type = each.at("type"), name = each.at("name");
    if (type == "categorical") {
      study += name + " = {categorical = " + each.at("choices").dump() + "}\n";
      continue;
    }
    study += name + " = {" + (type == "real" ? "real" : "int") + " = [" + each.at("low").dump() + ", " +
             each.at("high").dump() + "]" + (each.value("log", false) ? ", scale = \"log\"" : "") + "}\n";
  }
  return study;
}

/// Cells of the row of a problem below a heading of a page, without bold type.
std::vector<std::string> row_of(const std::string& page, const std::string& heading, const std::string& problem) {
  std::vector<std::string> cells;
  for (const std::string& line : lines_of(page.substr(page.find("\n" + heading)))) {
    if (!line.starts_with("| " + problem + " ")) continue;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
      std::erase_if(cell, [](char c) { return c == '*'; });
      const std::size_t begin = cell.find_first_not_of(' ');
      cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
    }
    break;
  }
  return cells;
}

TEST(ReplayOfOwnTables, GivesTheFiguresOfThePagesAgain) {
  const std::vector<std::string> row = row_of(of_the_tree("docs/paper.md"), "### b = 1, 51 seeds", "MLP splice");
  ASSERT_EQ(row.size(), 6u);
  const CarboFolder folder(study_of("mlp"));
  const json found =
      answered(folder.carbo({"replay", CARBO_TREE "/bench/hpo/data/mlp_splice.csv", "--objective", "error", "--cost",
                             "seconds", "--space", "study.toml", "--budgets", row[1], "--seeds", "51", "--methods",
                             "random,ei,eipu,carbo", "-o", "out", "--json"}));
  const json& methods = found.at("cells").at(0).at("methods");
  ASSERT_EQ(methods.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    double error = 0, evaluations = 0;
    ASSERT_EQ(std::sscanf(row[2 + i].c_str(), "%lf (%lf)", &error, &evaluations), 2) << row[2 + i];
    // Levels of the processor round differently, which may part runs of models; random draws are the same everywhere.
    const bool drawn = methods[i].at("method") == "random";
    const double median = methods[i].at("final").at("median").at("objective").get<double>();
    EXPECT_NEAR(median, error, drawn ? 0.5e-4 : 5e-3) << methods[i].at("method");
    EXPECT_NEAR(methods[i].at("evaluations").get<double>(), evaluations, drawn ? 0.5 : 1.0)
        << methods[i].at("method");
  }
}

}  // namespace
}  // namespace carbo::program::testing
