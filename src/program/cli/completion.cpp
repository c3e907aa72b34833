#include <algorithm>

#include <fmt/format.h>

#include "program/cli/description.hpp"

namespace carbo::program {
namespace {

std::string all_names(std::span<const CommandDescription> commands) {
  std::string names;
  for (const CommandDescription& each : commands) names += (names.empty() ? "" : " ") + each.name;
  return names;
}

std::string words_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& each : words) all += (all.empty() ? "" : " ") + each;
  return all;
}

/// Inside double quotes or brackets of a zsh specification.
std::string zsh_words(const std::string& text) {
  std::string words;
  for (const char c : text) {
    if (c == '\'')
      words += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      (words += '\\') += c;
    else
      words += c;
  }
  return words;
}

std::string zsh_option(const OptionDescription& option) {
  std::string text;
  const std::string action = option.value.empty() ? ""
                             : option.choices.empty()
                                 ? fmt::format(":{}:_files", option.value)
                                 : fmt::format(":{}:({})", option.value, words_of(option.choices));
  for (const std::string& name : option.names)
    text += fmt::format(" \\\n        '{}{}[{}]{}'", option.several ? "*" : "", name, zsh_words(option.help), action);
  return text;
}

}  // namespace

std::string bash_completion(std::span<const CommandDescription> commands) {
  std::string text = R"(# Completion of carbo for bash: source it, or put it where bash-completion looks for it.
_carbo() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
)";
  text +=
      fmt::format("    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$word\")\n    return\n  fi\n",
                  all_names(commands));
  text += "  case \"${COMP_WORDS[1]} $before\" in\n";
  for (const CommandDescription& command : commands)
    for (const OptionDescription& option : command.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names)
        text += fmt::format("    '{} {}') mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"); return ;;\n",
                            command.name, name, words_of(option.choices));
    }
  text += "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandDescription& command : commands) {
    std::string options;
    for (const OptionDescription& option : command.options) options += words_of(option.names) + " ";
    std::string choices;
    for (const OptionDescription& positional : command.positionals) choices += words_of(positional.choices);
    text += fmt::format("    {}) options='{}{}' ;;\n", command.name, options, choices);
  }
  text += R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  case "$word" in
    -*) ;;
    *) local file
       while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _carbo carbo
)";
  return text;
}

std::string zsh_completion(std::span<const CommandDescription> commands) {
  std::string text =
      "#compdef carbo\n# Completion of carbo for zsh: put it as _carbo into a folder of $fpath.\n_carbo() {\n"
      "  local -a commands\n  commands=(\n";
  for (const CommandDescription& each : commands)
    text += fmt::format("    '{}:{}'\n", each.name, zsh_words(each.summary));
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandDescription& command : commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionDescription& option : command.options) text += zsh_option(option);
    std::string choices;
    for (const OptionDescription& positional : command.positionals) choices += words_of(positional.choices);
    text += choices.empty() ? " \\\n        '*:file:_files'" : fmt::format(" \\\n        '*:word:({})'", choices);
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n_carbo \"$@\"\n";
}

}  // namespace carbo::program
