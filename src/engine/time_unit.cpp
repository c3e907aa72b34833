#include "engine/time_unit.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "support/edits.hpp"

namespace carbo::internal {
namespace {

struct TimeUnit {
  double seconds;
  std::vector<std::string_view> spellings;  ///< the last two are its name, singular and plural
};

const std::vector<TimeUnit>& time_units() {
  static const std::vector<TimeUnit> units{
      {1e-9, {"ns", "nsec", "nsecs", "nanos", "nanosec", "nanosecs", "nanosecond", "nanoseconds"}},
      {1e-6,
       {"us", "\u00b5s", "\u03bcs", "usec", "usecs", "\u00b5sec", "\u03bcsec", "micros", "microsec", "microsecs",
        "microsecond", "microseconds"}},
      {1e-3, {"ms", "msec", "msecs", "millis", "millisec", "millisecs", "millisecond", "milliseconds"}},
      {1, {"s", "sec", "secs", "second", "seconds"}},
      {60, {"min", "mins", "minute", "minutes"}},
      {3600, {"h", "hr", "hrs", "hour", "hours"}},
      {86400, {"d", "day", "days"}},
      {604800, {"wk", "wks", "week", "weeks"}},
  };
  return units;
}

std::string lower_case(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

/// Of the spelling as it is.
double seconds_of(std::string_view spelling) {
  for (const TimeUnit& unit : time_units()) {
    if (std::ranges::find(unit.spellings, spelling) != unit.spellings.end()) return unit.seconds;
  }
  return 0;
}

/// Spellings of three letters and more that have the same letters in another order.
std::vector<std::string> anagrams(std::string word) {
  constexpr std::size_t shortest = 3;
  std::vector<std::string> found;
  if (word.size() < shortest) return found;
  std::ranges::sort(word);
  for (const TimeUnit& unit : time_units()) {
    for (const std::string_view spelling : unit.spellings) {
      std::string letters(spelling);
      std::ranges::sort(letters);
      if (letters == word) found.emplace_back(spelling);
    }
  }
  return found;
}

/// Names that few letters lead to. Short words are near to many others, so these need nearly all of them right.
std::vector<std::string> near_names(const std::string& word) {
  constexpr std::size_t shortest = 4, longest_with_one_slip = 7;
  std::vector<std::string> near;
  if (word.size() < shortest) return near;
  std::size_t fewest = word.size() <= longest_with_one_slip ? 1 : 2;
  for (const TimeUnit& unit : time_units()) {
    for (std::size_t i = unit.spellings.size() - 2; i < unit.spellings.size(); ++i) {
      const std::string_view name = unit.spellings[i];
      if (name.size() < shortest || name == "days") continue;  // one letter from bays, keys and pays
      const std::size_t edits = edits_between(word, name);
      if (edits > fewest) continue;
      if (edits < fewest) near.clear();
      fewest = edits;
      near.emplace_back(name);
    }
  }
  return near;
}

}  // namespace

double seconds_per_unit(const std::string& unit) {
  constexpr std::size_t any_case_from = 3;
  return seconds_of(unit.size() >= any_case_from ? lower_case(unit) : unit);
}

std::vector<std::string> near_time_units(const std::string& unit) {
  static const std::map<std::string_view, std::vector<std::string>> slips{
      {"m", {"min", "ms"}},     {"sc", {"s", "sec"}}, {"se", {"s", "sec"}},
      {"scs", {"sec", "secs"}}, {"mn", {"min"}},      {"hs", {"h", "hrs"}},
  };
  if (seconds_per_unit(unit) > 0) return {};
  std::string word;
  for (const char letter : lower_case(unit)) {
    if (std::string_view(" .,:()[]\t\n").find(letter) == std::string_view::npos) word += letter;
  }
  if (seconds_of(word) > 0) return {word};  // in brackets, with a full stop, or a short one in capitals
  if (const auto slip = slips.find(word); slip != slips.end()) return slip->second;
  if (std::vector<std::string> found = anagrams(word); !found.empty()) return found;
  return near_names(word);
}

}  // namespace carbo::internal
