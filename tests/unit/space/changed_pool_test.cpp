#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "space/candidate_stream.hpp"
#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/text.hpp"

// A mapped file that somebody writes to while the pool is alive.
namespace carbo {
namespace {

constexpr std::size_t rows = 3000;
using carbo::test::not_a_number;

class ChangedPool : public testing::Test {
 protected:
  ChangedPool() : path_(testing::TempDir() + internal::text("carbo_changed_pool_", getpid())) {
    std::vector<double> numbers;
    for (std::size_t row = 0; row < rows; ++row)
      numbers.insert(numbers.end(), {static_cast<double>(row) / rows, static_cast<double>(row % 3)});
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(double)));
    file.close();
    options_.pool = std::make_shared<const Pool>(Pool::map(space_, path_));
  }
  ~ChangedPool() override { std::filesystem::remove(path_); }

  void write(std::size_t row, std::size_t parameter, double number) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>((row * 2 + parameter) * sizeof(double)));
    file.write(reinterpret_cast<const char*>(&number), sizeof number);
    ASSERT_TRUE(file.good());
  }

  Space space_{real("x", 0, 1), categorical("c", {"a", "b", "d"})};
  std::string path_;
  CandidateOptions options_;
};

TEST_F(ChangedPool, ACategoryThatIsNoneIsRefusedByItsRow) {
  const internal::CandidateStream stream = internal::make_candidate_stream(space_, options_, 1, 0, {});
  const auto read = [&] {
    std::vector<double> numbers(1000 * stream.parameters()), encoded(1000 * stream.columns());
    std::vector<std::uint8_t> allowed(1000);
    stream.fill(2000, numbers, encoded, allowed);
  };
  for (const double category : {3.0, 1e6, -1.0, 1.5, 1e300, not_a_number}) {
    write(2345, 1, category);
    expect_error<InvalidPool>(read, {"pool row 2345", "'c'", "position", "[0, 2]", "changed since it was mapped"});
    expect_error<InvalidPool>([&] { internal::make_candidate_table(space_, options_, 1, 0, {}); },
                              {"pool row 2345", "'c'"});
  }
  write(2345, 1, 2.0);
  EXPECT_NO_THROW(read());
}

TEST_F(ChangedPool, AnOptimizerCanBeMadeOnceTheFileIsMended) {
  Options options{.budget = 100.0, .seed = 3};
  options.candidates = options_;
  options.backend.kind = BackendKind::cpu;
  write(7, 0, 2.0);
  expect_error<InvalidPool>([&] { Optimizer(space_, options); }, {"pool row 7,", "'x'", "value 2"});
  write(7, 0, 0.5);
  Optimizer optimizer(space_, options);
  EXPECT_EQ(optimizer.ask(2).size(), 2u);
}

TEST_F(ChangedPool, ANumberThatStaysInItsParameterIsTaken) {
  write(11, 0, 0.75);
  write(11, 1, 1.0);
  const internal::CandidateTable table = internal::make_candidate_table(space_, options_, 1, 0, {});
  EXPECT_EQ(table.numbers_of(11)[0], 0.75);
  EXPECT_EQ(table.numbers_of(11)[1], 1.0);
}

}  // namespace
}  // namespace carbo
