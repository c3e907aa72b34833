#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace carbo::internal {

/// Parts put together, for SQLite and other readers than people: all of it, or std::bad_alloc.
inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

/// How a file is opened.
struct DatabaseOptions {
  enum class Access { create, write, read_where_it_must };
  Access access = Access::write;  ///< the last: for reading alone where the file cannot be written
  bool network = false;           ///< no write-ahead log
  bool power_safe = true;         ///< every transaction is on the disk when it ends
  std::chrono::milliseconds busy_wait{10000};
};

/// A connection to an SQLite file. Errors of SQLite are StorageError, or StudyBusy where another process did not let
/// go in time; messages name the file.
class Database {
 public:
  Database(std::filesystem::path file, const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Statements without results.
  void run(const std::string& statements);
  const std::filesystem::path& file() const { return file_; }
  bool read_only() const { return read_only_; }
  bool in_transaction() const { return transactions_ > 0; }
  std::int64_t last_row() const;
  int changed_rows() const;

  /// Throws what `code` of SQLite means, where it is an error.
  void check(int code) const;
  /// Throws StorageError: the file, and `what`.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  friend class Query;
  friend class Transaction;

  void close() noexcept;
  void open_handle(const DatabaseOptions& options);
  void choose_journal(const DatabaseOptions& options);
  /// The mode that it has then.
  std::string switch_journal(const char* pragma);
  void check_in_place() const;
  sqlite3_stmt* prepared(const char* sql);
  static int wait_for_others(void* self, int calls);

  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
  bool read_only_ = false;
  std::chrono::milliseconds busy_wait_;
  std::chrono::steady_clock::time_point waiting_since_{};
  int transactions_ = 0;  ///< open ones, each within the one before
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// One statement with its values, prepared once a connection. Two of the same text may not be read at the same time.
class Query {
 public:
  template <class... Values>
  Query(Database& database, const char* sql, const Values&... values)
      : database_(database), statement_(database.prepared(sql)) {
    (bind(values), ...);
  }
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Steps to the next row; false after the last.
  bool next();
  /// Runs a statement without rows.
  void run() {
    while (next()) {
    }
  }

  // Columns of the row, from 0.
  bool is_null(int column) const;
  bool is_text(int column) const;
  double real(int column) const;
  std::int64_t whole(int column) const;
  std::string text(int column) const;
  std::optional<double> maybe_real(int column) const;
  std::optional<std::uint64_t> maybe_whole(int column) const;

 private:
  void bind(std::nullptr_t);
  void bind(double value);
  void bind(std::int64_t value);
  void bind(std::uint64_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(int value) { bind(static_cast<std::int64_t>(value)); }
  void bind(std::string_view value);
  void bind(const std::string& value) { bind(std::string_view(value)); }
  void bind(const char* value) { bind(std::string_view(value)); }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value)
      bind(*value);
    else
      bind(nullptr);
  }

  Database& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

/// Everything between its beginning and `commit` is written, or nothing. One of reading sees one moment of the file.
/// One within another is a part of it: written with it, and taken back with it or alone.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool part_;  ///< of one that is open
  bool open_ = true;
};

}  // namespace carbo::internal
