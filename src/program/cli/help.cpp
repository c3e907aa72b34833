#include <algorithm>

#include <fmt/format.h>

#include "program/cli/description.hpp"
#include "program/support/exit_codes.hpp"
#include "program/support/nearest.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t widest = 100;  ///< columns of a screen

std::string names_of(const OptionDescription& option) {
  std::string words = joined(option.names);
  if (!option.value.empty()) words += " " + option.value;
  return words;
}

/// Text broken at blanks so that lines, after `indent` columns, fit the screen.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column > indent && column + 1 + length > widest) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(at, length);
    column += length;
    at = end + 1;
  }
  return result;
}

std::string usage_of(const CommandDescription& command) {
  std::string words = "carbo " + command.name;
  for (const OptionDescription& each : command.positionals)
    words += fmt::format(" [{}{}]", each.names.front(), each.several ? " ..." : "");
  if (!command.options.empty()) words += " [options]";
  return words;
}

void add_rows(std::string& text, const std::vector<OptionDescription>& rows) {
  std::size_t width = 0;
  for (const OptionDescription& each : rows) width = std::max(width, names_of(each).size());
  for (const OptionDescription& each : rows)
    text += fmt::format("  {:<{}}  {}\n", names_of(each), width, wrapped(each.help, width + 4));
}

}  // namespace

std::string help_text(const CommandDescription& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n\n", command.summary, usage_of(command));
  for (const std::string& paragraph : command.details) text += wrapped(paragraph, 0) + "\n\n";
  std::vector<OptionDescription> rows = command.positionals;
  rows.insert(rows.end(), command.options.begin(), command.options.end());
  add_rows(text, rows);
  text += command.examples.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  return text;
}

std::string overview_text(std::span<const CommandDescription> commands) {
  std::string text =
      "carbo tunes a program within a budget, and never loses a run.\n\nUsage: carbo COMMAND [STUDY] [options]\n\n";
  for (const CommandDescription& each : commands) text += fmt::format("  {:<11} {}\n", each.name, each.summary);
  text +=
      "\nSTUDY is a study file (TOML) or the database of a study; without it, study.toml.\n"
      "carbo COMMAND --help says more, with an example.\n\nExample:\n"
      "  carbo init && carbo check && carbo run\n";
  return text;
}

namespace {

/// As roff takes it: no line is a request, no backslash an escape.
std::string roff(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins = c == '\n';
  }
  return result;
}

std::string roff_options(const std::vector<OptionDescription>& options) {
  std::string text;
  for (const OptionDescription& each : options)
    text += fmt::format(".TP\n.B {}\n{}\n", roff(names_of(each)), roff(each.help));
  return text;
}

std::string roff_examples(const std::vector<std::string>& examples) {
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& each : examples) text += roff(each) + "\n";
  return text + ".fi\n";
}

std::string roff_exit_codes() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCode& each : exit_codes) text += fmt::format(".TP\n.B {}\n{}\n", each.code, roff(each.meaning));
  return text;
}

}  // namespace

std::string manual_page(const CommandDescription& command) {
  std::string upper;
  for (const char c : command.name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string text = fmt::format(".TH CARBO\\-{} 1\n.SH NAME\ncarbo\\-{} \\- {}\n.SH SYNOPSIS\n.B {}\n", upper,
                                 command.name, roff(command.summary), roff(usage_of(command)));
  text += ".SH DESCRIPTION\n" + roff(command.summary) + ".\n";
  for (const std::string& paragraph : command.details) text += ".PP\n" + roff(paragraph) + "\n";
  std::vector<OptionDescription> rows = command.positionals;
  rows.insert(rows.end(), command.options.begin(), command.options.end());
  return text + ".SH OPTIONS\n" + roff_options(rows) + roff_examples(command.examples) + roff_exit_codes() +
         ".SH SEE ALSO\n.BR carbo (1)\n";
}

std::string manual_overview(std::span<const CommandDescription> commands) {
  std::string text =
      ".TH CARBO 1\n.SH NAME\ncarbo \\- tunes a program within a budget\n.SH SYNOPSIS\n.B carbo\n.I COMMAND\n"
      "[STUDY] [options]\n.SH DESCRIPTION\nEvery command has a page of its own: carbo\\-COMMAND(1).\n.SH COMMANDS\n";
  for (const CommandDescription& each : commands)
    text += fmt::format(".TP\n.B {}\n{}\n", each.name, roff(each.summary));
  return text + roff_exit_codes() +
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhere it is set and not empty, nothing is coloured.\n";
}

}  // namespace carbo::program
