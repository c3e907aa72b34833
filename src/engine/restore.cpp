#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "engine/observation_checks.hpp"
#include "engine/observation_tree.hpp"
#include "engine/optimizer_state.hpp"
#include "engine/options_tree.hpp"
#include "engine/state_format.hpp"
#include "space/space_tree.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::text;
using internal::Tree;
using internal::TreeReader;

namespace {

/// Whether something that was read is at fault.
bool is_of_values(const Error& error) {
  return dynamic_cast<const InvalidState*>(&error) || dynamic_cast<const InvalidSpace*>(&error) ||
         dynamic_cast<const InvalidOptions*>(&error) || dynamic_cast<const InvalidPool*>(&error) ||
         dynamic_cast<const InvalidConfiguration*>(&error) || dynamic_cast<const InvalidObservation*>(&error);
}

/// Such errors become those of the state, with the place.
template <class Call>
decltype(auto) at_place(const std::string& place, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    const std::string_view words = error.what();
    if (!is_of_values(error) || (dynamic_cast<const InvalidState*>(&error) && words.starts_with("/"))) throw;
    throw InvalidState(words.starts_with("/") ? std::string(words) : text(place, ": ", words));
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

/// Everything that is code is there, and nothing was given for nothing.
void check_given(const internal::GivenAgain& given) {
  if (!given.missing.empty())
    throw InvalidState(text("the state needs what no text can hold: ", joined(given.missing),
                            "; give them again in RestoreOptions"));
  const auto check = [&](const char* field, const auto& all) {
    for (const auto& [name, value] : all) {
      if (std::ranges::find(given.used, name) != given.used.end()) continue;
      throw InvalidOptions(text("RestoreOptions::", field, " has '", name,
                                "', which the state has no use for; it has ",
                                given.used.empty() ? "for none" : "for " + joined(given.used)));
    }
  };
  check("constraints", given.options.constraints);
  check("quantities", given.options.quantities);
}

BackendOptions chosen_backend(const BackendOptions& saved, const RestoreOptions& given) {
  if (!given.backend) return saved;
  BackendOptions chosen = *given.backend;
  if (chosen.memory_bytes == 0) chosen.memory_bytes = saved.memory_bytes;
  return chosen;
}

}  // namespace

std::unique_ptr<Optimizer::State> Optimizer::State::restored(std::string_view text, const RestoreOptions& given) {
  const Tree tree = internal::parse_tree(text);
  const TreeReader reader(tree);
  internal::check_state_version(reader);
  internal::GivenAgain again{given};
  Space space = internal::read_space(reader.at("space"), again);
  Options options = at_place("/options", [&] { return internal::read_options(reader.at("options"), space, again); });
  const auto pool = reader.find("pool");
  if (pool) options.candidates.pool = internal::read_pool(*pool, space, again);
  if (given.pool && !pool)
    throw InvalidOptions("RestoreOptions::pool is given, but the state has none; leave it out");
  check_given(again);
  options.backend = chosen_backend(options.backend, given);
  auto state = at_place(
      "/options", [&] { return std::unique_ptr<State>(new State(std::move(space), std::move(options), Begun{})); });
  state->restore(reader, given);
  internal::refuse_unread(tree);
  return state;
}

void Optimizer::State::restore(const TreeReader& reader, const RestoreOptions& given) {
  compare_machine(reader);
  restore_run(reader.at("run"));
  at_place("/history", [&] { restore_history(reader.at("history")); });
  at_place("/ledger", [&] { restore_clock(reader, given); });
  const auto design = internal::read_design_plan_state(reader.at("design"));
  at_place("/design", [&] { plan_.restore(design); });
  const auto candidates = internal::read_candidate_store_state(reader.at("candidates"));
  at_place("/candidates", [&] { store_.restore(candidates); });
  const auto models = internal::read_model_pair_state(reader.at("models"));
  at_place("/models", [&] { models_.restore(history_.learned(), models); });
}

void Optimizer::State::compare_machine(const TreeReader& reader) {
  const auto compare = [&](const char* key, const char* what, const std::string& here) {
    const auto there = reader.get<std::string>(key);
    if (there == here) return;
    restore_warnings_.push_back(
        text("the state was saved by ", what, " ", there, " and goes on with ", here,
             ": the last bits of suggestions may differ from those of the run that was saved"));
  };
  compare("build", "the build", internal::build_text());
  compare("machine", "the backend", backend_choice_.machine);
}

void Optimizer::State::restore_run(const TreeReader& reader) {
  accounting_automatic_ = reader.get<bool>("accounting_automatic");
  next_id_ = reader.get<std::uint64_t>("next_id");
  draws_ = reader.get<std::uint64_t>("draws");
  rounds_ = reader.get<std::uint64_t>("rounds");
  reader.read("blocked", blocked_);
  if (const auto told = reader.find("told_batch")) {
    ToldBatch batch;
    told->read("number", batch.number);
    batch.used = told->get<double>("used");
    told->require(std::isfinite(batch.used) && batch.used >= 0, "used: expected a finite number of at least 0");
    batch.owed = told->get<std::uint64_t>("owed");
    batch.searchable = told->get<bool>("searchable");
    batch.design_over = told->get<bool>("design_over");
    batch.told = told->get<std::uint64_t>("told");
    told_batch_ = batch;
  }
  if (const auto search = reader.find("last_search"))
    last_search_ =
        SearchEnd{search->get<double>("parameter"), search->get<double>("score"), search->get<double>("incumbent")};
}

void Optimizer::State::restore_history(const TreeReader& reader) {
  internal::HistoryState history;
  history.given_out = next_id_;
  for (const TreeReader& one : reader.at("observations").elements()) {
    const Observation& seen = history.observations.emplace_back(internal::read_observation(one, space_));
    at_place(one.place(), [&] { internal::check_told(seen, options_.transform); });
  }
  const std::size_t pool_size = options_.candidates.pool ? options_.candidates.pool->size() : 0;
  history.pool_rows.resize(history.observations.size());
  if (const auto pool_rows = reader.find("pool_rows")) {
    const auto rows = pool_rows->elements();
    pool_rows->require(rows.size() == history.observations.size(), "expected a row or null for each observation");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].is_null()) history.pool_rows[i] = rows[i].as<std::uint64_t>();
      rows[i].require(history.pool_rows[i].value_or(0) < std::max<std::size_t>(pool_size, 1), "there is no such row");
    }
  }
  history.learned = reader.get<std::vector<std::size_t>>("learned");
  for (const TreeReader& one : reader.at("pending").elements()) {
    const Suggestion& pending = history.pending.emplace_back(internal::read_suggestion(one, space_));
    one.require(!one.find("slot"), "slot: that of a suggestion that runs stands in /ledger/entries");
    one.require(!pending.pool_index || *pending.pool_index < pool_size, "pool_index: there is no such row");
  }
  if (history.pending.size() > most_running)
    reader.at("pending").refuse(text("at most ", most_running, " suggestions may run at once"));
  history_.restore(std::move(history));
  for (const TreeReader& one : reader.elements("enqueued")) restore_queued(one, pool_size);
}

void Optimizer::State::restore_queued(const TreeReader& reader, std::size_t pool_size) {
  QueuedPoint point{internal::read_configuration(reader.at("configuration"), space_)};
  reader.read("pool_index", point.pool_row);
  reader.require(point.pool_row ? *point.pool_row < pool_size : pool_size == 0, "pool_index: there is no such row");
  if (const std::string violated = space_.violated(point.configuration); !violated.empty())
    reader.refuse(text("the configuration violates the constraint '", violated, "'"));
  queue_.push_back(std::move(point));
}

void Optimizer::State::restore_clock(const TreeReader& reader, const RestoreOptions& given) {
  internal::LedgerState ledger = internal::read_ledger_state(reader.at("ledger"));
  std::optional<double> saved_at;
  reader.read("saved_at", saved_at);
  if (given.count_time_between && ledger.elapsed && saved_at)
    *ledger.elapsed += std::max(0.0, internal::calendar_seconds() - *saved_at);
  for (const auto& [id, entry] : ledger.entries)
    if (entry.finished == history_.pending().contains(id) || id >= next_id_)
      throw InvalidState(text("id ", id, " runs here or in /history/pending, and not in both"));
  for (const auto& [id, point] : history_.pending())
    if (!ledger.entries.contains(id)) throw InvalidState(text("the pending suggestion ", id, " has no entry"));
  ledger_.restore(ledger);
}

}  // namespace carbo
