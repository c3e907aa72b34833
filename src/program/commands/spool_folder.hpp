#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/evaluation/descriptor.hpp"

namespace carbo::program {

/// A folder of result files that is open, so that nobody can put another in its place.
class SpoolFolder {
 public:
  /// Throws StorageError.
  explicit SpoolFolder(const std::string& path);

  const std::string& path() const { return path_; }
  /// `*.json` by name, hidden files aside. Throws StorageError.
  std::vector<std::string> names() const;
  /// Absent where another process took it. Throws InvalidObservation where it is no plain file of this folder.
  std::optional<std::string> read(const std::string& name) const;
  /// To the folder `done` inside; false where another process was faster.
  bool set_aside(const std::string& name) const;

 private:
  std::string path_;
  Descriptor folder_, done_;
};

}  // namespace carbo::program
