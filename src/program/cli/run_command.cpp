#include "program/cli/run_command.hpp"

#include <ostream>

#include <fmt/format.h>

#include "program/commands/commands.hpp"
#include "program/file/open_study.hpp"
#include "program/run/run.hpp"

namespace carbo::program {
namespace {

Setting setting_of(const std::string& pair, const char* option, const std::string& prefix) {
  const std::size_t sign = pair.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InvalidOptions(fmt::format("{} '{}' has no '='; write NAME=VALUE", option, pair));
  return {prefix + pair.substr(0, sign), pair.substr(sign + 1)};
}

std::vector<Setting> settings_of(const RunRequest& request) {
  std::vector<Setting> settings;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) settings.push_back({key, value});
  };
  for (const std::string& pair : request.settings) settings.push_back(setting_of(pair, "--set", ""));
  add("budget", request.budget);
  add("objective", request.objective);
  add("cost", request.cost);
  add("goal", request.goal);
  add("workers", request.workers);
  add("storage", request.storage);
  add("name", request.name);
  if (request.command_given) {
    Node::Array words;
    for (const std::string& word : request.command) words.push_back({word, {}});
    settings.push_back({"command", to_toml({std::move(words), {}})});
  }
  for (const std::string& pair : request.parameters) settings.push_back(setting_of(pair, "--param", "parameters."));
  return settings;
}

StudyFile file_of(const RunRequest& request) {
  const std::vector<Setting> settings = settings_of(request);
  if (!request.study.empty() || request.parameters.empty())
    return read_study_file(request.study.empty() ? "study.toml" : request.study, settings);
  const std::string program =
      request.command.empty() ? "carbo" : std::filesystem::path(request.command.front()).filename().string();
  return parse_study_file(program, "", "", settings);
}

}  // namespace

int run_command(Terminal& terminal, const RunRequest& request) {
  const StudyFile file = file_of(request);
  if (!file.command)
    throw StudyFileError(
        fmt::format("{}: there is no command to run; give one, such as command = [\"./train\", "
                    "\"--rate={{rate}}\"], or evaluate yourself: carbo ask, carbo tell",
                    file.document.name));
  RunArguments arguments;
  arguments.join = request.join;
  arguments.plain = request.plain;
  arguments.quiet = terminal.quiet;
  arguments.verbose = terminal.verbose;
  const auto open = [&](const StudyOptions& how) {
    StudyFile settled = file;
    settled.how = how;
    return open_study(settled, request.accept_changes ? Changes::accept : Changes::refuse);
  };
  return run_study(file, open, arguments);
}

}  // namespace carbo::program
