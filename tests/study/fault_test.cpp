#include <algorithm>

#include <carbo/error.hpp>
#include <carbo/study.hpp>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "study/child_process.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

Options quick_options() {
  Options options = small_options(1000);
  options.acquisition = Acquisition::random;
  return options;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Runs statements on a file as another program would.
void run_sql(const std::filesystem::path& file, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

/// What a short study was acknowledged, ids and objectives.
struct Acknowledged {
  std::map<std::uint64_t, double> told;
  std::set<std::uint64_t> suggested;
  bool refused = false;
};

void short_study(const std::filesystem::path& file, Acknowledged& acknowledged) {
  try {
    StudyOptions how;
    how.owner = "tester";
    how.durability = Durability::normal;
    Study study = Study::open(file, "s", valley_space(), quick_options(), how);
    for (int i = 0; i < 3; ++i) {
      const auto batch = study.ask(2);
      for (const Suggestion& one : batch) acknowledged.suggested.insert(one.id);
      for (const Suggestion& one : batch) {
        const Evaluation evaluation = valley(one.configuration);
        study.tell(one.id, evaluation, {{{"metric", 1.5}}, {}, {}});
        acknowledged.told[one.id] = evaluation.objective;
      }
    }
  } catch (const StorageError&) {
    acknowledged.refused = true;
  }
}

/// Files may not grow beyond this size while it lives, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit lowered = limit_;
    lowered.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lowered);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

/// At every page that is written where CARBO_EVERY_WRITE is set, at every sixth otherwise.
TEST(StudyFaults, ADiskThatIsFullAtAnyWriteLosesNothingAcknowledged) {
  const rlim_t step = test::times("CARBO_EVERY_WRITE", 0) ? 4096 : 6 * 4096;
  std::size_t refused = 0;
  bool complete = false;
  for (rlim_t bytes = 0; !complete; bytes += step) {
    const TemporaryFolder folder;
    Acknowledged acknowledged;
    {
      const FullDisk full(bytes);
      short_study(folder / "a.db", acknowledged);
    }
    complete = !acknowledged.refused;
    refused += acknowledged.refused;
    ASSERT_LT(bytes, 4u << 20) << "a short study does not fit into 4 MB";
    // With room again it opens, has all that was acknowledged, and goes on.
    StudyOptions how;
    how.durability = Durability::normal;
    Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options(), how);
    std::set<std::uint64_t> ids;
    for (const Trial& trial : study.trials()) ids.insert(*trial.id);
    EXPECT_TRUE(std::ranges::includes(ids, acknowledged.suggested)) << bytes;
    for (const auto& [id, objective] : acknowledged.told) EXPECT_EQ(study.trial(id)->objective, objective) << bytes;
    EXPECT_EQ(study.ask(1).size(), 1u) << bytes;
  }
  EXPECT_GT(refused, 10u);
}

TEST(StudyFaults, ACallThatFailedCanBeMadeAgain) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options());
  const auto first = study.ask(1);
  {
    const FullDisk full(std::filesystem::file_size(folder / "a.db-wal"));
    expect_error<StorageError>([&] { study.ask(1); }, {"a.db"});
    expect_error<StorageError>([&] { study.tell(first[0].id, {1, 1}); }, {"a.db"});
    EXPECT_EQ(study.trials().size(), 1u);
    EXPECT_EQ(study.summary().running, 1u);
  }
  study.tell(first[0].id, {1, 1});
  EXPECT_EQ(study.ask(1).front().id, 1u);
}

TEST(StudyFaults, TruncatedAnywhereItIsRefusedOrWhole) {
  const TemporaryFolder folder;
  Acknowledged acknowledged;
  short_study(folder / "a.db", acknowledged);
  ASSERT_FALSE(std::filesystem::exists(folder / "a.db-wal")) << "the last to close a file writes all into it";
  const std::string whole = bytes_of(folder / "a.db");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t size = whole.size() * i / 200;
    write_bytes(folder / "cut.db", whole.substr(0, size));
    try {
      for (const StudySummary& summary : Study::list(folder / "cut.db")) EXPECT_EQ(summary.succeeded, 6u);
      Study study = Study::open(folder / "cut.db");
      EXPECT_EQ(study.trials().size(), 6u);
      study.ask(1);
      ADD_FAILURE() << "cut at " << size << " of " << whole.size() << " nothing was missed";
    } catch (const StorageError&) {
      ++refused;
    }
    for (const char* const beside : {"cut.db-wal", "cut.db-shm", "cut.db-lock"})
      std::filesystem::remove(folder / beside);
  }
  EXPECT_EQ(refused, 200u);
}

TEST(StudyFaults, ALogThatIsCutAnywhereLeavesWholeTransactions) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options());
  for (int i = 0; i < 4; ++i)
    for (const Suggestion& one : study.ask(2)) study.tell(one.id, valley(one.configuration));
  const std::string file = bytes_of(folder / "a.db");
  const std::string log = bytes_of(folder / "a.db-wal");
  ASSERT_FALSE(log.empty());
  std::size_t most = 0;
  for (std::size_t i = 0; i <= 50; ++i) {
    write_bytes(folder / "cut.db", file);
    write_bytes(folder / "cut.db-wal", log.substr(0, log.size() * i / 50));
    Study cut = Study::open(folder / "cut.db", "s", valley_space(), quick_options());
    const auto trials = cut.trials();
    const StudySummary summary = cut.summary();
    std::size_t succeeded = 0;
    for (const Trial& trial : trials) succeeded += trial.state == TrialState::succeeded;
    EXPECT_EQ(summary.succeeded, succeeded);
    EXPECT_EQ(summary.running, trials.size() - succeeded);
    EXPECT_GE(trials.size(), most);
    most = std::max(most, trials.size());
    for (const char* const beside : {"cut.db-wal", "cut.db-shm", "cut.db-lock"})
      std::filesystem::remove(folder / beside);
  }
  EXPECT_EQ(most, 8u);
}

TEST(StudyFaults, FilesThatAreNone) {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& name) {
    return Study::open(folder / name, "s", valley_space(), quick_options());
  };
  write_bytes(folder / "text.db", std::string(5000, 'x'));
  expect_error<StorageError>([&] { open("text.db"); }, {"text.db", "no study file"});
  EXPECT_EQ(bytes_of(folder / "text.db"), std::string(5000, 'x'));
  run_sql(folder / "other.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  expect_error<StorageError>([&] { open("other.db"); }, {"another program"});
  expect_error<StorageError>([&] { Study::list(folder / "missing.db"); }, {"no such file"});
  expect_error<StorageError>([&] { Study::open(folder / "missing.db"); }, {"no such file"});
  EXPECT_FALSE(std::filesystem::exists(folder / "missing.db"));
  expect_error<StorageError>([&] { open("no/folder/a.db"); }, {"no folder"});
  expect_error<StorageError>([&] { Study::open(folder.path(), "s", valley_space(), quick_options()); }, {"folder"});
  write_bytes(folder / "empty.db", "");
  expect_error<StorageError>([&] { Study::list(folder / "empty.db"); }, {"empty"});
  EXPECT_EQ(open("empty.db").ask(1).size(), 1u);
  run_sql(folder / "empty.db", "PRAGMA user_version = 7");
  expect_error<StorageError>([&] { open("empty.db"); }, {"version 7", "up to 1"});
}

/// Root may write what is read-only; it is somebody else while this lives.
class AsNobody {
 public:
  AsNobody() { was_root_ = geteuid() == 0 && seteuid(65534) == 0; }
  ~AsNobody() {
    if (was_root_ && seteuid(0) != 0) ADD_FAILURE() << "this process could not become root again";
  }

 private:
  bool was_root_ = false;
};

TEST(StudyFaults, AFileThatIsReadOnlyCanBeRead) {
  const TemporaryFolder folder;
  Acknowledged acknowledged;
  short_study(folder / "a.db", acknowledged);
  std::filesystem::permissions(folder / "a.db", std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const AsNobody nobody;
  expect_error<StorageError>([&] { Study::open(folder / "a.db", "s", valley_space(), quick_options()); },
                             {"read-only"});
  EXPECT_EQ(Study::list(folder / "a.db").front().succeeded, 6u);
  Study study = Study::open(folder / "a.db");
  EXPECT_EQ(study.trials().size(), 6u);
  expect_error<StorageError>([&] { study.ask(1); }, {"read-only"});
  expect_error<StorageError>([&] { study.tell_prior(study.trials().front().configuration, 1); }, {"read-only"});
}

TEST(StudyFaults, AFileThatVanishesIsMissed) {
  const TemporaryFolder folder;
  Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options());
  const auto batch = study.ask(2);
  std::filesystem::rename(folder / "a.db", folder / "b.db");
  expect_error<StorageError>([&] { study.tell(batch[0].id, {1, 1}); }, {"deleted or moved", "nothing was written"});
  std::filesystem::rename(folder / "b.db", folder / "a.db");
  study.tell(batch[0].id, {1, 1});
  EXPECT_EQ(study.summary().succeeded, 1u);
}

TEST(StudyFaults, OnANetworkFileSystemThereIsNoLog) {
  const TemporaryFolder folder;
  StudyOptions how;
  how.network = true;
  {
    Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options(), how);
    study.tell(study.ask(1).front().id, {1, 1});
    EXPECT_FALSE(std::filesystem::exists(folder / "a.db-wal"));
    Study other = Study::open(folder / "a.db", "s", how);
    EXPECT_EQ(other.trials().size(), 1u);
    other.tell(other.ask(1).front().id, {1, 1});
    EXPECT_EQ(study.summary().succeeded, 2u);
  }
  how.network = false;
  Study study = Study::open(folder / "a.db", "s", how);
  EXPECT_TRUE(std::filesystem::exists(folder / "a.db-wal"));
  how.network = true;
  how.busy_wait = std::chrono::milliseconds(20);
  expect_error<Error>([&] { Study::open(folder / "a.db", "s", how); }, {"a.db"});
}

TEST(StudyFaults, AnotherTransactionIsWaitedForAndThenNamed) {
  const TemporaryFolder folder;
  StudyOptions how;
  how.busy_wait = std::chrono::milliseconds(30);
  Study study = Study::open(folder / "a.db", "s", valley_space(), quick_options(), how);
  const auto batch = study.ask(1);
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "a.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  expect_error<StudyBusy>([&] { study.tell(batch[0].id, {1, 1}); }, {"another process", "30 ms"});
  expect_error<StudyBusy>([&] { study.ask(1); }, {"another process"});
  EXPECT_EQ(study.trials().size(), 1u);
  sqlite3_close(handle);
  study.tell(batch[0].id, {1, 1});
}

}  // namespace
}  // namespace carbo
