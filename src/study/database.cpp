#include "study/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::chrono::milliseconds between_tries{1};

std::string words_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
      return "it is read-only";
    case SQLITE_CANTOPEN:
      return "it cannot be opened";
    case SQLITE_NOTADB:
      return "it is no study file (not an SQLite database)";
    case SQLITE_CORRUPT:
      return "it is damaged; go on with a copy of it, or take out what is readable with sqlite3's .recover";
    case SQLITE_IOERR:
      return "the system could not read or write it";
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "access is denied";
    default:
      return "SQLite cannot use it";
  }
}

bool may_write(const std::filesystem::path& path) { return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0; }

/// As a URI, for a file that nobody writes: no log and no locks.
std::string unchanging_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '?' || c == '#' || c == '%') {
      constexpr char digits[] = "0123456789abcdef";
      uri += {'%', digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Database::Database(std::filesystem::path file, const DatabaseOptions& options)
    : file_(std::move(file)), busy_wait_(options.busy_wait) {
  try {
    open_handle(options);
    sqlite3_busy_handler(handle_, &Database::wait_for_others, this);
    run("PRAGMA foreign_keys = ON");
    choose_journal(options);
  } catch (...) {
    close();
    throw;
  }
}

Database::~Database() { close(); }

void Database::close() noexcept {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_close(handle_);
  handle_ = nullptr;
}

void Database::open_handle(const DatabaseOptions& options) {
  const bool create = options.access == DatabaseOptions::Access::create;
  std::error_code ignored;
  if (std::filesystem::is_directory(file_, ignored)) refuse("it is a folder; name a file");
  const bool exists = std::filesystem::exists(file_, ignored);
  if (!create && !exists) refuse("there is no such file");
  const auto folder = std::filesystem::absolute(file_).parent_path();
  if (!exists && !std::filesystem::is_directory(folder, ignored))
    refuse(text("there is no folder ", folder.string()));
  const bool writable = !exists || (may_write(file_) && may_write(folder));
  if (!writable && options.access != DatabaseOptions::Access::read_where_it_must)
    refuse("it is read-only, or its folder is; it can be listed and read, but not written");
  read_only_ = !writable;
  if (read_only_) {
    const bool logged = std::filesystem::exists(file_.string() + "-wal", ignored);
    const std::string name = logged ? file_.string() : unchanging_uri(file_);
    check(sqlite3_open_v2(name.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr));
    return;
  }
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  check(sqlite3_open_v2(file_.c_str(), &handle_, flags, nullptr));
}

void Database::choose_journal(const DatabaseOptions& options) {
  if (read_only_) return;
  const char* const wanted = options.network ? "delete" : "wal";
  const std::string mode =
      switch_journal(options.network ? "PRAGMA journal_mode = delete" : "PRAGMA journal_mode = wal");
  if (mode != wanted)
    refuse(text("it needs the journal mode '", wanted, "' here and has '", mode,
                "'; close the programs that hold it, or move it to a local disk"));
  run(options.power_safe ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

std::string Database::switch_journal(const char* pragma) {
  const auto since = std::chrono::steady_clock::now();
  while (true) {
    try {
      Query query(*this, pragma);
      return query.next() ? query.text(0) : std::string();
    } catch (const StudyBusy&) {  // at once, whatever the busy handler says: SQLite does not ask it for a new mode
      if (std::chrono::steady_clock::now() - since >= busy_wait_) throw;
      std::this_thread::sleep_for(between_tries);
    }
  }
}

int Database::wait_for_others(void* self, int calls) {
  auto& database = *static_cast<Database*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (calls == 0) database.waiting_since_ = now;
  if (now - database.waiting_since_ >= database.busy_wait_) return 0;
  std::this_thread::sleep_for(between_tries);
  return 1;
}

void Database::check(int code) const {
  const int kind = code & 0xff;
  if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE) return;
  if (kind == SQLITE_NOMEM) throw std::bad_alloc();
  const std::string detail = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    throw StudyBusy(text("study file ", file_.string(), ": another process has held it for ", busy_wait_.count(),
                         " ms (", detail, "); try again, or give a longer busy_wait"));
  const int cause = handle_ ? sqlite3_system_errno(handle_) : 0;
  const bool of_system = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN || kind == SQLITE_FULL;
  refuse(text(words_of(code), " (", detail, ", SQLite ", code,
              of_system && cause ? text(", ", std::generic_category().message(cause)) : "", ")"));
}

void Database::refuse(const std::string& what) const {
  throw StorageError(text("study file ", file_.string(), ": ", what));
}

void Database::check_in_place() const {
  int moved = 0;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
    refuse("it was deleted or moved while it was open; nothing was written. Put it back, or open the study anew");
}

void Database::run(const std::string& statements) {
  check(sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }
int Database::changed_rows() const { return sqlite3_changes(handle_); }

sqlite3_stmt* Database::prepared(const char* sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  try {
    statements_.emplace(sql, statement);
  } catch (...) {
    sqlite3_finalize(statement);
    throw;
  }
  return statement;
}

Query::~Query() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Query::next() {
  const int code = sqlite3_step(statement_);
  database_.check(code);
  return code == SQLITE_ROW;
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Query::is_text(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_TEXT; }
double Query::real(int column) const { return sqlite3_column_double(statement_, column); }
std::int64_t Query::whole(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Query::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<double> Query::maybe_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<std::uint64_t> Query::maybe_whole(int column) const {
  return is_null(column) ? std::nullopt : std::optional(static_cast<std::uint64_t>(whole(column)));
}

void Query::bind(std::nullptr_t) { database_.check(sqlite3_bind_null(statement_, ++bound_)); }
void Query::bind(double value) { database_.check(sqlite3_bind_double(statement_, ++bound_, value)); }
void Query::bind(std::int64_t value) { database_.check(sqlite3_bind_int64(statement_, ++bound_, value)); }
void Query::bind(std::string_view value) {
  database_.check(
      sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Transaction::Transaction(Database& database, Kind kind) : database_(database), part_(database.in_transaction()) {
  if (part_) {
    if (sqlite3_get_autocommit(database_.handle_))
      database_.refuse("a transaction was taken back by an error before; nothing more is written in it");
    database_.run("SAVEPOINT part");
  } else if (kind == Kind::read) {
    database_.run("BEGIN");
  } else {
    if (database_.read_only()) database_.refuse("it is read-only; nothing was written");
    database_.check_in_place();
    database_.run("BEGIN IMMEDIATE");
  }
  ++database_.transactions_;
}

Transaction::~Transaction() {
  --database_.transactions_;
  // A transaction that SQLite has rolled back by itself has no more to be taken back.
  if (open_ && !sqlite3_get_autocommit(database_.handle_))
    sqlite3_exec(database_.handle_, part_ ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run(part_ ? "RELEASE part" : "COMMIT");
  open_ = false;
}

}  // namespace carbo::internal
