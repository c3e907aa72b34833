#include "study/schema.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <carbo/to_string.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr int application_id = 0x43724253;  // "CrBS", which `file` and others may show

constexpr const char* first_version = R"sql(
CREATE TABLE studies (
  study INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  view TEXT NOT NULL DEFAULT '',
  created REAL NOT NULL,
  changed REAL NOT NULL,
  goal TEXT NOT NULL,
  unit TEXT NOT NULL,
  budget REAL NOT NULL,
  spent REAL NOT NULL DEFAULT 0,
  phase TEXT NOT NULL DEFAULT 'warm start',
  blocked TEXT,
  succeeded INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  timed_out INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  prior INTEGER NOT NULL DEFAULT 0,
  best INTEGER,
  last_success INTEGER NOT NULL DEFAULT -1,
  next_id INTEGER NOT NULL DEFAULT 0,
  next_number INTEGER NOT NULL DEFAULT 0,
  next_batch INTEGER NOT NULL DEFAULT 0,
  asks INTEGER NOT NULL DEFAULT 0,
  definition INTEGER NOT NULL DEFAULT 0,
  space TEXT NOT NULL,
  options TEXT NOT NULL,
  pool TEXT
);
CREATE TABLE parameters (
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  scale TEXT NOT NULL,
  lower REAL,
  upper REAL,
  choices TEXT,
  PRIMARY KEY (study, position)
) WITHOUT ROWID;
CREATE TABLE trials (
  trial INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  number INTEGER NOT NULL,
  id INTEGER,
  state TEXT NOT NULL,
  origin TEXT NOT NULL,
  objective REAL,
  cost REAL,
  reason TEXT,
  owner TEXT,
  process TEXT,
  worker TEXT,
  started REAL,
  ended REAL,
  lease REAL,
  lease_end REAL,
  handed_out INTEGER NOT NULL DEFAULT 0,
  batch INTEGER,
  slot INTEGER,
  phase TEXT,
  result INTEGER,
  UNIQUE (study, number),
  UNIQUE (study, id)
);
CREATE INDEX trials_by_batch ON trials (study, batch);
CREATE INDEX trials_pending ON trials (study, id) WHERE state IN ('waiting', 'running');
CREATE TABLE trial_values (
  trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
  position INTEGER NOT NULL,
  value NOT NULL,
  PRIMARY KEY (trial, position)
) WITHOUT ROWID;
CREATE TABLE receipts (
  trial INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,
  suggestion TEXT NOT NULL
);
CREATE TABLE metrics (
  trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (trial, name)
) WITHOUT ROWID;
CREATE TABLE reports (
  trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
  report INTEGER NOT NULL,
  step REAL NOT NULL,
  time REAL NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (trial, report, name)
) WITHOUT ROWID;
CREATE TABLE slots (
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  slot INTEGER NOT NULL,
  used REAL NOT NULL,
  PRIMARY KEY (study, slot)
) WITHOUT ROWID;
CREATE TABLE events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  time REAL NOT NULL,
  kind TEXT NOT NULL,
  trial INTEGER,
  owner TEXT,
  configuration TEXT
);
CREATE INDEX events_by_study ON events (study, sequence);
CREATE TABLE enqueued (
  sequence INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  configuration TEXT NOT NULL
);
CREATE TABLE states (
  study INTEGER PRIMARY KEY REFERENCES studies ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  state TEXT NOT NULL,
  spent REAL NOT NULL
);
CREATE TABLE attributes (
  study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (study, key)
) WITHOUT ROWID;
)sql";

/// Number i leads from version i to i + 1.
constexpr std::array<const char*, schema_version> steps{first_version};

std::int64_t number_of(Database& database, const char* pragma) {
  Query query(database, pragma);
  return query.next() ? query.whole(0) : 0;
}

/// A name as SQL has it, whatever is in it.
std::string identifier(const std::string& name) {
  std::string all = "\"";
  for (const char c : name) all += c == '"' ? std::string(2, c) : std::string(1, c);
  return all + "\"";
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// One that no other table or view has; SQLite does not tell capitals apart.
std::string free_view_name(Database& database, std::int64_t study, const std::string& name) {
  const std::string wanted = joined({"trials_", name});
  Query query(database, "SELECT 1 FROM sqlite_master WHERE lower(name) = lower(?1)", wanted);
  return query.next() ? joined({"trials_", name, "_", std::to_string(study)}) : wanted;
}

std::string view_text(std::int64_t study, const std::string& view, const Space& space) {
  const std::array<const char*, 16> columns{"number", "id",    "state",      "origin",  "objective", "cost",
                                            "reason", "owner", "worker",     "started", "ended",     "batch",
                                            "slot",   "phase", "handed_out", "trial"};
  std::vector<std::string> taken(columns.begin(), columns.end());
  std::string sql = joined({"CREATE VIEW ", identifier(view), " AS SELECT "});
  for (const char* const column : columns) sql += joined({"t.", column, ", "});
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    std::string name = space.parameters()[i].name();
    while (std::ranges::find(taken, lower_case(name)) != taken.end()) name.insert(0, "parameter ");
    taken.push_back(lower_case(name));
    sql += joined({i ? ", " : "", "(SELECT value FROM trial_values v WHERE v.trial = t.trial AND v.position = ",
                   std::to_string(i), ") AS ", identifier(name)});
  }
  return sql + joined({" FROM trials t WHERE t.study = ", std::to_string(study), " ORDER BY t.number"});
}

struct Stamp {
  std::int64_t version;
  std::int64_t application;
  bool empty;
};

/// SQLite takes a last page that was cut for one that ends in zeros.
void check_whole(Database& database) {
  std::error_code none;
  const std::filesystem::path log = database.file().string() + "-wal";
  if (std::filesystem::exists(log, none) && std::filesystem::file_size(log, none) > 0) return;
  const auto size = std::filesystem::file_size(database.file());
  if (size % static_cast<std::uintmax_t>(number_of(database, "PRAGMA page_size")) != 0)
    database.refuse(text("it is cut short, at ", size, " bytes"));
}

/// All of one moment: another process may be making the schema meanwhile.
Stamp read_stamp(Database& database) {
  const Transaction moment(database, Transaction::Kind::read);
  const bool empty = number_of(database, "SELECT count(*) FROM sqlite_schema") == 0;  // from here on it holds still
  if (!empty) check_whole(database);
  return {number_of(database, "PRAGMA user_version"), number_of(database, "PRAGMA application_id"), empty};
}

}  // namespace

void prepare_schema(Database& database, bool empty_is_new) {
  const auto [version, application, empty] = read_stamp(database);
  const bool new_file = empty && version == 0 && application == 0;
  if (!new_file && application != application_id) database.refuse("it is an SQLite database of another program");
  if (version > schema_version)
    database.refuse(text("it is of version ", version, ", and this library knows those up to ", schema_version,
                         "; use a newer library"));
  if (version == schema_version) return;
  if (new_file && !empty_is_new) database.refuse("it is empty; no study was ever made in it");
  Transaction transaction(database, Transaction::Kind::write);
  // Another process may have been faster.
  const auto from = number_of(database, "PRAGMA user_version");
  for (auto step = from; step < schema_version; ++step) database.run(steps[static_cast<std::size_t>(step)]);
  database.run(joined({"PRAGMA application_id = ", std::to_string(application_id),
                       "; PRAGMA user_version = ", std::to_string(schema_version)}));
  transaction.commit();
}

void drop_view(Database& database, std::int64_t study) {
  std::string view;
  {
    Query query(database, "SELECT view FROM studies WHERE study = ?1", study);
    if (query.next()) view = query.text(0);
  }
  database.run(joined({"DROP VIEW IF EXISTS ", identifier(view)}));
}

void describe_parameters(Database& database, std::int64_t study, const std::string& name, const Space& space) {
  std::string view;
  {
    Query query(database, "SELECT view FROM studies WHERE study = ?1", study);
    if (query.next()) view = query.text(0);
  }
  if (view.empty())
    view = free_view_name(database, study, name);
  else
    drop_view(database, study);
  Query(database, "DELETE FROM parameters WHERE study = ?1", study).run();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    const bool numeric = parameter.labels().empty();
    std::string choices;
    for (const std::string& label : parameter.labels()) choices += joined({choices.empty() ? "" : "\n", label});
    for (const double value : parameter.values()) choices += text(choices.empty() ? "" : "\n", value);
    Query(database, "INSERT INTO parameters VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", study, i, parameter.name(),
          to_string(parameter.kind()), to_string(parameter.scale()),
          numeric ? std::optional(parameter.lower()) : std::nullopt,
          numeric ? std::optional(parameter.upper()) : std::nullopt,
          choices.empty() ? std::nullopt : std::optional(choices))
        .run();
  }
  database.run(view_text(study, view, space));
  Query(database, "UPDATE studies SET view = ?2 WHERE study = ?1", study, view).run();
}

}  // namespace carbo::internal
