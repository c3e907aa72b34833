#include "program/commands/spool.hpp"

#include "program/commands/intake.hpp"
#include "program/commands/records.hpp"
#include "program/commands/spool_folder.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

/// Whether the study has this result already: it was taken in, and the file not yet moved.
bool known_already(const Study& study, const ResultRecord& result) {
  const auto trial = study.trial(*result.id);
  if (!trial || trial->state == TrialState::waiting || trial->state == TrialState::running) return false;
  if (result.failed || result.timed_out)
    return (trial->state == TrialState::failed || trial->state == TrialState::timed_out) &&
           trial->cost == result.cost;
  return trial->state == TrialState::succeeded && trial->objective == result.objective && trial->cost == result.cost;
}

}  // namespace

Json spooled_json(const std::string& text) {
  try {
    return parse_json(text, "it");
  } catch (const InvalidObservation& error) {
    const bool cut = text.empty() || text.find_last_not_of(" \t\r\n") == std::string::npos ||
                     text[text.find_last_not_of(" \t\r\n")] != '}';
    if (!cut) throw;
    throw InvalidObservation(std::string(error.what()) +
                             "; is it half written? Write under another name, and rename it when it is whole");
  }
}

ResultRecord spooled_result(const Space& space, const Json& json) {
  ResultRecord result = result_of(space, json, "it");
  if (!result.id) throw InvalidObservation("it has no 'id'; a result in a spool folder names its suggestion");
  return result;
}

void take_in(Study& study, const ResultRecord& result) {
  try {
    record(study, result);
  } catch (const UnknownSuggestion&) {
    if (!known_already(study, result)) throw;
  }
}

Exit take_in_spool(Terminal& terminal, Study& study, const std::string& folder) {
  const SpoolFolder spool(folder);
  Intake intake(terminal);
  for (const std::string& name : spool.names())
    intake.take(spool.path() + "/" + name, [&] {
      const std::optional<std::string> text = spool.read(name);
      if (!text) return false;
      take_in(study, spooled_result(study.space(), spooled_json(*text)));
      return spool.set_aside(name);
    });
  return intake.end();
}

}  // namespace carbo::program
