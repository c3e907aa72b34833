#include <cerrno>
#include <chrono>
#include <cstring>
#include <ostream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <carbo/version.h>
#include <carbo/error.hpp>

#include "backend/backend.hpp"
#include "backend/cpu_level.hpp"
#include "engine/state_format.hpp"
#include "program/commands/commands.hpp"
#include "program/evaluation/descriptor.hpp"
#include "program/support/json.hpp"
#include "support/cpu_features.hpp"
#include "support/free_memory.hpp"

namespace carbo::program {
namespace {

struct Finding {
  const char* title;
  std::string words;
  bool good = true;
};

std::string file_system_name(long type) {
  struct Known {
    long type;
    const char* name;
  };
  constexpr Known known[] = {{0xEF53, "ext"},        {0x58465342, "XFS"},     {0x9123683E, "Btrfs"},
                             {0x01021994, "tmpfs"},  {0x794C7630, "overlay"}, {0x6969, "NFS"},
                             {0x0BD00BD0, "Lustre"}, {0x2FC12FC1, "ZFS"},     {0x65735546, "FUSE"},
                             {0xFF534D42, "CIFS"},   {0xFE534D42, "SMB"},     {0x47504653, "GPFS"}};
  for (const Known& each : known)
    if ((each.type & 0xFFFFFFFF) == (type & 0xFFFFFFFF)) return each.name;
  return fmt::format("type {:#x}", static_cast<unsigned long>(type));
}

Finding levels() {
  std::string words;
  for (const internal::CpuLevel& level : internal::cpu_levels()) {
    const std::string missing = internal::missing_features(level.name);
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ", level.name,
                         missing.empty() ? "" : fmt::format(" (this processor lacks {})", missing));
  }
  return {"levels", words};
}

/// What runs here, and why no device does where none does.
std::vector<Finding> backends() {
  try {
    internal::BackendChoice choice;
    internal::make_backend({}, &choice);
    const std::string room = bytes_text(static_cast<double>(choice.memory_bytes));
    const Finding backend{"backend", fmt::format("{}; {} for candidates and models", choice.machine, room)};
    const std::size_t colon = choice.reason.find(": ");
    const std::string why = choice.reason.substr(colon == std::string::npos ? 0 : colon + 2);
    return {backend, {"device", choice.on_device ? why : "none: " + why}};
  } catch (const Error& error) {
    return {{"backend", error.what(), false}};
  }
}

/// What a transaction that is to survive a power cut waits for.
Finding storage(const std::string& folder) {
  struct statfs system {};
  if (::statfs(folder.c_str(), &system) != 0)
    return {"storage", fmt::format("{}: {}", folder, std::strerror(errno)), false};
  const double free_bytes = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_bsize);
  std::string words = fmt::format("{}: {}, {} free", folder, file_system_name(system.f_type), bytes_text(free_bytes));
  const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.open())
    return {"storage", fmt::format("{}; cannot be written to: {}", words, std::strerror(errno)), false};
  constexpr int times = 5;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    if (::write(file.get(), "carbo\n", 6) != 6 || ::fsync(file.get()) != 0)
      return {"storage", fmt::format("{}; a write fails: {}", words, std::strerror(errno)), false};
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  return {"storage", fmt::format("{}, {:.1f} ms to sync", words, taken.count() / times)};
}

}  // namespace

Exit doctor(Terminal& terminal, const std::string& folder) {
  std::vector<Finding> findings{
      {"carbo", CARBO_VERSION_STRING},
      {"build", internal::build_text()},
      levels(),
      {"cuda", CARBO_PROGRAM_CUDA_STATUS},
      {"memory", fmt::format("{} free for this process", bytes_text(static_cast<double>(internal::free_memory())))},
      {"threads", fmt::format("{}", std::thread::hardware_concurrency())},
      storage(folder),
  };
  const std::vector<Finding> found = backends();
  findings.insert(findings.begin() + 4, found.begin(), found.end());
  bool good = true;
  Json json = Json::object();
  for (const Finding& each : findings) {
    good = good && each.good;
    json[each.title] = each.words;
    if (terminal.json) continue;
    terminal.out << terminal.dim(fmt::format("{:<9}", each.title))
                 << (each.good ? each.words : terminal.red(each.words)) << "\n";
  }
  json["good"] = good;
  if (terminal.json) terminal.out << json_page(json) << "\n";
  return good ? Exit::success : Exit::failure;
}

}  // namespace carbo::program
