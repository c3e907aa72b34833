#include "program/cli/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <unistd.h>

#include <carbo/version.h>
#include <carbo/error.hpp>

#include "program/cli/declared_commands.hpp"
#include "program/commands/error_names.hpp"
#include "program/support/nearest.hpp"

namespace carbo::program {

CommandDescription CommandLine::described(const Command& command) {
  CommandDescription result{command.app->get_name(), command.app->get_description(), {}, {}, command.details,
                            command.examples};
  for (const CLI::Option* const option : command.app->get_options()) {
    OptionDescription one;
    const bool positional = option->get_positional();
    if (positional) {
      one.names = {option->get_name(true)};
    } else {
      for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    }
    one.help = option->get_description();
    const std::string kind = option->get_type_name();  // "FORMAT:{csv,json}" where choices are checked
    const std::size_t brace = kind.find(":{");
    const bool flag = option->get_items_expected_max() == 0;
    if (!flag && !positional) one.value = kind.substr(0, kind.find(':'));
    if (brace != std::string::npos) {
      std::string word;
      for (const char c : kind.substr(brace + 2)) {
        if (c != ',' && c != '}') {
          word += c;
          continue;
        }
        one.choices.push_back(std::exchange(word, {}));
      }
    }
    one.several = option->get_items_expected_max() > 1 || option->get_expected_max() > 1;
    (positional ? result.positionals : result.options).push_back(std::move(one));
  }
  return result;
}

int CommandLine::refuse(const std::string& what, const std::string& command) const {
  std::cerr << "carbo: " << what << "\n"
            << "carbo " << command << (command.empty() ? "" : " ") << "--help says more\n";
  return static_cast<int>(Exit::usage);
}

int CommandLine::show_help(const std::string& name) const {
  const auto all = names();
  if (name.empty()) {
    std::cout << overview_text(descriptions_);
  } else if (std::ranges::find(all, name) == all.end()) {
    return refuse("there is no command '" + name + "'" + suggestion_for(name, all), "");
  } else {
    std::cout << help_text(description(name));
  }
  return 0;
}

int CommandLine::show_manual(const std::string& name) const {
  const auto all = names();
  if (!name.empty() && std::ranges::find(all, name) == all.end())
    return refuse("there is no command '" + name + "'" + suggestion_for(name, all), "");
  std::cout << (name.empty() ? manual_overview(descriptions_) : manual_page(description(name)));
  return 0;
}

int CommandLine::write_manuals(const std::string& folder) const {
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) throw Error(file.string() + " cannot be written; name a folder that you may write to");
  };
  for (const CommandDescription& each : descriptions_) write("carbo-" + each.name + ".1", manual_page(each));
  write("carbo", bash_completion(descriptions_));
  write("_carbo", zsh_completion(descriptions_));
  write("carbo.1", manual_overview(descriptions_));
  return 0;
}

int CommandLine::unexpected(const Command& command) const {
  const std::string name = command.app->get_name();
  const std::vector<std::string> left = command.app->remaining();
  const std::string word = left.empty() ? "" : left.front();
  std::vector<std::string> options;
  for (const OptionDescription& option : description(name).options)
    for (const std::string& each : option.names)
      if (each.starts_with("--")) options.push_back(each);
  if (!word.starts_with('-')) {
    const bool value = word.find('=') != std::string::npos && std::ranges::find(options, "--at") != options.end();
    return refuse("'" + printable(word) + "' is one argument too many" +
                      (value ? "; a value is given as --at " + printable(word) : ""),
                  name);
  }
  const std::string plain = word.substr(0, word.find('='));
  return refuse("there is no option '" + printable(plain) + "'" + suggestion_for(plain, options), name);
}

int CommandLine::call(const Command& command) {
  Terminal terminal{std::cout, std::cerr};
  terminal.json = json_;
  terminal.quiet = quiet_;
  terminal.verbose = verbose_;
  terminal.colour = wants_colour(STDOUT_FILENO);
  try {
    const int code = command.call(terminal);
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "carbo: standard output cannot be written; is the disk full?\n";
    return static_cast<int>(Exit::failure);
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "carbo: " << error.what() << "\n";
    return static_cast<int>(exit_of(error));
  }
}

int CommandLine::run(std::vector<std::string> words) {
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    std::cout << overview_text(descriptions_);
    return words.empty() ? static_cast<int>(Exit::usage) : 0;
  }
  if (words.front() == "--version") {
    std::cout << "carbo " CARBO_VERSION_STRING "\n";
    return 0;
  }
  const std::string name = words.front();
  const auto found =
      std::ranges::find_if(commands_, [&](const Command& each) { return each.app->get_name() == name; });
  if (found == commands_.end()) {
    const char* const kind = name.starts_with('-') ? "there is no option '" : "there is no command '";
    return refuse(kind + printable(name) + "'" + suggestion_for(name, names()), "");
  }
  // What stands after -- is the command of a run, whatever it looks like.
  if (const auto dashes = std::ranges::find(words, "--"); name == "run" && dashes != words.end()) {
    run_.command.assign(dashes + 1, words.end());
    run_.command_given = true;
    words.erase(dashes, words.end());
  }
  if (std::ranges::find_if(words, [](const std::string& word) { return word == "--help" || word == "-h"; }) !=
      words.end())
    return show_help(name);
  try {
    words.erase(words.begin());
    std::ranges::reverse(words);
    found->app->parse(words);
  } catch (const CLI::ExtrasError&) {
    return unexpected(*found);
  } catch (const CLI::ParseError& error) {
    return refuse(error.what(), name);
  }
  return call(*found);
}

int run_program(int count, const char* const* words) {
  std::ios::sync_with_stdio(false);
  CommandLine line;
  return line.run(std::vector<std::string>(words + std::min(count, 1), words + count));
}

}  // namespace carbo::program
