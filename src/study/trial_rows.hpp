#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <carbo/study.hpp>

#include "study/database.hpp"

namespace carbo::internal {

/// A trial as it is stored.
struct TrialRow {
  std::int64_t key = 0;  ///< of the table, over all studies
  Trial trial;
  std::string process;  ///< see mark_of_this_process; empty where leases alone count
  double lease = 0;     ///< seconds
};

enum class Trials { all, pending, by_id, by_key, ended };

/// In the order of their numbers; `value`: the id or the key. Values that do not fit the space are a StorageError.
std::vector<TrialRow> read_trials(Database& database, const Space& space, std::int64_t study, Trials which,
                                  std::uint64_t value = 0);
std::optional<TrialRow> read_trial(Database& database, const Space& space, std::int64_t study, Trials which,
                                   std::uint64_t value);

/// Adds a trial, its values and its metrics; returns the key. The number is the study's next one.
std::int64_t insert_trial(Database& database, std::int64_t study, const TrialRow& row);
void insert_metrics(Database& database, std::int64_t key, const std::map<std::string, double>& metrics);

/// Whether a trial waits for its result.
constexpr bool is_pending(TrialState state) { return state == TrialState::waiting || state == TrialState::running; }
/// As an observation of the run; of a trial that has a result.
Observation observation_of(const Trial& trial);
ObservationStatus status_of(TrialState state);
TrialState state_of(ObservationStatus status);

/// The enumerator of a name that is stored; StorageError where there is none.
template <class Enum>
Enum named(const Database& database, const std::string& name) {
  for (int i = 0;; ++i) {
    const std::string known = to_string(static_cast<Enum>(i));
    if (known == name) return static_cast<Enum>(i);
    if (known == "unknown") database.refuse("it holds the word '" + name + "', which stands for nothing");
  }
}

}  // namespace carbo::internal
