#include "bench/cost/dataset.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace carbo::cost_bench {

namespace {

template <class Number>
Number parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("'" + std::string(text) + "' is not a number");
  return number;
}

/// The next word, taken off the front of the line; empty where there is none.
std::string_view take_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

void append_row(Dataset& set, std::string_view line) {
  const float label = parsed<float>(take_word(line)) > 0 ? 1.0F : 0.0F;
  std::vector<float> row(set.features, 0.0F);
  std::size_t last = 0;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) throw std::runtime_error("'" + std::string(word) + "' is not index:value");
    const auto index = parsed<std::size_t>(word.substr(0, colon));
    if (index <= last || index > set.features)
      throw std::runtime_error("index " + std::to_string(index) + " is not above " + std::to_string(last) +
                               " and at most " + std::to_string(set.features));
    row[index - 1] = parsed<float>(word.substr(colon + 1));
    last = index;
  }
  set.labels.push_back(label);
  set.values.insert(set.values.end(), row.begin(), row.end());
}

}  // namespace

Dataset read_libsvm(const std::filesystem::path& file, std::size_t features) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Dataset set{.features = features};
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::string_view rest = line;
    if (take_word(rest).empty()) continue;
    try {
      append_row(set, line);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(file.string() + ", line " + std::to_string(number) + ": " + error.what());
    }
  }
  if (set.rows() == 0) throw std::runtime_error(file.string() + " has no rows");
  return set;
}

Dataset spread_rows(const Dataset& set, std::size_t count) {
  const std::size_t kept = std::min(count, set.rows());
  Dataset result{.features = set.features};
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t row = i * set.rows() / kept;
    const auto values = set.values.begin() + static_cast<std::ptrdiff_t>(row * set.features);
    result.values.insert(result.values.end(), values, values + static_cast<std::ptrdiff_t>(set.features));
    result.labels.push_back(set.labels[row]);
  }
  return result;
}

void scale_features(Dataset& train, Dataset& validation) {
  if (train.features != validation.features) throw std::invalid_argument("two sets with different features");
  for (std::size_t feature = 0; feature < train.features; ++feature) {
    float low = train.values[feature], high = low;
    for (std::size_t row = 0; row < train.rows(); ++row) {
      low = std::min(low, train.values[row * train.features + feature]);
      high = std::max(high, train.values[row * train.features + feature]);
    }
    for (Dataset* set : {&train, &validation})
      for (std::size_t row = 0; row < set->rows(); ++row) {
        float& value = set->values[row * set->features + feature];
        value = high > low ? (value - low) / (high - low) : 0.0F;
      }
  }
}

}  // namespace carbo::cost_bench
