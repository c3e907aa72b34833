#include "memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "counters.hpp"
#include "host_fault.hpp"
#include "lock.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t page = 4096, granule = 16;
constexpr std::uint64_t part_size = std::uint64_t(32) << 30;  // addresses for one device: far more than its memory
constexpr std::uint64_t margin = 1 << 20;  // no allocation at the ends of a part: a near miss must stay recognisable
constexpr std::uint64_t near = margin;     // so far from an allocation, an address is said to have missed it
constexpr int parts = most_devices;
constexpr int poison = 0xff;  // as floating-point numbers NaN, as integers -1

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

std::uint8_t* reserve(std::uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) defect("cannot reserve %llu bytes of addresses", static_cast<unsigned long long>(bytes));
  madvise(p, bytes, MADV_DONTDUMP);  // a report ends in abort: the core file should stay small
  return static_cast<std::uint8_t*>(p);
}

// The program's pointers lie in a range without access, so that the host cannot touch device memory unnoticed. The
// bytes themselves are in a second range of the same size, whose addresses the program never sees. Nothing is ever
// opened and closed again: other host threads may run at any time.
class DeviceMemory {
 public:
  DeviceMemory()
      : base_(reserve(parts * part_size, PROT_NONE)),
        bytes_(reserve(parts * part_size, PROT_READ | PROT_WRITE)),
        valid_(reserve(parts * part_size / granule, PROT_READ | PROT_WRITE)) {
    watch_host_faults(base_, parts * part_size);
    for (int i = 0; i < parts; ++i) cursor_[i] = part_start(i) + margin;
  }

  Arena view(int device) const {
    const std::uint64_t skip = device * part_size;
    return {part_start(device), part_size, bytes_ + skip, valid_ + skip / granule};
  }

  bool contains(std::uint64_t address) const {
    return address - reinterpret_cast<std::uint64_t>(base_) < parts * part_size;
  }

  std::uint8_t* bytes_of(std::uint64_t address) const {
    return bytes_ + (address - reinterpret_cast<std::uint64_t>(base_));
  }

  void* allocate(const AllocationRequest& request) {
    const int device = request.device;
    const std::size_t bytes = request.bytes;
    if (bytes > settings().device_bytes || used_[device] > settings().device_bytes - bytes) return nullptr;
    const std::uint64_t address = find_gap(round_up(bytes, page) + page, device);
    if (!address) return nullptr;
    forget_freed(address, bytes);
    live_[address] = {request, address, ++made_, false};
    if (!request.is_variable) {
      used_[device] += bytes;
      count("allocations");
      count_peak("peak device bytes", used_[0] + used_[1]);
    }
    if (request.open_now) open(address);
    return reinterpret_cast<void*>(address);
  }

  void open(std::uint64_t address) {
    Allocation& allocation = live_.at(address);
    allocation.open = true;
    std::memset(bytes_of(address), poison, allocation.bytes);
    mark(address, allocation.bytes, true);
  }

  void release(std::uint64_t address) {
    const auto found = live_.find(address);
    Allocation& allocation = found->second;
    mark(address, allocation.bytes, false);
    madvise(bytes_of(address), round_up(allocation.bytes, page), MADV_DONTNEED);
    if (!allocation.is_variable) used_[allocation.device] -= allocation.bytes;
    freed_[address] = std::move(allocation);
    live_.erase(found);
  }

  const Allocation* starting_at(std::uint64_t address) const {
    const auto found = live_.find(address);
    return found == live_.end() ? nullptr : &found->second;
  }

  const Allocation* around(const std::map<std::uint64_t, Allocation>& among, std::uint64_t address,
                           std::uint64_t slack) const {
    auto after = among.upper_bound(address);
    if (after == among.begin()) return nullptr;
    const Allocation& candidate = std::prev(after)->second;
    return address < candidate.address + candidate.bytes + slack ? &candidate : nullptr;
  }

  std::string describe(std::uint64_t address) const;

  std::map<std::uint64_t, Allocation> live_, freed_;
  std::size_t used_[parts] = {};

 private:
  std::uint64_t part_start(int device) const { return reinterpret_cast<std::uint64_t>(base_) + device * part_size; }

  // Addresses are used anew only when all have been used: a stale pointer stays recognisable for long.
  std::uint64_t find_gap(std::uint64_t bytes, int device) {
    const std::uint64_t start = part_start(device) + margin, end = part_start(device) + part_size - margin;
    std::uint64_t candidate = cursor_[device];
    for (bool wrapped = false;;) {
      if (candidate + bytes > end) {
        if (wrapped) return 0;
        wrapped = true;
        candidate = start;
      }
      auto next = live_.lower_bound(candidate);
      if (next != live_.begin()) {
        const Allocation& before = std::prev(next)->second;
        const std::uint64_t before_end = before.address + round_up(before.bytes, page) + page;
        if (before.device == device && before_end > candidate) {
          candidate = before_end;
          continue;
        }
      }
      if (next == live_.end() || next->first >= candidate + bytes) break;
      candidate = next->second.address + round_up(next->second.bytes, page) + page;
    }
    cursor_[device] = candidate + bytes;
    return candidate;
  }

  void forget_freed(std::uint64_t address, std::size_t bytes) {
    auto old = freed_.lower_bound(address);
    if (const Allocation* before = around(freed_, address, 0)) old = freed_.find(before->address);
    while (old != freed_.end() && old->first < address + bytes) old = freed_.erase(old);
    if (freed_.size() > 100000) freed_.erase(freed_.begin());
  }

  void mark(std::uint64_t address, std::size_t bytes, bool valid) {
    std::uint8_t* entries = valid_ + (address - reinterpret_cast<std::uint64_t>(base_)) / granule;
    std::memset(entries, valid ? granule : 0, bytes / granule);
    if (bytes % granule) entries[bytes / granule] = valid ? bytes % granule : 0;
  }

  std::uint8_t *base_, *bytes_, *valid_;
  std::uint64_t cursor_[parts];
  std::uint64_t made_ = 0;
};

DeviceMemory& memory() {
  static DeviceMemory* const the_memory = new DeviceMemory;
  return *the_memory;
}

std::map<const std::uint8_t*, HostRange>& host_ranges() {
  static auto* const ranges = new std::map<const std::uint8_t*, HostRange>;
  return *ranges;
}

std::set<std::pair<int, int>>& peers() {
  static auto* const allowed = new std::set<std::pair<int, int>>;
  return *allowed;
}

std::string title(const Allocation& a) {
  return "allocation " + std::to_string(a.number) + " (" + a.call + ", " + std::to_string(a.bytes) + " bytes)";
}

}  // namespace

std::string DeviceMemory::describe(std::uint64_t address) const {
  if (address < page) return "a null pointer";
  if (!contains(address)) return "memory that is neither device memory nor pinned";
  if (const Allocation* inside = around(live_, address, 0)) {
    const std::string where = "byte " + std::to_string(address - inside->address) + " of " + title(*inside);
    return inside->open ? where : where + ", which its stream has not made yet";
  }
  if (const Allocation* freed = around(freed_, address, 0)) return "freed " + title(*freed);
  // The nearer of the two neighbours is the one that was missed.
  const Allocation* const before = around(live_, address, near);
  const auto next = live_.lower_bound(address);
  const std::uint64_t behind = before ? address - before->address - before->bytes : near;
  const std::uint64_t ahead = next != live_.end() ? next->first - address : near;
  if (ahead < near && ahead < behind) return std::to_string(ahead) + " bytes before " + title(next->second);
  if (before) return std::to_string(behind) + " bytes after the end of " + title(*before);
  return "no allocation";
}

void* allocate_device(const AllocationRequest& request) { return memory().allocate(request); }
void open_allocation(void* address) { memory().open(reinterpret_cast<std::uint64_t>(address)); }
const Allocation* find_allocation(const void* p) { return memory().starting_at(reinterpret_cast<std::uint64_t>(p)); }
const Allocation* containing_allocation(const void* p) {
  return memory().around(memory().live_, reinterpret_cast<std::uint64_t>(p), 0);
}
void free_device(const void* address) { memory().release(reinterpret_cast<std::uint64_t>(address)); }
std::size_t device_bytes_used(int device) { return memory().used_[device]; }
std::size_t all_device_bytes() {
  std::size_t bytes = 0;
  for (const std::size_t used : memory().used_) bytes += used;
  return bytes;
}
std::size_t pool_bytes(const void* pool) {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : memory().live_)
    if (allocation.pool == pool) bytes += allocation.bytes;
  return bytes;
}
Arena device_view(int device) { return memory().view(device); }
bool in_device_arena(const void* address) { return memory().contains(reinterpret_cast<std::uint64_t>(address)); }
std::string describe_address(std::uint64_t address) { return memory().describe(address); }

void add_host_range(HostRange range) { host_ranges()[range.start] = range; }
bool remove_host_range(const void* start) { return host_ranges().erase(static_cast<const std::uint8_t*>(start)) > 0; }
const HostRange* containing_host_range(const void* address) {
  const auto* p = static_cast<const std::uint8_t*>(address);
  auto after = host_ranges().upper_bound(p);
  if (after == host_ranges().begin()) return nullptr;
  const HostRange& candidate = std::prev(after)->second;
  return p < candidate.start + candidate.bytes ? &candidate : nullptr;
}

void allow_peer(int from, int to, bool allowed) {
  if (allowed)
    peers().insert({from, to});
  else
    peers().erase({from, to});
}
bool peer_allowed(int from, int to) { return peers().count({from, to}) > 0; }

void report_leaks() {
  for (const auto& [address, allocation] : memory().live_)
    if (!allocation.is_variable) note("leak: %s", title(allocation).c_str());
  for (const auto& [start, range] : host_ranges())
    note("leak: %zu bytes of pinned or managed host memory", range.bytes);
}

// The interface for the stand-in libraries (emulator.h).
bool is_device(const void* p) {
  Locked locked(runtime_lock());
  return in_device_arena(p);
}

void* device(const void* p, std::size_t bytes, const char* what) {
  Locked locked(runtime_lock());
  const auto address = reinterpret_cast<std::uint64_t>(p);
  const Allocation* allocation = containing_allocation(p);
  if (allocation && allocation->open && address + bytes <= allocation->address + allocation->bytes)
    return memory().bytes_of(address);
  if (allocation && bytes == 0) return memory().bytes_of(address);
  // Kernels and libraries may also touch pinned and managed host memory.
  const HostRange* host = containing_host_range(p);
  if (host && static_cast<const std::uint8_t*>(p) + bytes <= host->start + host->bytes) return const_cast<void*>(p);
  if (allocation) defect("%s: %zu bytes at %s do not fit", what, bytes, describe_address(address).c_str());
  defect("%s: %zu bytes at %p: %s", what, bytes, p, describe_address(address).c_str());
}

}  // namespace emulator
