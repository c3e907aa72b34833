#pragma once

#include <filesystem>

#include "program/evaluation/descriptor.hpp"
#include "program/replay/user_table.hpp"

namespace carbo::program {

/// A folder with the runs of one table, of which this process alone writes into it.
class ReplayFolder {
 public:
  /// Makes it where there is none. Throws StudyBusy where another process writes into it, IncompatibleStudy where it
  /// holds runs of another table, of other columns, or of another version.
  ReplayFolder(std::filesystem::path path, const UserTable& table);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor lock_;
};

/// Of what the runs depend on: the space, all rows, and how many of them a run may evaluate.
std::string fingerprint(const UserTable& table);

}  // namespace carbo::program
