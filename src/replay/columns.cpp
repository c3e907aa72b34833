#include "replay/columns.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <carbo/error.hpp>

#include "replay/table.hpp"
#include "support/text.hpp"

namespace carbo::replay {

namespace {

using internal::text;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What stands in one column, missing cells aside.
struct Contents {
  std::set<std::string> words{};  ///< all that are there
  std::vector<double> numbers{};  ///< of cells that are some
  std::size_t texts = 0;          ///< cells that are none
  std::size_t first_text = 0;     ///< row of the first of them
  std::size_t first_number = 0;
  std::optional<std::size_t> infinite{};  ///< row of the first number that is not finite
  bool counts_rows = true;                ///< row i has i, or i + 1
};

class Guess {
 public:
  Guess(const std::string& file, const CsvTable& table, const ColumnChoice& choice)
      : file_(file), table_(table), choice_(choice) {
    for (const auto* const names : {&choice.parameters, &choice.others, &choice.logarithmic, &choice.categorical})
      for (const std::string& name : *names) column_of(file, table, name);
    for (const std::string& name : choice.parameters)
      if (has(choice.others, name))
        throw InvalidOptions(text("'", name, "' is a parameter, and also the objective, the cost or ignored"));
  }

  GuessedSpace make() {
    std::vector<Parameter> parameters;
    for (std::size_t column = 0; column < table_.header.size(); ++column)
      if (is_wanted(column))
        if (auto made = parameter(column)) parameters.push_back(std::move(*made));
    check_scales(parameters);
    if (parameters.empty())
      throw InvalidOptions(
          text(file_, ": no column is left that could be a parameter; there are ", csv_line(table_.header)));
    return {Space(std::move(parameters)), std::move(notes_)};
  }

 private:
  const std::string& name(std::size_t column) const { return table_.header[column]; }

  bool is_wanted(std::size_t column) const {
    return choice_.parameters.empty() ? !has(choice_.others, name(column)) : has(choice_.parameters, name(column));
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& what) const {
    throw InvalidObservation(text(file_, ":", table_.lines[row], ": column '", name(column), "': ", what));
  }

  Contents contents(std::size_t column) const {
    Contents all;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const std::string& cell = table_.rows[row][column];
      if (is_missing(cell)) {
        all.counts_rows = false;
        continue;
      }
      all.words.insert(cell);
      const auto number = read_number(cell);
      if (!number) {
        if (all.texts++ == 0) all.first_text = row;
        continue;
      }
      if (all.numbers.empty()) all.first_number = row;
      if (!std::isfinite(*number) && !all.infinite) all.infinite = row;
      all.numbers.push_back(*number);
      all.counts_rows = all.counts_rows && *number - all.numbers.front() == static_cast<double>(row) &&
                        (all.numbers.front() == 0 || all.numbers.front() == 1);
    }
    return all;
  }

  /// Absent: the column is left out.
  std::optional<Parameter> parameter(std::size_t column) {
    const Contents all = contents(column);
    const bool asked_for = has(choice_.parameters, name(column));
    if (all.words.size() < 2) {
      if (asked_for)
        throw InvalidOptions(text(file_, ": column '", name(column), "' has ",
                                  all.words.empty() ? "no value" : "one value alone", "; it is no parameter"));
      notes_.push_back(text("column '", name(column), "' is ", all.words.empty() ? "empty" : "the same in every row",
                            " and was left out"));
      return std::nullopt;
    }
    const bool numbers = all.texts == 0 && all.counts_rows && !has(choice_.categorical, name(column));
    if (numbers && table_.rows.size() > 2 && !asked_for) {
      notes_.push_back(text("column '", name(column), "' numbers the rows and was left out"));
      return std::nullopt;
    }
    return has(choice_.categorical, name(column)) || all.numbers.empty() ? names_of(column, all)
                                                                         : number_of(column, all);
  }

  Parameter names_of(std::size_t column, const Contents& all) const {
    const bool asked_for = has(choice_.parameters, name(column)) || has(choice_.categorical, name(column));
    if (!asked_for && all.words.size() > 20 && 2 * all.words.size() > table_.rows.size())
      refuse(all.first_text, column,
             text(all.words.size(), " different texts in ", table_.rows.size(), " rows; ", choice_.advice));
    return categorical(name(column), {all.words.begin(), all.words.end()});
  }

  Parameter number_of(std::size_t column, const Contents& all) const {
    if (all.texts > 0) {
      const bool text_is_odd = all.texts <= all.numbers.size();
      const std::size_t row = text_is_odd ? all.first_text : all.first_number;
      refuse(row, column,
             text("'", table_.rows[row][column], text_is_odd ? "' is no number, as " : "' is a number, where ",
                  text_is_odd ? all.numbers.size() : all.texts, text_is_odd ? " others are" : " others are texts",
                  "; correct it, or ", choice_.advice));
    }
    if (all.infinite) refuse(*all.infinite, column, text("'", table_.rows[*all.infinite][column], "' is not finite"));
    const auto [low, high] = std::minmax_element(all.numbers.begin(), all.numbers.end());
    constexpr double exact_up_to = 9007199254740992.0;  // 2^53
    const bool whole = std::all_of(all.numbers.begin(), all.numbers.end(), [&](double number) {
      return number == std::trunc(number) && std::abs(number) <= exact_up_to;
    });
    const Parameter made =
        whole ? integer(name(column), static_cast<std::int64_t>(*low), static_cast<std::int64_t>(*high))
              : real(name(column), *low, *high);
    if (!has(choice_.logarithmic, name(column))) return made;
    for (std::size_t row = 0; row < table_.rows.size(); ++row)
      if (const auto number = read_number(table_.rows[row][column]); number && !(*number > 0))
        refuse(row, column, text("'", table_.rows[row][column], "' is not above 0, as a logarithmic scale wants it"));
    return made.log();
  }

  void check_scales(const std::vector<Parameter>& parameters) const {
    for (const auto& [names, kind] :
         {std::pair(&choice_.logarithmic, "logarithmic"), std::pair(&choice_.categorical, "categorical")})
      for (const std::string& each : *names) {
        const auto found = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& parameter) { return parameter.name() == each; });
        if (found == parameters.end())
          throw InvalidOptions(text("'", each, "' is to be ", kind, ", but is no parameter here"));
        if (names == &choice_.logarithmic && !found->labels().empty())
          throw InvalidOptions(text("'", each, "' is to be logarithmic, but its values are names"));
      }
  }

  const std::string& file_;
  const CsvTable& table_;
  const ColumnChoice& choice_;
  std::vector<std::string> notes_{};
};

}  // namespace

GuessedSpace guess_space(const std::string& file, const CsvTable& table, const ColumnChoice& choice) {
  return Guess(file, table, choice).make();
}

}  // namespace carbo::replay
