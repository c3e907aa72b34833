#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <carbo/study.hpp>

#include "study/database.hpp"

namespace carbo::internal {

struct NamedStudy {
  std::int64_t study = 0;
  std::string name;
};

std::optional<std::int64_t> find_study(Database& database, const std::string& name);
/// All of a file, by name.
std::vector<NamedStudy> named_studies(Database& database);
/// The only one where `name` is empty. Throws UnknownStudy.
NamedStudy named_study(Database& database, const std::string& name);

/// Since when it is paused, in seconds since 1970; absent where it is not.
std::optional<double> paused_since(Database& database, std::int64_t study);

/// From the row of the study and its best trial alone, however many trials there are.
StudySummary read_summary(Database& database, std::int64_t study, const Space& space, const Options& options);

}  // namespace carbo::internal
