#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace carbo::internal {

/// A file mapped into memory for reading. The system reads pages when they are touched.
class MappedFile {
 public:
  /// Throws InvalidPool, naming the file, where it is missing, not a regular file, empty or not readable.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Gives back the memory of a range of bytes and of up to 2 MiB before and after it. All of it can be read again,
  /// also by a thread that is reading it now. Thread-safe.
  void release(std::size_t first, std::size_t count) const noexcept;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace carbo::internal
