#include "program/evaluation/command.hpp"

#include <sched.h>

#include <algorithm>
#include <set>

#include <carbo/error.hpp>

#include "formulas/philox.hpp"
#include "program/evaluation/evaluator.hpp"
#include "program/evaluation/placeholders.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr const char* own_words[] = {"dir", "id", "seed", "worker"};

/// Every name that may be used, with a text that stands for its value.
Words known_words(const Space& space) {
  Words words;
  for (const Parameter& parameter : space.parameters()) words[parameter.name()] = "0";
  for (const char* const own : own_words) {
    if (!words.emplace(own, "0").second)
      throw InvalidOptions(text("a parameter is named '", own, "', but {", own,
                                "} stands for something else in commands; give it another name"));
  }
  return words;
}

std::set<std::string> placeholder_set(std::string_view pattern) {
  const std::vector<std::string> names = placeholders(pattern);
  return {names.begin(), names.end()};
}

}  // namespace

void check_command(const Command& command, const Space& space) {
  if (command.arguments.empty() || command.arguments.front().empty())
    throw InvalidOptions("the command is empty; it needs a program, such as [\"python3\", \"train.py\", \"{rate}\"]");
  if (command.shell && command.arguments.size() != 1)
    throw InvalidOptions(text("a command for the shell is one text, not ", command.arguments.size()));
  const Words words = known_words(space);
  for (const std::string& argument : command.arguments) expand(argument, words);
  for (const auto& [name, value] : command.environment) {
    if (name.empty() || name.find('=') != std::string::npos)
      throw InvalidOptions(text("'", name, "' cannot be the name of an environment variable"));
    expand(value, words);
  }
}

std::string remark_on(const Command& command, const Space& space) {
  if (command.json_input || command.parameters_in_environment) return {};
  std::set<std::string> given;
  for (const std::string& argument : command.arguments) given.merge(placeholder_set(argument));
  for (const auto& variable : command.environment) given.merge(placeholder_set(variable.second));
  constexpr std::size_t most_named = 3;
  std::size_t count = 0;
  std::string names, first;
  for (const Parameter& parameter : space.parameters()) {
    if (given.contains(parameter.name())) continue;
    if (count == 0) first = parameter.name();
    if (count++ < most_named) names += text(names.empty() ? "'" : ", '", parameter.name(), "'");
  }
  if (count == 0) return {};
  if (count > most_named) names += text(" and ", count - most_named, " more");
  return text("the command is not given ", names, "; write {", first,
              "} where its value belongs, or input = \"json\" for all values on standard input");
}

std::vector<int> processors_of(std::size_t worker, std::size_t workers) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> usable;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) usable.push_back(processor);
  if (usable.empty()) return {};
  const std::size_t share = std::max<std::size_t>(1, usable.size() / std::max<std::size_t>(1, workers));
  std::vector<int> own;
  for (std::size_t i = 0; i < share; ++i) own.push_back(usable[(worker * share + i) % usable.size()]);
  return own;
}

std::uint32_t seed_of(std::uint64_t study_seed, std::uint64_t id) {
  constexpr std::uint64_t purpose = 0x5eedu;
  return kernels::philox(study_seed, id, purpose).word[0] >> 1;
}

}  // namespace carbo::program
