#include <algorithm>
#include <string_view>

#include "program/file/options.hpp"
#include "program/file/study_file.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// `cost.features[2]` as {"cost", "features", "2"}; empty where the text begins with no name.
std::vector<std::string> setting_path(std::string_view message) {
  std::vector<std::string> path;
  std::string part;
  for (const char c : message) {
    if (is_name(c)) {
      part += c;
      continue;
    }
    if (!part.empty()) path.push_back(std::exchange(part, {}));
    if (c != '.' && c != '[' && c != ']') break;
  }
  if (!part.empty()) path.push_back(part);
  return path;
}

/// Of `parameter 'NAME'...`.
std::string parameter_name(std::string_view message) {
  constexpr std::string_view begin = "parameter '";
  if (!message.starts_with(begin)) return {};
  message.remove_prefix(begin.size());
  const std::size_t end = message.find('\'');
  return end == std::string_view::npos ? std::string() : std::string(message.substr(0, end));
}

}  // namespace

std::string in_words_of_the_file(std::string message) {
  for (std::size_t at = message.find("::"); at != std::string::npos; at = message.find("::", at + 1)) {
    std::size_t begin = at, end = at + 2;
    while (begin > 0 && is_name(message[begin - 1])) --begin;
    while (end < message.size() && is_name(message[end])) ++end;
    std::string name;
    for (const char c : message.substr(begin, at - begin)) {
      const bool capital = c >= 'A' && c <= 'Z';
      if (capital && !name.empty()) name += '_';
      name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const auto& groups = option_groups();
    if (std::ranges::find(groups, name) == groups.end()) continue;
    message.replace(begin, end - begin, internal::text(name, " = \"", message.substr(at + 2, end - at - 2), "\""));
  }
  return message;
}

void rethrow_with_place(const Document& document, const Error& error) {
  if (dynamic_cast<const StudyFileError*>(&error) != nullptr) throw;
  std::string message = in_words_of_the_file(error.what());
  const std::string parameter = parameter_name(message);
  std::vector<std::string> path =
      parameter.empty() ? setting_path(message) : std::vector<std::string>{"parameters", parameter};
  // A unit may come from the budget.
  const bool unit_of_budget =
      path == std::vector<std::string>{"cost", "unit"} &&
      (document.root.find("cost") == nullptr || document.root.find("cost")->find("unit") == nullptr);
  if (unit_of_budget) path = {"budget"};
  // As many run at a time as there are workers, unless batch_size is said.
  constexpr std::string_view batch_size = "batch_size";
  if (path.size() == 1 && path[0] == batch_size && document.root.find(batch_size) == nullptr) {
    path = {"workers"};
    message.replace(0, batch_size.size(), path[0]);
  }
  if (path.empty() || document.root.find(path.front()) == nullptr)
    throw StudyFileError(internal::text(document.name, ": ", message));
  document.refuse(place_of_path(document, path), message);
}

}  // namespace carbo::program
