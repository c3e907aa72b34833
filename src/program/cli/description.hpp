#pragma once

#include <span>
#include <string>
#include <vector>

namespace carbo::program {

struct OptionDescription {
  std::vector<std::string> names;  ///< "-n", "--count"; of a positional argument one, as it is shown
  std::string value;               ///< what it takes, such as N; empty: nothing
  std::string help;
  std::vector<std::string> choices;  ///< where only these are taken
  bool several = false;              ///< may be given more than once
};

/// A command as it was declared: what helps, manuals and completions are made of.
struct CommandDescription {
  std::string name;
  std::string summary;
  std::vector<OptionDescription> positionals, options;
  std::vector<std::string> details;   ///< paragraphs
  std::vector<std::string> examples;  ///< command lines
};

/// One screen about one command.
std::string help_text(const CommandDescription& command);
/// One screen about all of them.
std::string overview_text(std::span<const CommandDescription> commands);
/// Pages for man(1), in roff: of one command, and of the program.
std::string manual_page(const CommandDescription& command);
std::string manual_overview(std::span<const CommandDescription> commands);
std::string bash_completion(std::span<const CommandDescription> commands);
std::string zsh_completion(std::span<const CommandDescription> commands);

}  // namespace carbo::program
