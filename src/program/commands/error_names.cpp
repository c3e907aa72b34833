#include "program/commands/error_names.hpp"

#include <carbo/study.hpp>

#include "program/file/node.hpp"

namespace carbo::program {
namespace {

struct Known {
  const char* name;
  Exit exit;
  bool (*is)(const std::exception&);
};

template <class Type>
bool is_a(const std::exception& error) {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

constexpr Known known[] = {
    {"StudyFileError", Exit::bad_file, is_a<StudyFileError>},
    {"InvalidSpace", Exit::bad_file, is_a<InvalidSpace>},
    {"InvalidPool", Exit::bad_file, is_a<InvalidPool>},
    {"InvalidOptions", Exit::refused, is_a<InvalidOptions>},
    {"UnknownStudy", Exit::bad_study, is_a<UnknownStudy>},
    {"IncompatibleStudy", Exit::bad_study, is_a<IncompatibleStudy>},
    {"StorageError", Exit::bad_study, is_a<StorageError>},
    {"InvalidState", Exit::bad_study, is_a<InvalidState>},
    {"StudyPaused", Exit::busy, is_a<StudyPaused>},
    {"StudyBusy", Exit::busy, is_a<StudyBusy>},
    {"UnknownSuggestion", Exit::refused, is_a<UnknownSuggestion>},
    {"InvalidConfiguration", Exit::refused, is_a<InvalidConfiguration>},
    {"InvalidObservation", Exit::refused, is_a<InvalidObservation>},
    {"BackendUnavailable", Exit::failure, is_a<BackendUnavailable>},
    {"OutOfMemory", Exit::failure, is_a<OutOfMemory>},
    {"NumericalError", Exit::failure, is_a<NumericalError>},
};

}  // namespace

std::string error_name(const std::exception& error) {
  for (const Known& each : known)
    if (each.is(error)) return each.name;
  return "Error";
}

Exit exit_of(const std::exception& error) {
  for (const Known& each : known)
    if (each.is(error)) return each.exit;
  return Exit::failure;
}

}  // namespace carbo::program
