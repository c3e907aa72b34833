#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <carbo/cost.hpp>

#include "space/describe.hpp"

namespace carbo {
namespace {

std::string default_name(const Quantity& quantity) {
  struct Name {
    std::string operator()(double constant) const { return internal::number_text(constant); }
    std::string operator()(const Quantity::Expression& expression) const { return expression.text; }
    std::string operator()(const Quantity::Function&) const { return "function"; }
    std::string operator()(const Quantity::Column&) const { return "pool column"; }
    std::string operator()(const Quantity::Sum&) const { return "sum"; }
  };
  return std::visit(Name{}, quantity.source());
}

}  // namespace

Quantity::Quantity(Function function) : source_(std::move(function)) {}
Quantity::Quantity(const Quantity&) = default;
Quantity::Quantity(Quantity&&) noexcept = default;
Quantity& Quantity::operator=(const Quantity&) = default;
Quantity& Quantity::operator=(Quantity&&) noexcept = default;
Quantity::~Quantity() = default;

Quantity Quantity::pool_column(std::vector<double> values) {
  return Quantity(Source(std::make_shared<const std::vector<double>>(std::move(values))));
}

Quantity Quantity::sum(Sum terms) { return Quantity(Source(std::move(terms))); }

CostFeature work(Quantity value) {
  std::string name = default_name(value);
  return work(std::move(name), std::move(value));
}

CostFeature work(std::string name, Quantity value) { return {std::move(name), std::move(value), true}; }

CostFeature feature(Quantity value) {
  std::string name = default_name(value);
  return feature(std::move(name), std::move(value));
}

CostFeature feature(std::string name, Quantity value) { return {std::move(name), std::move(value), false}; }

}  // namespace carbo
