#include "program/replay/folder.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <carbo/version.h>
#include <carbo/error.hpp>

#include "program/support/files.hpp"
#include "program/support/json.hpp"
#include "space/space_tree.hpp"
#include "support/row_hash.hpp"
#include "support/tree.hpp"

namespace carbo::program {
namespace {

constexpr const char* about = "replay.json";

Descriptor locked(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "lock";
  Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.open()) throw Error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw StudyBusy(fmt::format("another process replays into {}; wait for it, or name another folder with --out",
                                folder.string()));
  return lock;
}

/// Throws where the folder holds what other runs left.
void check_about(const std::filesystem::path& folder, const Json& wanted) {
  const std::filesystem::path file = folder / about;
  const char* const advice = "; name another folder with --out, or remove this one";
  if (!std::filesystem::exists(file)) {
    for (const char* const runs : {"runs.csv", "traces.csv"})
      if (std::filesystem::exists(folder / runs))
        throw IncompatibleStudy(
            fmt::format("{} has a {} that no replay of a table wrote{}", folder.string(), runs, advice));
    return;
  }
  const Json written = parse_json(read_whole_file(file), file.string());
  for (const auto& [name, value] : wanted.items()) {
    const Json there = written.is_object() ? written.value(name, Json()) : Json();
    if (there != value)
      throw IncompatibleStudy(
          fmt::format("{} holds runs of another table, or of other columns, rows or versions: its "
                      "{} is {} and not {}{}",
                      folder.string(), name, json_line(there), json_line(value), advice));
  }
}

}  // namespace

std::string fingerprint(const UserTable& table) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : internal::to_text(internal::tree_of(table.table->space)))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  for (const auto* const column : {&table.table->numbers, &table.table->objective, &table.table->cost})
    hash = (hash ^ internal::row_hash(*column)) * 0x100000001b3u;
  hash = (hash ^ table.problem.most_evaluations) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

ReplayFolder::ReplayFolder(std::filesystem::path path, const UserTable& table) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (!std::filesystem::is_directory(path_))
    throw Error(fmt::format("{} cannot be made: {}", path_.string(),
                            error ? error.message() : std::string("there is a file of that name")));
  lock_ = locked(path_);
  const Json wanted{{"carbo", CARBO_VERSION_STRING},
                    {"table", table.problem.name},
                    {"rows", table.table->rows()},
                    {"most_evaluations", table.problem.most_evaluations},
                    {"fingerprint", fingerprint(table)}};
  check_about(path_, wanted);
  replace_file(path_ / about, json_page(wanted) + "\n");
}

}  // namespace carbo::program
