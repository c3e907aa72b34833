#include <algorithm>

#include "program/report/deliver.hpp"
#include "program/report/page.hpp"
#include "program/report/page_data.hpp"
#include "program/report/report.hpp"

namespace carbo::program {
namespace {

/// Of a study file its study, of a database all that are in it.
std::vector<OpenedStudy> opened_studies(const std::vector<std::string>& arguments) {
  std::vector<OpenedStudy> studies;
  for (const std::string& argument : arguments) {
    const StudyLocation location = locate_study(argument, "");
    if (!location.name.empty()) {
      studies.push_back(open_to_question(argument, ""));
      continue;
    }
    for (const StudySummary& summary : Study::list(location.storage))
      studies.push_back(open_to_question(argument, summary.name));
  }
  return studies;
}

}  // namespace

Exit compare(Terminal& terminal, const CompareArguments& arguments) {
  std::vector<OpenedStudy> studies = opened_studies(arguments.studies);
  if (studies.size() < 2)
    throw InvalidOptions("there is one study; give two or more study files, or a database that has several");
  PageSettings settings;
  settings.models = false;
  settings.most_trials = 0;
  Json data{{"kind", "compare"}, {"studies", Json::array()}};
  std::string title;
  for (OpenedStudy& each : studies) {
    title += (title.empty() ? "" : ", ") + each.study.name();
    data["studies"].push_back(study_data(each, settings));
  }
  return deliver(terminal, arguments.output.empty() ? "compare.html" : arguments.output, page_html(title, data),
                 std::to_string(studies.size()) + " studies");
}

}  // namespace carbo::program
