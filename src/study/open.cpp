#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "engine/given_code.hpp"
#include "engine/validate_options.hpp"
#include "space/checks.hpp"
#include "study/definition_rows.hpp"
#include "study/schema.hpp"
#include "study/study_state.hpp"
#include "study/summaries.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::Database;
using internal::DatabaseOptions;
using internal::Query;
using internal::text;
using internal::Transaction;

namespace {

std::unique_ptr<Database> opened(const std::filesystem::path& file, const StudyOptions& how,
                                 DatabaseOptions::Access access) {
  DatabaseOptions options;
  options.access = access;
  options.network = how.network.value_or(false) || (!how.network && internal::on_network(file));
  options.power_safe = how.durability == Durability::full;
  options.busy_wait = how.busy_wait;
  auto database = std::make_unique<Database>(file, options);
  internal::prepare_schema(*database, access == DatabaseOptions::Access::create);
  return database;
}

void check_settings(const std::string& name, const StudyOptions& how) {
  if (name.find('\0') != std::string::npos)
    throw InvalidOptions("the name of a study holds a zero byte; leave it out");
  if (how.lease.count() <= 0)
    throw InvalidOptions(text("StudyOptions::lease is ", how.lease.count(), " ms; give a time above 0"));
  if (how.busy_wait.count() < 0)
    throw InvalidOptions(text("StudyOptions::busy_wait is ", how.busy_wait.count(), " ms; give 0 or more"));
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += text(all.empty() ? "" : "; ", line);
  return all;
}

std::int64_t insert_study(Database& database, const std::string& name, const Space& space, const Options& options,
                          double time) {
  const internal::DefinitionText text = internal::text_of(space, options);
  Query(database,
        "INSERT INTO studies (name, created, changed, goal, unit, budget, space, options, pool) VALUES (?1, ?2, ?2, "
        "?3, "
        "?4, ?5, ?6, ?7, ?8)",
        name, time, to_string(options.goal), options.cost.unit, options.budget, text.space, text.options, text.pool)
      .run();
  const std::int64_t study = database.last_row();
  internal::describe_parameters(database, study, name, space);
  return study;
}

/// What may differ becomes what was given, and `options` what the study goes on with.
void update_study(Database& database, std::int64_t study, const std::string& name, const Space& space,
                  Options& options, bool keep_limits) {
  const internal::DefinitionText stored = internal::read_text(database, study);
  if (keep_limits) {
    const StudyLimits limits = internal::limits_of(stored);
    options.budget = *limits.budget;
    options.max_evaluations = limits.max_evaluations;
  }
  if (const auto lines = internal::conflicts(stored, space, options); !lines.empty())
    throw IncompatibleStudy(text("study '", name, "' of ", database.file().string(), " cannot go on as given: ",
                                 joined_lines(lines), ". Give what the study has, or another name"));
  const internal::DefinitionText given = internal::text_of(space, options);
  internal::store_definition(database, study, given, stored);
  if (given.space != stored.space) internal::describe_parameters(database, study, name, space);
}

}  // namespace

Study::State::State(std::unique_ptr<Database> database, std::int64_t study, std::int64_t definition, std::string name,
                    Space space, Options options, const StudyOptions& how, RestoreOptions code)
    : database_(std::move(database)),
      study_(study),
      definition_(definition),
      name_(std::move(name)),
      space_(std::move(space)),
      options_(std::move(options)),
      how_(how),
      code_(std::move(code)),
      owner_(how.owner.empty() ? internal::name_of_this_process() : how.owner),
      process_(how.owner.empty() ? internal::mark_of_this_process() : std::string()) {}

std::unique_ptr<Study::State> Study::State::created_or_continued(const std::filesystem::path& file,
                                                                 const std::string& name, const Space& space,
                                                                 const Options& options, const StudyOptions& how) {
  check_settings(name, how);
  if (name.empty()) throw InvalidOptions("the study has no name; give one");
  internal::validated(space, options);
  auto database = opened(file, how, DatabaseOptions::Access::create);
  const auto known = internal::find_study(*database, name);
  std::optional<Optimizer> fresh;
  if (!known) fresh.emplace(space, options);  // throws what is wrong with them before anything is written
  std::optional<std::int64_t> study;
  bool made = false;
  std::int64_t version = 0;
  Options settled = options;
  {
    Transaction transaction(*database, Transaction::Kind::write);
    study = internal::find_study(*database, name);
    made = !study;
    if (made)
      study = insert_study(*database, name, space, options, how.clock ? how.clock() : internal::machine_clock());
    else
      update_study(*database, *study, name, space, settled, how.keep_limits);
    version = internal::read_text(*database, *study).version;
    transaction.commit();
  }
  RestoreOptions code = internal::code_of(space, settled);
  code.count_time_between = how.given.count_time_between;
  std::unique_ptr<State> state(
      new State(std::move(database), *study, version, name, space, std::move(settled), how, std::move(code)));
  if (made) state->optimizer_ = std::move(fresh);
  return state;
}

std::unique_ptr<Study::State> Study::State::continued(const std::filesystem::path& file, const std::string& name,
                                                      const StudyOptions& how) {
  check_settings(name, how);
  auto database = opened(file, how, DatabaseOptions::Access::read_where_it_must);
  const internal::NamedStudy found = internal::named_study(*database, name);
  const internal::DefinitionText stored = internal::read_text(*database, found.study);
  internal::Definition definition = internal::read_definition(stored, how.given);
  std::unique_ptr<State> state(new State(std::move(database), found.study, stored.version, found.name,
                                         std::move(definition.space), std::move(definition.options), how, how.given));
  state->missing_code_ = std::move(definition.missing);
  return state;
}

void Study::State::refresh() {
  {
    Query query(*database_, "SELECT definition FROM studies WHERE study = ?1", study_);
    if (!query.next()) database_->refuse(text("study '", name_, "' was removed while it was open"));
    if (query.whole(0) == definition_) return;
  }
  const internal::DefinitionText stored = internal::read_text(*database_, study_);
  internal::Definition changed = internal::read_definition(stored, code_);
  optimizer_.reset();
  space_ = std::move(changed.space);
  options_ = std::move(changed.options);
  definition_ = stored.version;
}

internal::LockFile& Study::State::locks() {
  if (!locks_) {
    if (database_->read_only()) database_->refuse("it is read-only; nothing was written");
    locks_ = std::make_unique<internal::LockFile>(database_->file().string() + "-lock");
  }
  return *locks_;
}

internal::HeldByte Study::State::asking_alone() {
  // Whoever asks holds this lock first and a transaction then.
  if (database_->in_transaction())
    throw InvalidOptions(
        "ask, prepare, adopt and dequeue wait for other processes and cannot be made inside at_once; make them "
        "before "
        "or after it");
  return {locks(), 2 * study_, how_.busy_wait, "asks for suggestions of this study"};
}

bool Study::State::claim() {
  if (!claimed_) claimed_ = locks().try_lock(2 * study_ + 1);
  return claimed_;
}

void Study::State::unclaim() noexcept {
  if (claimed_) locks_->unlock(2 * study_ + 1);
  claimed_ = false;
}

Configuration Study::State::own(const Configuration& configuration) const {
  if (!internal::same_names(space_.parameters(), configuration.parameters()))
    throw InvalidConfiguration(text("configuration ", configuration.to_string(),
                                    " was made by a space with other parameters; make it with this study's space()"));
  return space_.configuration(configuration.numbers());
}

void Study::State::check_code() const {
  if (!missing_code_.empty())
    throw InvalidState(text("the study needs what no file can hold: ", joined_lines(missing_code_),
                            "; open it with its space and options, or give them in StudyOptions::given"));
}

void Study::State::check_in_pool(const Configuration& configuration) const {
  const auto& pool = options_.candidates.pool;
  for (std::size_t row = 0; pool && row < pool->size(); ++row)
    if (std::ranges::equal(pool->row(row), configuration.numbers())) return;
  if (pool)
    throw InvalidConfiguration(
        text("configuration ", configuration.to_string(), " is not in the pool; give a row of the pool"));
}

std::vector<StudySummary> Study::list(const std::filesystem::path& file) {
  const auto database = opened(file, {}, DatabaseOptions::Access::read_where_it_must);
  const Transaction moment(*database, Transaction::Kind::read);
  std::vector<StudySummary> summaries;
  for (const internal::NamedStudy& one : internal::named_studies(*database)) {
    const internal::Definition definition = internal::read_definition(internal::read_text(*database, one.study), {});
    summaries.push_back(internal::read_summary(*database, one.study, definition.space, definition.options));
  }
  return summaries;
}

void Study::remove(const std::filesystem::path& file, const std::string& name) {
  const auto database = opened(file, {}, DatabaseOptions::Access::write);
  Transaction transaction(*database, Transaction::Kind::write);
  const internal::NamedStudy found = internal::named_study(*database, name);
  internal::drop_view(*database, found.study);
  Query(*database, "DELETE FROM studies WHERE study = ?1", found.study).run();
  transaction.commit();
}

}  // namespace carbo
