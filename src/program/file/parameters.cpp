#include "program/file/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "program/evaluation/json_text.hpp"
#include "program/file/options.hpp"
#include "program/file/section.hpp"
#include "program/support/nearest.hpp"
#include "program/support/words.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr std::string_view forms =
    "give a range such as \"1..19\" or \"1e-5..0.1 log\", a list such as [\"adam\", \"sgd\"] or [0, 27], names in "
    "order "
    "such as \"low<mid<high\", or a table such as {real = [0, 1]}";

std::vector<std::string> split(std::string_view words, char separator) {
  std::vector<std::string> all;
  for (std::size_t start = 0;;) {
    const std::size_t end = words.find(separator, start);
    all.emplace_back(trimmed(words.substr(start, end - start)));
    if (end == std::string_view::npos) return all;
    start = end + 1;
  }
}

/// One parameter, and where it is read.
class Reader {
 public:
  Reader(const Document& document, const std::string& name, const Node& node)
      : document_(document), name_(name), node_(node) {}

  Parameter read() const {
    if (const auto* const words = node_.get<std::string>()) return from_text(*words);
    if (const auto* const elements = node_.get<Node::Array>()) return from_list(node_, *elements);
    if (node_.get<Node::Table>() != nullptr) return from_table();
    refuse(node_.place, text("is ", kind_of(node_), "; ", forms));
  }

 private:
  [[noreturn]] void refuse(const Place& place, const std::string& what) const {
    document_.refuse(place, text("parameter '", name_, "' ", what, hint_of_file_setting(name_)));
  }

  Parameter from_text(std::string_view words) const {
    words = trimmed(words);
    if (words.starts_with('[') || words.starts_with('{')) return from_toml(words);
    if (words.find("..") != std::string_view::npos) return from_range(words);
    if (words.find('<') != std::string_view::npos) return ordinal(name_, split(words, '<'));
    if (words.find(',') == std::string_view::npos) refuse(node_.place, text("is the text '", words, "'; ", forms));
    const std::vector<std::string> all = split(words, ',');
    std::vector<double> numbers;
    for (const std::string& word : all)
      if (const auto number = read_number(word)) numbers.push_back(*number);
    if (numbers.size() < all.size()) return categorical(name_, all);
    std::ranges::sort(numbers);
    return discrete(name_, numbers);
  }

  /// What stands in a study file, given on a command line.
  Parameter from_toml(std::string_view words) const {
    const auto parse = [&] {
      const Document inner = parse_toml("its text", text("value = ", words));
      return Reader(inner, name_, *inner.root.find("value")).read();
    };
    try {
      return parse();
    } catch (const StudyFileError& error) {
      refuse(node_.place, text("is '", words, "', which cannot be read: ", error.what(), "; ", forms));
    }
  }

  Parameter from_range(std::string_view words) const {
    bool log = false;
    for (const std::string_view scale : {" log", " linear"}) {
      if (!words.ends_with(scale)) continue;
      log = scale == " log";
      words = trimmed(words.substr(0, words.size() - scale.size()));
    }
    const std::size_t dots = words.find("..");
    const std::string_view lower_word = trimmed(words.substr(0, dots));
    const std::string_view upper_word = trimmed(words.substr(dots + 2));
    const auto lower = read_number(lower_word), upper = read_number(upper_word);
    if (!lower || !upper)
      refuse(node_.place,
             text("is '", words, "', and '", lower ? upper_word : lower_word, "' is no number; ", forms));
    const bool real_bounds = text(lower_word, upper_word).find_first_of(".eEin") != std::string::npos;
    const Parameter plain = real_bounds ? real(name_, *lower, *upper) : whole(node_.place, *lower, *upper);
    return log ? plain.log() : plain;
  }

  Parameter whole(const Place& place, double lower, double upper) const {
    constexpr double largest = 9007199254740992.0;  // 2^53
    for (const double bound : {lower, upper})
      if (std::abs(bound) > largest || bound != std::trunc(bound))
        refuse(place, text("is whole, but a bound is ", bound, "; give whole numbers within 2^53"));
    return integer(name_, static_cast<std::int64_t>(lower), static_cast<std::int64_t>(upper));
  }

  Parameter from_list(const Node& list, const Node::Array& elements) const {
    const bool numeric = !elements.empty() && std::ranges::all_of(elements, [](const Node& element) {
      return element.get<double>() != nullptr || element.get<std::int64_t>() != nullptr;
    });
    return of_kind(numeric ? "discrete" : "categorical", list);
  }

  std::vector<std::string> labels(const Node& list) const {
    const auto* const elements = list.get<Node::Array>();
    if (elements == nullptr) refuse(list.place, text("has ", kind_of(list), " in place of a list of names"));
    std::vector<std::string> all;
    for (const Node& element : *elements) {
      const bool* const truth = element.get<bool>();
      const auto* const word = element.get<std::string>();
      if (truth == nullptr && word == nullptr)
        refuse(element.place, text("has ", kind_of(element), " among its names; put it in quotes"));
      all.push_back(word != nullptr ? *word : *truth ? "true" : "false");
    }
    return all;
  }

  std::vector<double> numbers(const Node& list) const {
    const auto* const elements = list.get<Node::Array>();
    if (elements == nullptr) refuse(list.place, text("has ", kind_of(list), " in place of a list of numbers"));
    std::vector<double> all;
    for (const Node& element : *elements)
      all.push_back(number_of(document_, element, text("a value of parameter '", name_, "'")));
    return all;
  }

  std::pair<double, double> bounds(const Node& list) const {
    const std::vector<double> both = numbers(list);
    if (both.size() != 2)
      refuse(list.place, text("has ", both.size(), " bounds; give the lowest and the highest, such as [1, 19]"));
    return {both[0], both[1]};
  }

  Parameter from_table() const {
    Section section(document_, node_, text("parameters.", name_));
    const std::vector<std::string> kinds{"int", "integer", "real", "categorical", "ordinal", "discrete"};
    std::string kind;
    for (const std::string& each : kinds) {
      if (section.find(each) == nullptr) continue;
      if (!kind.empty()) refuse(section.place(each), text("is both ", kind, " and ", each, "; give one of them"));
      kind = each;
    }
    std::string scale = "linear";
    section.read("scale", scale);
    section.refuse_unread();
    if (kind.empty())
      refuse(node_.place, text("has no kind; give one of ", joined(kinds), ", such as {real = [0, 1]}"));
    if (scale != "linear" && scale != "log")
      refuse(section.place("scale"), text("has the scale '", scale, "'; give linear or log"));
    Parameter plain = of_kind(kind, *section.find(kind));
    if (scale == "linear") return plain;
    if (plain.kind() != ParameterKind::real && plain.kind() != ParameterKind::integer)
      refuse(section.place("scale"), text("is ", kind, ", which has no scale; leave it out"));
    return plain.log();
  }

  Parameter of_kind(const std::string& kind, const Node& list) const {
    if (kind == "categorical") return categorical(name_, labels(list));
    if (kind == "ordinal") return ordinal(name_, labels(list));
    if (kind == "discrete") {
      std::vector<double> values = numbers(list);
      std::ranges::sort(values);
      return discrete(name_, values);
    }
    const auto [lower, upper] = bounds(list);
    return kind == "real" ? real(name_, lower, upper) : whole(list.place, lower, upper);
  }

  const Document& document_;
  const std::string& name_;
  const Node& node_;
};

}  // namespace

Parameter read_parameter(const Document& document, const std::string& name, const Node& node) {
  return Reader(document, name, node).read();
}

Space read_space(const Document& document, const Node& table) {
  const Section section(document, table, "parameters");
  std::vector<Parameter> parameters;
  for (const Node::Member& member : *table.get<Node::Table>()) {
    parameters.push_back(read_parameter(document, member.key, member.value));
    try {
      Space{parameters.back()};
    } catch (const InvalidSpace& error) {
      document.refuse(member.value.place, error.what());
    }
  }
  try {
    return Space(std::move(parameters));
  } catch (const InvalidSpace& error) {
    document.refuse(table.place, error.what());
  }
}

}  // namespace carbo::program
