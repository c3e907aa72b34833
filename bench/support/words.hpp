#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace carbo::bench {

/// What an entry is called, by its member `name` or what its function of that name says.
template <class Named>
const std::string& name_of(const Named& entry) {
  if constexpr (requires { entry.name(); })
    return entry.name();
  else
    return entry.name;
}

/// Those of `all` with these names, in the order of `all`. Throws std::invalid_argument where a name is unknown, with
/// those that there are.
template <class Named>
std::vector<Named> named(const std::vector<Named>& all, const std::vector<std::string>& names) {
  std::string known;
  for (const Named& entry : all) known += (known.empty() ? "" : ", ") + name_of(entry);
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const Named& entry) { return name_of(entry) == name; }))
      throw std::invalid_argument(std::string("there is no '").append(name).append("' among ").append(known));
  std::vector<Named> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const Named& entry) {
    return std::find(names.begin(), names.end(), name_of(entry)) != names.end();
  });
  return chosen;
}

/// Value of an option of a command line. Throws std::invalid_argument naming the option.
inline std::size_t positive(const std::string& option, const std::string& text) {
  std::size_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || number == 0)
    throw std::invalid_argument(option + " takes a whole number above 0, not '" + text + "'");
  return number;
}

/// The words between commas, or what else separates them.
inline std::vector<std::string> split_names(const std::string& list, char separator = ',') {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, separator);) names.push_back(name);
  return names;
}

/// Whether a name was asked for; an empty list asks for all.
inline bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// What a program takes on its command line.
struct CommandOption {
  std::string name{};  ///< "--seeds"
  bool valued = true;  ///< followed by a value
  /// Name of the option, for messages, and its value, empty where it has none.
  std::function<void(const std::string&, const std::string&)> take{};
};

inline CommandOption flag(const std::string& name, bool& place) {
  return {name, false, [&place](const std::string&, const std::string&) { place = true; }};
}
inline CommandOption number(const std::string& name, std::size_t& place) {
  return {name, true,
          [&place](const std::string& option, const std::string& text) { place = positive(option, text); }};
}
inline CommandOption names(const std::string& name, std::vector<std::string>& place) {
  return {name, true, [&place](const std::string&, const std::string& text) { place = split_names(text); }};
}
/// Of a string or a path.
template <class Text>
CommandOption text(const std::string& name, Text& place) {
  return {name, true, [&place](const std::string&, const std::string& value) { place = value; }};
}

/// Hands every argument to its option. Throws std::invalid_argument naming the one at fault.
inline void read_arguments(const std::vector<std::string>& arguments, const std::vector<CommandOption>& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const CommandOption& option) { return option.name == name; });
    if (found == options.end())
      throw std::invalid_argument("unknown argument '" + name + "'; --help prints what there is");
    if (found->valued && ++i == arguments.size()) throw std::invalid_argument(name + " needs a value");
    found->take(name, found->valued ? arguments[i] : "");
  }
}

}  // namespace carbo::bench
