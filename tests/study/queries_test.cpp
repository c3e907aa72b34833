// The file as other programs see it: queries of docs/study.md, by the sqlite3 program.

#include <carbo/study.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::TemporaryFolder;

bool has_sqlite_program() { return std::system("command -v sqlite3 > /dev/null 2>&1") == 0; }

/// What the program prints, with a line of column names; its status has to be 0.
std::string answer(const std::filesystem::path& file, const std::string& query) {
  std::ofstream(file.string() + ".sql") << ".headers on\n.mode list\n.bail on\n" << query << "\n";
  const std::string command = "sqlite3 -batch '" + file.string() + "' < '" + file.string() + ".sql' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << query << text;
  return text;
}

std::vector<std::string> queries_of_docs() {
  std::ifstream page(CARBO_TEST_DATA "/../../docs/study.md");
  std::vector<std::string> queries;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```sql") {
      queries.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      queries.back() += line + "\n";
    }
  }
  return queries;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class StudyQueries : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_sqlite_program()) GTEST_SKIP() << "the program sqlite3 was not found";
    Options options = test::small_options(1000);
    StudyOptions how;
    how.owner = "somebody";
    how.clock = [] { return 86400.0; };
    const Space space{real("learning_rate", 1e-4, 1).log(), integer("layers", 1, 8)};
    Study study = Study::open(file, "network", space, options, how);
    const std::array<double, 4> objectives{3, 1, 2, 0.5};
    const auto suggestions = study.ask(6);
    for (std::size_t i = 0; i < objectives.size(); ++i)
      study.tell(suggestions[i].id, {objectives[i], 1.0 + static_cast<double>(i)}, {{{"accuracy", 0.25}}, {}, {}});
    study.fail(suggestions[4].id, 2, "no");
    study.begin(suggestions[5].id, "gpu 0");
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "tuning.db";
};

TEST_F(StudyQueries, OfTheDocumentationGiveWhatTheySay) {
  const auto queries = queries_of_docs();
  ASSERT_EQ(queries.size(), 5u);
  const auto best = lines_of(answer(file, queries[0]));
  ASSERT_EQ(best.size(), 5u);
  EXPECT_EQ(best[0], "number|objective|cost|learning_rate|layers");
  EXPECT_TRUE(best[1].starts_with("3|0.5|4.0|"));
  EXPECT_TRUE(best[4].starts_with("0|3.0|1.0|"));
  EXPECT_EQ(answer(file, queries[1]), "number|spent|best\n0|1.0|3.0\n1|3.0|1.0\n2|6.0|1.0\n3|10.0|0.5\n");
  EXPECT_EQ(answer(file, queries[2]), "name|id|owner|worker|since\nnetwork|5|somebody|gpu 0|1970-01-02 00:00:00\n");
  EXPECT_EQ(lines_of(answer(file, queries[3])).size(), 7u);
  EXPECT_EQ(lines_of(answer(file, queries[4]))[1], "0|accuracy|0.25");
}

TEST_F(StudyQueries, TheViewHasAColumnForEachParameterWhateverItIsCalled) {
  const Space odd{real("Cost", 0, 1), real("it's \"odd\"", 0, 1), categorical("parameter cost", {"a b", "c;d"})};
  Study study = Study::open(file, "a'b\"c", odd, test::small_options(10));
  study.enqueue(odd.configuration({{"Cost", 0.25}, {"it's \"odd\"", 0.5}, {"parameter cost", "c;d"}}));
  study.ask(1);
  const std::string view = lines_of(answer(file, "SELECT view FROM studies WHERE name LIKE 'a%'"))[1];
  EXPECT_EQ(view, "trials_a'b\"c");
  const auto lines = lines_of(answer(file, "SELECT * FROM \"trials_a'b\"\"c\""));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].ends_with("|parameter Cost|it's \"odd\"|parameter parameter cost")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with("|0.25|0.5|c;d")) << lines[1];
  EXPECT_EQ(lines_of(answer(file, "PRAGMA integrity_check"))[1], "ok");
}

}  // namespace
}  // namespace carbo
