#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "program/study_files.hpp"

namespace carbo::program {
namespace {

using testing::expect_fault;
using testing::parsed;

TEST(StudyFileConstraints, AreArithmeticAndLabels) {
  const StudyFile file = parsed(R"(
budget = 10
constraints = ["1 < a * b <= 12", 'kind != "x" or a >= 3 and b >= 2', "a != b"]
[parameters]
a = "1..5"
b = "1..5"
kind = ["x", "y"]
)");
  for (std::int64_t a = 1; a <= 5; ++a)
    for (std::int64_t b = 1; b <= 5; ++b)
      for (const std::string kind : {"x", "y"}) {
        const Configuration at = file.space.configuration({{"a", a}, {"b", b}, {"kind", kind}});
        const bool allowed = a * b > 1 && a * b <= 12 && (kind != "x" || (a >= 3 && b >= 2)) && a != b;
        EXPECT_EQ(file.space.allows(at), allowed) << at.to_string();
      }
  EXPECT_EQ(file.how.given.constraints.size(), 3u);
  expect_fault("budget = 1\nconstraints = ['k == \"z\"']\n[parameters]\nk = [\"x\", \"y\"]\n",
               "study.toml:2:16:", {"no label 'z'"});
}

TEST(StudyFileConstraints, AreThreadSafe) {
  const StudyFile file = parsed("budget = 1\nconstraints = [\"n * 2 <= 10\"]\n[parameters]\nn = \"1..9\"\n");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::int64_t i = 0; i < 2000; ++i) {
        const std::int64_t n = 1 + i % 9;
        if (file.space.allows(file.space.configuration({{"n", n}})) != (n <= 5)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace carbo::program
