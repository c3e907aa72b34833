#include "program/support/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {

std::string read_whole_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw Error(internal::text(file.string(), " is a folder; give a file"));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw Error(internal::text(file.string(), " cannot be read: ", std::strerror(errno != 0 ? errno : EIO)));
  return text;
}

void write_new_file(const std::filesystem::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST)
    throw Error(internal::text(file.string(), " is there already; name another file, or remove it"));
  if (descriptor < 0) throw Error(internal::text(file.string(), " cannot be made: ", std::strerror(errno)));
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int why = errno;
      ::close(descriptor);
      ::unlink(file.c_str());
      throw Error(internal::text(file.string(), " cannot be written: ", std::strerror(why)));
    }
    written += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
}

void replace_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    throw Error(internal::text(file.string(), " is no regular file; name another"));
  const std::filesystem::path folder = file.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    throw Error(internal::text(file.string(), " cannot be written: there is no folder ", folder.string()));
  const std::filesystem::path beside = file.string() + ".new" + std::to_string(::getpid());
  write_new_file(beside, text);
  std::filesystem::rename(beside, file, error);
  if (!error) return;
  const std::string why = error.message();
  std::filesystem::remove(beside, error);
  throw Error(internal::text(file.string(), " cannot be written: ", why));
}

}  // namespace carbo::program
