#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
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
      throw std::invalid_argument("there is no '" + name + "' among " + known);
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

/// The words between commas.
inline std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

}  // namespace carbo::bench
