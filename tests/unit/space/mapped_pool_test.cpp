#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <carbo/error.hpp>

#include "space/candidate_stream.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_space.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::CandidateStream;
using internal::CandidateTable;

constexpr double mebibyte = 1024.0 * 1024.0;

/// A path of its own, removed at the end.
class TemporaryPath {
 public:
  TemporaryPath() : path_(testing::TempDir() + internal::text("carbo_pool_", getpid(), "_", count_++)) {}
  explicit TemporaryPath(const std::vector<double>& numbers) : TemporaryPath() { append(numbers); }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

  void append(const std::vector<double>& numbers) const {
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(double)));
    ASSERT_TRUE(file.good()) << path_;
  }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

std::vector<double> mixed_rows(std::size_t rows) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = *internal::uniform_draw(mixed_space(), 5, i);
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return numbers;
}

std::shared_ptr<const Pool> mapped(const Space& space, const std::filesystem::path& path) {
  return std::make_shared<const Pool>(Pool::map(space, path));
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(MappedPool, EqualsThePoolInMemory) {
  const Space space = mixed_space();
  for (const std::size_t rows : {1u, 2u, 1024u, 3001u}) {
    const std::vector<double> numbers = mixed_rows(rows);
    const TemporaryPath file(numbers);
    const Pool held(space, numbers, rows);
    const Pool pool = Pool::map(space, file.path());
    ASSERT_EQ(pool.size(), rows);
    EXPECT_TRUE(same_bits(pool.numbers(), held.numbers()));
    EXPECT_TRUE(same_bits(pool.row(rows - 1), held.row(rows - 1)));
    expect_error<InvalidPool>([&] { pool.row(rows); }, {internal::text("row ", rows), "rows count from 0"});
  }
}

TEST(MappedPool, GivesTheSameTableAndStream) {
  Space space = mixed_space();
  space.constrain([](const Configuration& x) { return x.integer("layers") != 3; }, "layers != 3");
  std::vector<double> numbers = mixed_rows(2000);
  numbers.insert(numbers.end(), numbers.begin(), numbers.begin() + 700);  // 100 rows again
  numbers[6] = -0.0;
  const TemporaryPath file(numbers);
  CandidateOptions held;
  held.pool = std::make_shared<const Pool>(space, numbers, 2100);
  CandidateOptions options;
  options.pool = mapped(space, file.path());
  EXPECT_TRUE(std::signbit(options.pool->row(0)[6]));  // the file's own bits

  const CandidateTable expected = internal::make_candidate_table(space, held, 1, 0, {});
  const CandidateTable table = internal::make_candidate_table(space, options, 1, 0, {});
  EXPECT_TRUE(same_bits(table.numbers, expected.numbers));
  EXPECT_TRUE(same_bits(table.encoded, expected.encoded));
  EXPECT_EQ(table.pool_index, expected.pool_index);
  EXPECT_LE(table.rows, 2000u);

  const auto read = [&](const CandidateOptions& from) {
    const CandidateStream stream = internal::make_candidate_stream(space, from, 1, 0, {});
    std::vector<double> rows(2100 * stream.parameters());
    std::vector<double> encoded(2100 * stream.columns());
    std::vector<std::uint8_t> allowed(2100);
    stream.fill(0, rows, encoded, allowed);
    rows.insert(rows.end(), encoded.begin(), encoded.end());
    rows.insert(rows.end(), allowed.begin(), allowed.end());
    return rows;
  };
  EXPECT_TRUE(same_bits(read(options), read(held)));
}

TEST(MappedPool, CopiesShareTheMappingAndOutliveTheFile) {
  const Space space = mixed_space();
  const std::vector<double> numbers = mixed_rows(500);
  std::optional<Pool> first;
  std::optional<Pool> copy;
  {
    const TemporaryPath file(numbers);
    first = Pool::map(space, file.path());
    copy = first;
  }
  EXPECT_EQ(copy->numbers().data(), first->numbers().data());
  first.reset();
  EXPECT_TRUE(same_bits(copy->numbers(), numbers));
  const Pool moved = std::move(*copy);
  copy.reset();
  EXPECT_TRUE(same_bits(moved.numbers(), numbers));
}

TEST(MappedPool, FitsAnotherSpaceWhereItsNumbersDo) {
  const Space made{real("x", 0, 1), integer("k", 0, 3)};
  std::vector<double> numbers;
  for (int i = 0; i < 20000; ++i) numbers.insert(numbers.end(), {0.25, static_cast<double>(i % 4)});
  numbers[2 * 19990] = 0.75;
  const TemporaryPath file(numbers);
  CandidateOptions options;
  options.pool = mapped(made, file.path());
  const Space wider{real("x", -1, 2), integer("k", 0, 9)};
  EXPECT_EQ(internal::make_candidate_stream(wider, options, 1, 0, {}).size(), 20000u);
  const Space narrower{real("x", 0, 0.5), integer("k", 0, 3)};
  expect_error<InvalidPool>([&] { internal::make_candidate_stream(narrower, options, 1, 0, {}); },
                            {"row 19990", "'x'", "0.75", "another space"});
}

void expect_refused(const Space& space, const std::filesystem::path& path, std::vector<std::string> parts) {
  parts.push_back(path.string());
  expect_error<InvalidPool>([&] { Pool::map(space, path); }, parts);
}

TEST(MappedPoolErrors, FilesThatAreNoPool) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const TemporaryPath missing;
  expect_refused(space, missing.path(), {"cannot be opened", "No such file", "give a readable file"});
  expect_refused(space, testing::TempDir(), {"not a regular file", "float64"});
  const TemporaryPath pipe;
  ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
  expect_refused(space, pipe.path(), {"not a regular file"});
  const TemporaryPath empty(std::vector<double>{});
  expect_refused(space, empty.path(), {"is empty", "at least one row"});
}

TEST(MappedPoolErrors, Shape) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const TemporaryPath odd({0.5, 1, 0.5});
  expect_refused(space, odd.path(), {"24 bytes", "8 more than 1 rows", "2 parameters", "16 bytes a row"});
  std::filesystem::resize_file(odd.path(), 7);
  expect_refused(space, odd.path(), {"7 bytes", "7 more than 0 rows"});
}

TEST(MappedPoolErrors, Values) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"})};
  const auto refused = [&](std::size_t row, double x, double c, std::vector<std::string> parts) {
    std::vector<double> numbers(2 * 20000, 1.0);
    numbers[2 * row] = x;
    numbers[2 * row + 1] = c;
    const TemporaryPath file(numbers);
    parts.push_back(internal::text("row ", row, ","));
    expect_refused(space, file.path(), parts);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  refused(0, nan, 0, {"'x'", "NaN", "in [0, 1]"});
  refused(8191, infinity, 0, {"'x'", "inf"});
  refused(8192, 0.5, 2, {"'c'", "position 2", "[0, 1]"});
  refused(19999, 1.5, 0, {"'x'", "value 1.5", "in [0, 1]"});
  refused(7, 0.5, 0.5, {"'c'", "position 0.5"});
}

TEST(MappedPoolErrors, TooManyRows) {
  const Space space{real("x", 0, 1)};
  const TemporaryPath file(std::vector<double>{0.5});
  std::error_code failure;
  std::filesystem::resize_file(file.path(), ((std::uintmax_t{1} << 32) + 1) * sizeof(double), failure);
  if (failure) GTEST_SKIP() << "this file system makes no sparse file of 32 GiB: " << failure.message();
  expect_refused(space, file.path(), {"4294967297 rows", "at most 2^32"});
}

/// Memory of this process that is resident, in bytes; absent where the system does not tell. Allocates nothing: under
/// the address sanitizer freed memory stays resident.
std::optional<double> resident_bytes() {
  const int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0) return std::nullopt;
  char line[128] = {};
  const ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  double resident = 0;
  if (length <= 0 || std::sscanf(line, "%*f %lf", &resident) != 1) return std::nullopt;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// 64 MiB of rows; 8 MiB leaves room for what a check or a tile touches at once and for the system's own rounding.
TEST(MappedPool, ResidentMemoryStaysSmall) {
  if (!resident_bytes()) GTEST_SKIP() << "/proc/self/statm is not there, so resident memory cannot be seen";
  constexpr std::size_t rows = 64 * 1024 * 1024 / (8 * sizeof(double));
  constexpr double room = 8 * mebibyte;
  const Space space = Space{real("a", 0, 1), real("b", 0, 1), real("c", 0, 1), real("d", 0, 1),
                            real("e", 0, 1), real("f", 0, 1), real("g", 0, 1), real("h", 0, 1)};
  const TemporaryPath file;
  const std::vector<double> chunk(8 * 4096, 0.5);
  for (std::size_t row = 0; row < rows; row += 4096) file.append(chunk);

  const double before = *resident_bytes();
  CandidateOptions options;
  options.pool = mapped(space, file.path());
  EXPECT_LT(*resident_bytes() - before, room) << "after opening";

  const CandidateStream stream = internal::make_candidate_stream(space, options, 1, 0, {});
  ASSERT_EQ(stream.size(), rows);
  for (const std::size_t tile : {1000u, 20000u}) {
    std::vector<double> numbers(tile * 8);
    std::vector<double> encoded(tile * 8);
    std::vector<std::uint8_t> allowed(tile);
    double most = 0;
    double sum = 0;
    for (std::size_t first = 0; first + tile <= rows; first += tile) {
      stream.fill(first, numbers, encoded, allowed);
      most = std::max(most, *resident_bytes() - before);
      sum += encoded[first % tile];
    }
    EXPECT_LT(most, room) << "tiles of " << tile << " rows";
    EXPECT_EQ(sum, 0.5 * static_cast<double>(rows / tile));
  }
  // Without giving pages back the whole file stays: the figure above does see them.
  double sum = 0;
  for (const double number : options.pool->numbers()) sum += number;
  EXPECT_EQ(sum, 4.0 * rows);
  EXPECT_GT(*resident_bytes() - before, 48 * mebibyte);
}

}  // namespace
}  // namespace carbo
