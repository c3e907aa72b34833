#pragma once

#include <string>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/restore.hpp>

#include "program/file/section.hpp"
#include "program/file/tables.hpp"

namespace carbo::program {

/// Names of the library's settings and groups of settings at the top of a file.
const std::vector<std::string>& option_groups();

/// What to say of a name that stands in a section and is a setting of the file itself; empty where it is none.
std::string hint_of_file_setting(const std::string& name);

/// All settings of the library but budget and pool, by their own names. Columns of the pool that are quantities go to
/// `given`. Throws StudyFileError.
Options read_options(Section& file, const Space& space, const PoolTable& pool, RestoreOptions& given);

/// Sets budget, unit and, where the budget is a number of evaluations, `max_evaluations`; true then. Throws
/// StudyFileError.
bool read_budget(Section& file, Options& options);

/// The member that a path of names and numbers leads to, as far as it goes, and where it stands.
Place place_of_path(const Document& document, const std::vector<std::string>& path);

}  // namespace carbo::program
