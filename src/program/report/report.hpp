#pragma once

#include <string>
#include <vector>

#include "program/commands/commands.hpp"

namespace carbo::program {

struct ReportArguments {
  StudyArgument which;
  std::string output;  ///< empty: NAME.html here; "-": standard output
  bool without_models = false;
};
Exit report(Terminal& terminal, const ReportArguments& arguments);

struct CompareArguments {
  std::vector<std::string> studies;  ///< study files and databases; of a database FILE:NAME, or all that are in it
  std::string output;                ///< empty: compare.html here; "-": standard output
};
Exit compare(Terminal& terminal, const CompareArguments& arguments);

}  // namespace carbo::program
