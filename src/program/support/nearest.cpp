#include "program/support/nearest.hpp"

#include <algorithm>

#include "support/edits.hpp"

namespace carbo::program {
namespace {

/// Letters in small, without what separates words: `maxEvaluations` and `max-evaluations` are `max_evaluations`.
std::string plain(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c == '_' || c == '-' || c == ' ') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t longest = 200;  // of what somebody may have meant as a name
  if (word.size() > longest) return {};
  const std::string wanted = plain(word);
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::string candidate = plain(name);
    std::size_t edits = internal::edits_between(wanted, candidate);
    const bool begun = wanted.size() >= 3 && candidate.starts_with(wanted);
    if (begun) edits = std::min<std::size_t>(edits, 1);
    if (edits >= fewest || edits >= candidate.size()) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::string joined(std::span<const std::string> words, std::string_view last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 < words.size() ? std::string_view(", ") : last;
    all += words[i];
  }
  return all;
}

std::string suggestion_for(std::string_view word, std::span<const std::string> names) {
  const std::string near = nearest(word, names);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  constexpr std::size_t most = 40;
  return "; known are " + joined(names.first(std::min(names.size(), most))) + (names.size() > most ? ", ..." : "");
}

}  // namespace carbo::program
