#include "faults/allocation_faults.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

// What the linker's --wrap leaves of the C library's own.
extern "C" {
void* __real_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier): the linker's names
void __real_free(void* memory);         // NOLINT(bugprone-reserved-identifier)
}

namespace carbo::test::allocations {
namespace {

constexpr std::uint64_t never = ~std::uint64_t{0};

std::atomic<bool> open = false;
std::atomic<bool> some_failed = false;
std::atomic<std::uint64_t> count = 0;
std::atomic<std::uint64_t> first_to_fail = never;
std::atomic<std::uint64_t> last_to_fail = never;
std::atomic<std::int64_t> blocks = 0;

bool fails() {
  if (!open.load(std::memory_order_relaxed)) return false;
  const std::uint64_t number = count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number < first_to_fail || number > last_to_fail) return false;
  some_failed = true;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? __real_malloc(size == 0 ? 1 : size)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory != nullptr) blocks.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  __real_free(memory);
}

}  // namespace

void plan(std::uint64_t first, Fault fault) {
  count = 0;
  some_failed = false;
  first_to_fail = first == 0 ? never : first;
  last_to_fail = fault == Fault::once ? first_to_fail.load() : never;
}

std::uint64_t counted() { return count; }
bool struck() { return some_failed; }
std::int64_t live() { return blocks; }

Window::Window() { open = true; }

Window::~Window() {
  open = false;
  if (some_failed) first_to_fail = last_to_fail = never;
}

}  // namespace carbo::test::allocations

using carbo::test::allocations::allocate;
using carbo::test::allocations::allocate_or_throw;
using carbo::test::allocations::release;

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void* __wrap_malloc(std::size_t size) { return allocate(size, 1); }
// Compilers make one of a malloc and a memset.
void* __wrap_calloc(std::size_t items, std::size_t size) {
  void* const memory = allocate(items * size, 1);
  return memory == nullptr ? nullptr : std::memset(memory, 0, items * size);
}
void __wrap_free(void* memory) { release(memory); }
// NOLINTEND(bugprone-reserved-identifier)
}

void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }

void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
