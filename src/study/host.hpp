#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

/// What a study asks of the operating system.
namespace carbo::internal {

/// Whether a file (or the folder that it will be in) is on a file system that other machines share, where memory
/// cannot be mapped by all who hold the file.
bool on_network(const std::filesystem::path& file);

/// "host:pid".
std::string name_of_this_process();
/// Tells this process from all others of this machine, those before it with the same number included; empty where the
/// system does not say.
std::string mark_of_this_process();
/// Whether the process of a mark has certainly ended: it ran on this machine, where this process can see it.
bool certainly_dead(const std::string& mark);

/// Seconds since 1970.
double machine_clock();

/// A file whose bytes are locked by whoever holds what they stand for. The death of a process releases its locks.
class LockFile {
 public:
  /// Throws StorageError where it cannot be made.
  explicit LockFile(std::filesystem::path file);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// False where another holds it, of this process or another.
  bool try_lock(std::int64_t byte);
  void unlock(std::int64_t byte) noexcept;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// A byte of a lock file, held for as long as this lives.
class HeldByte {
 public:
  /// Throws StudyBusy, saying what `another` process does, where it does not let go in time.
  HeldByte(LockFile& file, std::int64_t byte, std::chrono::milliseconds patience, const char* another);
  ~HeldByte() { file_.unlock(byte_); }
  HeldByte(const HeldByte&) = delete;
  HeldByte& operator=(const HeldByte&) = delete;

 private:
  LockFile& file_;
  std::int64_t byte_;
};

}  // namespace carbo::internal
