#include "program/report/report.hpp"

#include <cctype>
#include <ostream>

#include <fmt/format.h>
#include <carbo/error.hpp>

#include "program/report/deliver.hpp"
#include "program/report/page.hpp"
#include "program/report/page_data.hpp"
#include "program/support/files.hpp"

namespace carbo::program {
namespace {

/// A name of a file, whatever the study is called.
std::string page_name(const std::string& study) {
  std::string name;
  for (const char c : study.substr(0, 100)) {
    const bool plain = c == '-' || c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += plain ? c : '_';
  }
  return (name.empty() || name.front() == '.' ? "study" + name : name) + ".html";
}

}  // namespace

Exit deliver(Terminal& terminal, const std::string& output, const std::string& page, const std::string& what) {
  if (output == "-") {
    terminal.out << page;
    return Exit::success;
  }
  replace_file(output, page);
  if (terminal.json)
    terminal.out << json_line({{"file", output}, {"bytes", page.size()}}) << "\n";
  else if (!terminal.quiet)
    terminal.out << fmt::format("{} in {} ({})\n", what, printable(output),
                                bytes_text(static_cast<double>(page.size())));
  return Exit::success;
}

Exit report(Terminal& terminal, const ReportArguments& arguments) {
  OpenedStudy opened = open_to_question(arguments.which.study, arguments.which.name);
  const std::string output = arguments.output.empty() ? page_name(opened.study.name()) : arguments.output;
  PageSettings settings;
  settings.models = !arguments.without_models;
  if (output != "-") {
    const std::filesystem::path folder = std::filesystem::path(output).parent_path();
    settings.folder = folder.empty() ? "." : folder;
  }
  Json data{{"kind", "report"}, {"studies", Json::array()}};
  data["studies"].push_back(study_data(opened, settings));
  return deliver(terminal, output, page_html(opened.study.name(), data),
                 "the page of " + printable(opened.study.name()));
}

}  // namespace carbo::program
