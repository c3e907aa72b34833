#include "study/host.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// Of statfs(2): NFS, SMB in three versions, 9p, FUSE, AFS (two), Ceph, Coda, GPFS, Lustre, OCFS2, VirtualBox, NCP.
constexpr std::array<std::uint32_t, 15> shared_file_systems{
    0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x5346414f, 0x6b414653,
    0x00c36400, 0x73757245, 0x47504653, 0x0bd00bd0, 0x7461636f, 0x786f4256, 0x564c};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] ? std::string(name.data()) : "unknown";
}

/// When a process started, in the clock's ticks since the machine did; nothing where it has ended, and no text where
/// the system does not say.
std::optional<std::string> start_of(const std::string& process) {
  const int file = ::open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ESRCH ? std::nullopt : std::optional<std::string>("");
  std::array<char, 1024> bytes{};
  const ssize_t size = ::read(file, bytes.data(), bytes.size());
  const bool ended = size < 0 && errno == ESRCH;
  ::close(file);
  if (ended) return std::nullopt;
  const std::string_view line(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  std::size_t place = line.rfind(')');  // the name before it may hold anything
  if (place == std::string_view::npos) return "";
  // The third field, and then the 22nd.
  place += 2;
  if (place < line.size() && (line[place] == 'Z' || line[place] == 'X')) return std::nullopt;
  for (int field = 3; field < 22 && place != std::string_view::npos; ++field) place = line.find(' ', place + 1);
  if (place == std::string_view::npos) return "";
  return std::string(line.substr(place + 1, line.find(' ', place + 1) - place - 1));
}

/// Processes with numbers of one and the same space.
std::string process_space() {
  std::array<char, 64> name{};
  const ssize_t size = readlink("/proc/self/ns/pid", name.data(), name.size());
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (size <= 0 || !std::getline(boot, id)) return {};
  return id + " " + std::string(name.data(), static_cast<std::size_t>(size));
}

}  // namespace

bool on_network(const std::filesystem::path& file) {
  struct statfs found {};
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (statfs(file.c_str(), &found) != 0 && statfs(folder.c_str(), &found) != 0) return false;
  return std::ranges::find(shared_file_systems, static_cast<std::uint32_t>(found.f_type)) !=
         shared_file_systems.end();
}

std::string name_of_this_process() { return host_name() + ":" + std::to_string(getpid()); }

std::string mark_of_this_process() {
  const std::string space = process_space();
  const auto start = start_of("self");
  return space.empty() || !start || start->empty() ? std::string()
                                                   : space + " " + std::to_string(getpid()) + " " + *start;
}

bool certainly_dead(const std::string& mark) {
  const std::string space = process_space();
  if (space.empty() || !mark.starts_with(space + " ")) return false;
  const std::size_t number = space.size() + 1;
  const std::size_t end = mark.find(' ', number);
  if (end == std::string::npos) return false;
  const auto start = start_of(mark.substr(number, end - number));
  return !start || (!start->empty() && *start != mark.substr(end + 1));
}

double machine_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

LockFile::LockFile(std::filesystem::path file) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw StorageError(
        text("lock file ", file_.string(), " cannot be made: ", std::generic_category().message(errno)));
}

LockFile::~LockFile() { ::close(descriptor_); }

bool LockFile::try_lock(std::int64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  // Of the open file, not of the process: two studies of one process keep each other out too.
  while (fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR)
      throw StorageError(text("lock file ", file_.string(), ": locks do not work here (",
                              std::generic_category().message(errno), "); keep studies on a local disk"));
  }
  return true;
}

void LockFile::unlock(std::int64_t byte) noexcept {
  struct flock lock {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  fcntl(descriptor_, F_OFD_SETLK, &lock);
}

HeldByte::HeldByte(LockFile& file, std::int64_t byte, std::chrono::milliseconds patience, const char* another)
    : file_(file), byte_(byte) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!file_.try_lock(byte_)) {
    if (std::chrono::steady_clock::now() >= until)
      throw StudyBusy(text("another process ", another, ", and has done so for ", patience.count(),
                           " ms; try again, or give a longer busy_wait"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace carbo::internal
