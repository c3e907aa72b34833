// What a kernel asks of the runtime besides meeting others: slow memory accesses, printf, assert, the clock.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#include "../kernel/thread.hpp"
#include "memory.hpp"
#include "report.hpp"

namespace emulator {

std::uint8_t* Thread::other_address(std::uint64_t address, std::uint32_t bytes, Space space) {
  if (address & (bytes - 1)) defect("misaligned access: %u bytes at 0x%" PRIx64, bytes, address);
  if (space == Space::shared)
    defect("shared memory out of bounds: %u bytes at offset %" PRIu64 " of %u", bytes, address, block->shared_size);
  if (space == Space::local) defect("local memory out of bounds: %u bytes at 0x%" PRIx64, bytes, address);
  auto* const p = reinterpret_cast<std::uint8_t*>(address);
  if (space == Space::generic) {
    if (in_local(address)) return p;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(block->shared);
    if (offset < block->shared_size + std::uint64_t(1024)) {
      if (offset + bytes <= block->shared_size) return p;
      defect("shared memory out of bounds: %u bytes at offset %" PRIu64 " of %u", bytes, offset, block->shared_size);
    }
  }
  const HostRange* host = containing_host_range(p);
  if (host && p + bytes <= host->start + host->bytes) return p;
  const Allocation* allocation = containing_allocation(p);
  if (allocation && allocation->open && address + bytes <= allocation->address + allocation->bytes) {
    // Inside an allocation and yet not in the kernel's view: it is on another device.
    const int here = 1 - allocation->device;
    if (!peer_allowed(here, allocation->device))
      defect("a kernel on device %d touches memory of device %d without peer access: %s", here, allocation->device,
             describe_address(address).c_str());
    return device_view(allocation->device).kernel_alias + (address - device_view(allocation->device).base);
  }
  defect("out of bounds: %u bytes at 0x%" PRIx64 ": %s", bytes, address, describe_address(address).c_str());
}

std::uint64_t Thread::clock() {
  static std::uint64_t ticks = 0;
  return ticks += 100;
}

void Thread::failed_assertion(const char* text, const char* file, unsigned line, const char* function) {
  defect("device assertion '%s' failed at %s:%u in %s", text, file, line, function);
}
void Thread::unsupported(const char* instruction) { defect("unsupported PTX: %s", instruction); }
void Thread::trap() { defect("the kernel executed a trap"); }

// Arguments are packed as the variadic promotion leaves them: 4 or 8 bytes, each aligned to its size.
void Thread::device_printf(const char* format, const std::uint8_t* arguments, std::uint32_t* printed) {
  std::size_t offset = 0;
  std::uint32_t conversions = 0;
  const auto next = [&](std::size_t bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    std::uint64_t bits = 0;
    std::memcpy(&bits, arguments + offset, bytes);
    offset += bytes;
    return bits;
  };
  for (const char* p = format; *p;) {
    if (*p != '%') {
      std::fputc(*p++, stdout);
      continue;
    }
    if (p[1] == '%') {
      std::fputc('%', stdout);
      p += 2;
      continue;
    }
    const std::size_t length = std::strcspn(p + 1, "diouxXeEfFgGaAcsp") + 2;
    const std::string conversion(p, length);
    const char kind = conversion.back();
    const bool is_wide = conversion.find('l') != std::string::npos || conversion.find('z') != std::string::npos;
    p += length;
    ++conversions;
    if (std::strchr("eEfFgGaA", kind)) {
      const std::uint64_t bits = next(8);
      double x;
      std::memcpy(&x, &bits, 8);
      std::printf(conversion.c_str(), x);
    } else if (kind == 's') {
      const std::uint64_t text = next(8);
      const Allocation* allocation = containing_allocation(reinterpret_cast<void*>(text));
      const Arena view = device_view(allocation ? allocation->device : 0);
      std::printf(conversion.c_str(),
                  allocation ? reinterpret_cast<char*>(view.kernel_alias + (text - view.base)) : "(?)");
    } else if (kind == 'p') {
      std::printf("0x%" PRIx64, next(8));
    } else if (is_wide) {
      std::printf(conversion.c_str(), next(8));
    } else {
      std::printf(conversion.c_str(), static_cast<std::uint32_t>(next(4)));
    }
  }
  if (printed) *printed = conversions;
}

}  // namespace emulator
