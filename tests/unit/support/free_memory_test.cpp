#include "support/free_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/sanitized.hpp"

namespace carbo::internal {
namespace {

namespace fs = std::filesystem;

/// A folder of made-up files of a system.
class System {
 public:
  System() : root_(fs::temp_directory_path() / ("carbo_free_memory_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("proc/meminfo", "MemTotal:       64000000 kB\nMemFree:  1 kB\nMemAvailable:   8000000 kB\n");
  }
  ~System() { fs::remove_all(root_); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::size_t free() const { return free_memory(root_.string()); }

 private:
  fs::path root_;
};

constexpr std::size_t available = std::size_t{8000000} * 1024;

TEST(FreeMemory, IsWhatTheSystemHasAvailable) {
  EXPECT_EQ(System().free(), available);
  EXPECT_EQ(free_memory("/no/such/folder"), std::size_t{4} << 30);
}

TEST(FreeMemory, AGroupOfVersion2LeavesItsLimitLessWhatItUses) {
  const System system;
  system.write("proc/self/cgroup", "0::/\n");
  system.write("sys/fs/cgroup/memory.max", "max\n");
  system.write("sys/fs/cgroup/memory.current", "3000000000\n");
  EXPECT_EQ(system.free(), available);
  system.write("sys/fs/cgroup/memory.max", "5000000000\n");
  EXPECT_EQ(system.free(), 2000000000u);
  // Cached files give way.
  system.write("sys/fs/cgroup/memory.stat", "anon 1\nactive_file 7\ninactive_file 500000000\nfile 9\n");
  EXPECT_EQ(system.free(), 2500000000u);
  system.write("sys/fs/cgroup/memory.current", "6000000000\n");
  EXPECT_EQ(system.free(), 0u);
}

TEST(FreeMemory, EveryGroupAboveCounts) {
  const System system;
  system.write("proc/self/cgroup", "0::/user.slice/job/step\n");
  system.write("sys/fs/cgroup/user.slice/job/step/memory.max", "4000000000\n");
  system.write("sys/fs/cgroup/user.slice/job/step/memory.current", "1000000000\n");
  EXPECT_EQ(system.free(), 3000000000u);
  system.write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  system.write("sys/fs/cgroup/user.slice/memory.max", "9000000000\n");
  system.write("sys/fs/cgroup/user.slice/memory.current", "8000000000\n");
  EXPECT_EQ(system.free(), 1000000000u);
  // A neighbour's does not.
  system.write("sys/fs/cgroup/user.slice/other/memory.max", "10\n");
  EXPECT_EQ(system.free(), 1000000000u);
}

TEST(FreeMemory, GroupsOfVersion1) {
  const System system;
  system.write("proc/self/cgroup", "7:cpu,cpuacct:/a\n5:hugetlb,memory:/a/b\n0::/unified\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "70000000000\n");
  system.write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "2000000000\n");
  system.write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1500000000\n");
  system.write("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 9\ntotal_inactive_file 200000000\n");
  EXPECT_EQ(system.free(), 700000000u);
  system.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "600000000\n");
  EXPECT_EQ(system.free(), 600000000u);
}

/// The path is the host's, and what the container sees of it begins at its own group.
TEST(FreeMemory, InAContainerTheRootIsTheGroup) {
  const System system;
  system.write("proc/self/cgroup", "3:memory:/docker/0123\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000000\n");
  system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "400000000\n");
  EXPECT_EQ(system.free(), 600000000u);
}

TEST(FreeMemory, TheAddressSpaceMayBeTheLimit) {
  const System system;
  const std::string head = "Limit                     Soft Limit           Hard Limit           Units\n";
  system.write("proc/self/status", "Name:\tx\nVmPeak:\t 9 kB\nVmSize:\t  1000000 kB\n");
  system.write("proc/self/limits",
               head + "Max address space         unlimited            unlimited            bytes\n");
  EXPECT_EQ(system.free(), available);
  system.write("proc/self/limits",
               head + "Max address space         3000000000           unlimited            bytes\n");
  EXPECT_EQ(system.free(), 3000000000u - 1024000000u);
}

/// As this system says it, in a process of its own.
TEST(FreeMemory, FollowsTheLimitThatThisProcessHas) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers take an address space of terabytes";
  const std::size_t before = free_memory();
  EXPECT_GT(before, 0u);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{std::size_t{2} << 30, RLIM_INFINITY};
    rlimit kept{};
    const bool set = setrlimit(RLIMIT_AS, &limit) == 0 && getrlimit(RLIMIT_AS, &kept) == 0;
    if (!set || kept.rlim_cur != limit.rlim_cur) _exit(2);
    const std::size_t left = free_memory();
    _exit(left > 0 && left < limit.rlim_cur ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "the limit of a process is not kept here, as under qemu-user";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace carbo::internal
