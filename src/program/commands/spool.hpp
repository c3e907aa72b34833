#pragma once

#include <string>

#include <carbo/study.hpp>

#include "program/commands/commands.hpp"
#include "program/commands/records.hpp"

namespace carbo::program {

/// What a file of a spool folder holds. Throws InvalidObservation, also where it is half written.
Json spooled_json(const std::string& text);
/// What it says as a result. Throws InvalidObservation, also where it has no id.
ResultRecord spooled_result(const Space& space, const Json& json);
/// Records it, once: what the study has already is passed over. Throws UnknownSuggestion where it has another result.
void take_in(Study& study, const ResultRecord& result);

/// Takes in every result file (`*.json`, an object with the id of a suggestion) of a folder, in the order of their
/// names, and moves it to the folder `done` inside. Each counts once, whenever this is interrupted. Files of other
/// names are left alone: whoever writes one renames it when it is whole. What is no plain file of this folder (a
/// symbolic link, another name of a file elsewhere) is refused, as what does not fit the study: both stay, and are
/// named.
Exit take_in_spool(Terminal& terminal, Study& study, const std::string& folder);

}  // namespace carbo::program
