#include <algorithm>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "space/checks.hpp"
#include "space/describe.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;

/// The number that stands for a caller's value; throws where its type does not fit the parameter.
double number_of(const Parameter& parameter, const Value& value) {
  const bool labelled = !parameter.labels().empty();
  if (const std::string* const label = std::get_if<std::string>(&value)) {
    if (!labelled) {
      throw InvalidConfiguration(text("parameter '", parameter.name(), "': text '", *label,
                                      "' is not a number; give ", internal::domain_text(parameter)));
    }
    const std::size_t position = internal::label_position(parameter, *label);
    if (position == parameter.labels().size()) {
      throw InvalidConfiguration(text("parameter '", parameter.name(), "': there is no '", *label, "'; give ",
                                      internal::domain_text(parameter)));
    }
    return static_cast<double>(position);
  }
  if (labelled) {
    throw InvalidConfiguration(text("parameter '", parameter.name(), "' takes a name, not a number; give ",
                                    internal::domain_text(parameter)));
  }
  if (const std::int64_t* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

}  // namespace

Space::Space(std::initializer_list<Parameter> parameters) : Space(std::vector<Parameter>(parameters)) {}

Space::Space(std::vector<Parameter> parameters)
    : parameters_(std::make_shared<const std::vector<Parameter>>(std::move(parameters))) {
  validate();
  for (std::size_t i = 0; i < parameters_->size(); ++i) {
    const Parameter& parameter = (*parameters_)[i];
    const std::size_t columns = parameter.kind() == ParameterKind::categorical ? parameter.labels().size() : 1;
    column_parameter_.insert(column_parameter_.end(), columns, static_cast<int>(i));
  }
}

void Space::validate() const { internal::check_parameters(*parameters_); }

Space& Space::constrain(Predicate allowed, std::string description) {
  if (!allowed) {
    throw InvalidSpace(text("the predicate of constraint '", description, "' is empty; give a callable function"));
  }
  constraint_names_.reserve(constraint_names_.size() + 1);
  constraints_.push_back(std::move(allowed));
  constraint_names_.push_back(description.empty() ? "constraint" : std::move(description));
  return *this;
}

std::uint64_t Space::cardinality() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  std::uint64_t product = 1;
  for (const Parameter& parameter : *parameters_) {
    const std::uint64_t factor = parameter.cardinality();
    if (factor == 0 || product > most / factor) return 0;
    product *= factor;
  }
  return product;
}

bool Space::finite() const {
  return std::all_of(parameters_->begin(), parameters_->end(),
                     [](const Parameter& parameter) { return parameter.kind() != ParameterKind::real; });
}

bool Space::allows(const Configuration& configuration) const {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Predicate& allowed) { return allowed(configuration); });
}

std::string Space::violated(const Configuration& configuration) const {
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (!constraints_[i](configuration)) return constraint_names_[i];
  }
  return {};
}

Configuration Space::configuration(const std::map<std::string, Value>& values) const {
  std::vector<double> numbers;
  numbers.reserve(parameters_->size());
  for (const Parameter& parameter : *parameters_) {
    const auto given = values.find(parameter.name());
    if (given == values.end()) {
      throw InvalidConfiguration(
          text("parameter '", parameter.name(), "' has no value; give ", internal::domain_text(parameter)));
    }
    numbers.push_back(number_of(parameter, given->second));
  }
  for (const auto& [name, value] : values) {
    const bool known = std::ranges::find(*parameters_, name, &Parameter::name) != parameters_->end();
    if (!known) throw InvalidConfiguration(text("the space has no parameter '", name, "'; leave its value out"));
  }
  return configuration(std::span<const double>(numbers));
}

Configuration Space::configuration(std::span<const double> numbers) const {
  if (numbers.size() != parameters_->size()) {
    throw InvalidConfiguration(text("a configuration of ", numbers.size(), " numbers was given; the space has ",
                                    parameters_->size(), " parameters, give one number each"));
  }
  std::vector<double> canonical(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Parameter& parameter = (*parameters_)[i];
    const std::string fault = internal::number_fault(parameter, numbers[i]);
    if (!fault.empty()) throw InvalidConfiguration(text("parameter '", parameter.name(), "': ", fault));
    canonical[i] = numbers[i] + 0.0;  // −0 becomes +0: equal configurations have equal bits
  }
  return Configuration(parameters_, std::move(canonical));
}

}  // namespace carbo
