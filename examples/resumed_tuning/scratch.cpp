#include "scratch.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace resumed_tuning {
namespace {

void write_all(int fd, const std::string& content, const std::string& path) {
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(fd, content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "cannot write " + path);
    written += static_cast<std::size_t>(count);
  }
}

}  // namespace

ScratchFile::ScratchFile(const std::string& name, const std::string& content)
    : path_((std::filesystem::temp_directory_path() / (name + ".XXXXXX")).string()) {
  const int fd = ::mkostemp(path_.data(), O_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "cannot create " + path_);
  try {
    write_all(fd, content, path_);
  } catch (...) {
    ::close(fd);
    ::unlink(path_.c_str());
    throw;
  }
  ::close(fd);
}

ScratchFile::~ScratchFile() {
  if (!kept_) ::unlink(path_.c_str());
}

void ScratchFile::keep(const std::string& name) {
  const std::string target = (std::filesystem::temp_directory_path() / name).string();
  std::filesystem::rename(path_, target);
  path_ = target;
  kept_ = true;
}

}  // namespace resumed_tuning
