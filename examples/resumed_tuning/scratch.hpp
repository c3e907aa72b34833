#pragma once

#include <string>

namespace resumed_tuning {

/// A file of a new name in the folder for temporary files, removed again unless kept.
class ScratchFile {
 public:
  /// Throws std::system_error where the file cannot be written.
  ScratchFile(const std::string& name, const std::string& content);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  const std::string& path() const { return path_; }
  /// Moves it to a name of its own, over what is there, where it stays. Throws std::filesystem::filesystem_error.
  void keep(const std::string& name);

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace resumed_tuning
