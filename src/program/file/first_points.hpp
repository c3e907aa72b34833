#pragma once

#include "program/file/study_file.hpp"

namespace carbo::program {

/// Tells the prior data of a file that the study does not have yet.
void tell_prior(Study& study, const StudyFile& file);
/// Enqueues the starting points of a file, each once, however often the study is opened.
void enqueue_tries(Study& study, const StudyFile& file);

}  // namespace carbo::program
