#include "program/file/constraints.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <carbo/error.hpp>

#include "cost/expression.hpp"
#include "program/support/nearest.hpp"
#include "program/support/words.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

enum class Sign { at_most, at_least, below, above, equal, unequal };

struct Operator {
  std::string_view text;
  Sign sign;
};
/// The longer ones first.
constexpr Operator operators[] = {{"<=", Sign::at_most}, {">=", Sign::at_least}, {"==", Sign::equal},
                                  {"!=", Sign::unequal}, {"<", Sign::below},     {">", Sign::above}};

bool holds(double a, Sign sign, double b) {
  switch (sign) {
    case Sign::at_most:
      return a <= b;
    case Sign::at_least:
      return a >= b;
    case Sign::below:
      return a < b;
    case Sign::above:
      return a > b;
    case Sign::equal:
      return a == b;
    case Sign::unequal:
      return a != b;
  }
  return false;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Parts of a text between the places that `match` gives a length above 0 for, outside quotes.
template <class Match>
std::vector<std::string_view> parts_between(std::string_view words, const Match& match) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (quote != '\0' || words[i] == '"' || words[i] == '\'') {
      quote = quote == '\0' ? words[i] : quote == words[i] ? '\0' : quote;
      continue;
    }
    const std::size_t length = match(words, i);
    if (length == 0) continue;
    parts.push_back(words.substr(begin, i - begin));
    begin = i + length;
    i = begin - 1;
  }
  parts.push_back(words.substr(begin));
  return parts;
}

std::vector<std::string_view> split_at_word(std::string_view words, std::string_view separator) {
  return parts_between(words, [&](std::string_view all, std::size_t i) -> std::size_t {
    const bool alone = (i == 0 || !is_word(all[i - 1])) &&
                       (i + separator.size() >= all.size() || !is_word(all[i + separator.size()]));
    return alone && all.substr(i, separator.size()) == separator ? separator.size() : 0;
  });
}

/// One comparison, or a chain of them.
class Comparison {
 public:
  Comparison(const Space& space, std::string_view words, const std::string& label) {
    std::vector<Sign> signs;
    const auto operands = parts_between(words, [&](std::string_view all, std::size_t i) -> std::size_t {
      for (const Operator& each : operators) {
        if (!all.substr(i).starts_with(each.text)) continue;
        signs.push_back(each.sign);
        return each.text.size();
      }
      return 0;
    });
    if (signs.empty())
      throw InvalidSpace(
          text(label, ": '", trimmed(words), "' compares nothing; write such as a * b <= 100, or solver != \"sgd\""));
    if (words.find_first_of("\"'") != std::string_view::npos) {
      compare_label(space, operands, signs, label);
      return;
    }
    signs_ = std::move(signs);
    try {
      for (const std::string_view operand : operands)
        operands_.emplace_back(space.parameters(), std::string(operand), label);
    } catch (const InvalidOptions& error) {
      throw InvalidSpace(error.what());
    }
  }

  bool holds_at(std::span<const double> numbers) const {
    if (parameter_) return holds(numbers[*parameter_], signs_[0], level_);
    for (std::size_t i = 0; i < signs_.size(); ++i)
      if (!holds(operands_[i].at(numbers), signs_[i], operands_[i + 1].at(numbers))) return false;
    return true;
  }

 private:
  void compare_label(const Space& space, std::vector<std::string_view> operands, const std::vector<Sign>& signs,
                     const std::string& label) {
    const auto quoted = [](std::string_view words) {
      return words.size() >= 2 && (words.front() == '"' || words.front() == '\'') && words.back() == words.front();
    };
    for (std::string_view& operand : operands) operand = trimmed(operand);
    if (operands.size() == 2 && quoted(operands[0])) std::swap(operands[0], operands[1]);
    const bool plain = operands.size() == 2 && quoted(operands[1]) && !quoted(operands[0]) &&
                       (signs[0] == Sign::equal || signs[0] == Sign::unequal);
    if (!plain)
      throw InvalidSpace(
          text(label, ": a label is compared by == or != with one in quotes, such as solver != \"sgd\""));
    const auto& parameters = space.parameters();
    const auto found = std::ranges::find(parameters, operands[0], &Parameter::name);
    std::vector<std::string> names;
    for (const Parameter& each : parameters)
      if (!each.labels().empty()) names.push_back(each.name());
    if (found == parameters.end() || found->labels().empty())
      throw InvalidSpace(text(label, ": no parameter with labels is called '", operands[0], "'",
                              suggestion_for(operands[0], names)));
    const std::string_view wanted = operands[1].substr(1, operands[1].size() - 2);
    const auto level = std::ranges::find(found->labels(), wanted);
    if (level == found->labels().end())
      throw InvalidSpace(text(label, ": parameter '", found->name(), "' has no label '", wanted, "'",
                              suggestion_for(wanted, found->labels())));
    parameter_ = static_cast<std::size_t>(found - parameters.begin());
    level_ = static_cast<double>(level - found->labels().begin());
    signs_ = signs;
  }

  std::vector<internal::Expression> operands_;
  std::vector<Sign> signs_;
  std::optional<std::size_t> parameter_;  ///< whose label is compared
  double level_ = 0;                      ///< with this one
};

/// Any of several groups, of which all must hold.
class Alternatives {
 public:
  Alternatives(const Space& space, const std::string& words) {
    const std::string label = text("constraint '", words, "'");
    for (const std::string_view group : split_at_word(words, "or")) {
      std::vector<Comparison>& all = groups_.emplace_back();
      for (const std::string_view one : split_at_word(group, "and")) all.emplace_back(space, one, label);
    }
  }

  bool hold_at(std::span<const double> numbers) const {
    return std::ranges::any_of(groups_, [&](const std::vector<Comparison>& all) {
      return std::ranges::all_of(all, [&](const Comparison& one) { return one.holds_at(numbers); });
    });
  }

 private:
  std::vector<std::vector<Comparison>> groups_;
};

/// Expressions compute in buffers of their own: each thread borrows a set of them.
class SharedConstraint {
 public:
  SharedConstraint(Space space, std::string words) : space_(std::move(space)), words_(std::move(words)) {
    idle_.push_back(std::make_unique<Alternatives>(space_, words_));
  }

  bool allows(const Configuration& configuration) {
    std::unique_ptr<Alternatives> borrowed;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        borrowed = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!borrowed) borrowed = std::make_unique<Alternatives>(space_, words_);
    const bool allowed = borrowed->hold_at(configuration.numbers());
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(borrowed));
    return allowed;
  }

 private:
  Space space_;
  std::string words_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Alternatives>> idle_;
};

}  // namespace

Space::Predicate constraint(const Space& space, const std::string& text) {
  Space plain(std::vector<Parameter>(space.parameters()));  // without constraints, of which this may become one
  auto shared = std::make_shared<SharedConstraint>(std::move(plain), text);
  return [shared](const Configuration& configuration) { return shared->allows(configuration); };
}

}  // namespace carbo::program
