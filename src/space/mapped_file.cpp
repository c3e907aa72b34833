#include "space/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// One page fault may map its whole folio of the page cache, up to this many bytes on either side of it.
constexpr std::size_t fault_reach = std::size_t{1} << 21;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& fault) {
  throw InvalidPool(text("pool file '", path.string(), "': ", fault));
}

[[noreturn]] void refuse_call(const std::filesystem::path& path, const char* what) {
  const int code = errno;
  refuse(path, text(what, ": ", std::generic_category().message(code)));
}

/// Closes on every way out; a mapping outlives its descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int value() const { return value_; }

 private:
  int value_;
};

std::size_t size_of(const std::filesystem::path& path, const Descriptor& file) {
  struct stat status {};
  if (fstat(file.value(), &status) != 0) refuse_call(path, "its size cannot be read");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file; give a file of float64 numbers, row by row");
  if (status.st_size == 0) refuse(path, "is empty; give at least one row");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.value() < 0) refuse_call(path, "cannot be opened; give a readable file");
  size_ = size_of(path, file);
  void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.value(), 0);
  if (mapped == MAP_FAILED) refuse_call(path, text("its ", size_, " bytes cannot be mapped").c_str());
  data_ = static_cast<const std::byte*>(mapped);
  madvise(mapped, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void MappedFile::release(std::size_t first, std::size_t count) const noexcept {
  static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = (first - std::min(first, fault_reach)) / page * page;
  const std::size_t end = std::min(first + count + fault_reach, size_);
  // Advice that is not taken costs memory, not results.
  madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace carbo::internal
