#include "program/file/reading_settings.hpp"

#include <algorithm>
#include <cmath>

#include "program/evaluation/pattern.hpp"
#include "program/file/amount.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

Reading measured(const Document& document, const Node& node, std::string_view word, const std::string& what) {
  Reading reading;
  if (word == "wall" || word == "wall_clock")
    reading.source = Reading::Source::wall_clock;
  else if (word == "cpu")
    reading.source = Reading::Source::cpu;
  else if (word == "memory")
    reading.source = Reading::Source::memory;
  else
    document.refuse(node.place,
                    text(what, " is read from '", word,
                         "'; give json:KEY, stdout:PATTERN, stderr:PATTERN, file:PATH, ", "wall, cpu or memory"));
  return reading;
}

Reading pattern_reading(const Document& document, const Node& node, const std::string& expression,
                        bool standard_error, const std::string& what) {
  try {
    const Pattern compiled(expression);
  } catch (const InvalidOptions& error) {
    document.refuse(node.place, text(what, ": ", error.what()));
  }
  Reading reading;
  reading.source = Reading::Source::pattern;
  reading.pattern = expression;
  reading.standard_error = standard_error;
  return reading;
}

Reading reading_of_text(const Document& document, const Node& node, const std::string& what) {
  const std::string& words = *node.get<std::string>();
  const std::size_t colon = words.find(':');
  const std::string kind = words.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : words.substr(colon + 1);
  Reading reading;
  if (kind == "json") {
    reading.key = rest.empty() ? what : rest;
  } else if (kind == "stdout" || kind == "stderr") {
    return pattern_reading(document, node, rest, kind == "stderr", what);
  } else if (kind == "file" && !rest.empty()) {
    reading.source = Reading::Source::file;
    reading.path = rest;
  } else {
    return measured(document, node, words, what);
  }
  return reading;
}

/// Of the members of a table, `cost`'s beside the library's settings.
Reading reading_of_table(const Document& document, Section& section, const std::string& what) {
  const std::vector<std::string> kinds{"read", "json", "stdout", "stderr", "file", "measure"};
  const Node* given = nullptr;
  std::string kind;
  for (const std::string& each : kinds) {
    const Node* const node = section.find(each);
    if (node == nullptr) continue;
    if (given != nullptr)
      document.refuse(section.place(each), text(what, " is read in two ways, ", kind, " and ", each, "; give one"));
    given = node;
    kind = each;
  }
  Reading reading;
  reading.key = what;
  if (what == "cost") reading.source = Reading::Source::wall_clock;
  if (given != nullptr) {
    const std::string& words = text_of(document, *given, text(what, ".", kind));
    if (kind == "read") {
      reading = reading_of_text(document, *given, what);
    } else if (kind == "json") {
      reading.source = Reading::Source::json_line;
      reading.key = words;
    } else if (kind == "file") {
      reading.source = Reading::Source::file;
      reading.path = words;
      reading.key.clear();
    } else if (kind == "measure") {
      reading = measured(document, *given, words, what);
    } else {
      reading = pattern_reading(document, *given, words, kind == "stderr", what);
    }
  }
  section.read("factor", reading.factor);
  if (section.find("key") != nullptr && reading.source != Reading::Source::file)
    document.refuse(section.place("key"),
                    text(what, ": key is for a file of JSON; for lines of JSON write json = \"KEY\""));
  section.read("key", reading.key);
  if (!(std::isfinite(reading.factor) && reading.factor != 0))
    document.refuse(section.place("factor"),
                    text(what, ".factor is ", reading.factor, "; give a finite number, not 0"));
  return reading;
}

}  // namespace

Reading read_reading(Section& file, const std::string& what) {
  const Document& document = file.document();
  const Node* const node = file.find(what);
  if (node == nullptr) {
    Reading reading;
    reading.key = what;
    if (what == "cost") reading.source = Reading::Source::wall_clock;
    return reading;
  }
  if (node->get<std::string>() != nullptr) return reading_of_text(document, *node, what);
  Section section(document, *node, what);
  Reading reading = reading_of_table(document, section, what);
  if (what != "cost") section.refuse_unread();
  return reading;
}

void convert_measured(Section& file, const std::string& unit, Reading& cost) {
  const bool time = cost.source == Reading::Source::wall_clock || cost.source == Reading::Source::cpu;
  const Node* const node = file.find("cost");
  const bool factor_given = node != nullptr && node->find("factor") != nullptr;
  if (!time && !(cost.source == Reading::Source::memory)) return;
  const double seconds = time ? seconds_in(unit) : 0;
  if (seconds > 0) {
    cost.factor /= seconds;
    return;
  }
  if (factor_given) return;
  file.document().refuse(file.place("cost"),
                         text("the cost is measured in ", time ? "seconds" : "bytes", ", but the budget is in ", unit,
                              "; say what one is worth, such as cost = {measure = \"", time ? "wall" : "memory",
                              "\", factor = 0.001}, or let the command report its cost: cost = \"json:cost\""));
}

}  // namespace carbo::program
