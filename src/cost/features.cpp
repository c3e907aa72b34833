#include "cost/features.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include <carbo/error.hpp>

#include "cost/expression.hpp"
#include "space/describe.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Evaluate = std::function<double(const QuantityPoint&)>;

/// What a quantity is bound to.
struct Surroundings {
  const Space& space;
  const std::string& field;
  std::optional<std::size_t> pool_rows;
};

Evaluate bind(const Surroundings& around, double constant) {
  if (!std::isfinite(constant)) {
    throw InvalidOptions(text(around.field, " is ", number_text(constant), "; give a finite number"));
  }
  return [constant](const QuantityPoint&) { return constant; };
}

Evaluate bind(const Surroundings& around, const Quantity::Expression& source) {
  // Shared because std::function wants to be copyable; a BoundQuantity, its only owner, is not.
  const auto expression = std::make_shared<const Expression>(around.space.parameters(), source.text, around.field);
  return [expression](const QuantityPoint& point) { return expression->at(point.numbers); };
}

Evaluate bind(const Surroundings& around, const Quantity::Function& function) {
  if (!function) throw InvalidOptions(text(around.field, " is an empty function; give one that can be called"));
  return [space = around.space, function](const QuantityPoint& point) {
    return function(space.configuration(point.numbers));
  };
}

Evaluate bind(const Surroundings& around, const Quantity::Column& column) {
  const std::string& field = around.field;
  if (!around.pool_rows) {
    throw InvalidOptions(text(field, " is a column of the pool, but candidates.pool holds none; give the pool"));
  }
  if (column->size() != *around.pool_rows) {
    throw InvalidOptions(text(field, " is a column of ", column->size(), " values, but the pool has ",
                              *around.pool_rows, " rows; give one value a row"));
  }
  for (std::size_t row = 0; row < column->size(); ++row) {
    const double value = (*column)[row];
    if (std::isfinite(value)) continue;
    throw InvalidOptions(
        text(field, " is ", number_text(value), " at row ", row, " of the pool; give a finite number"));
  }
  return [column, field, space = around.space](const QuantityPoint& point) {
    if (point.pool_row && *point.pool_row < column->size()) return (*column)[*point.pool_row];
    throw InvalidConfiguration(text(field, " is a column of the pool, of which ",
                                    space.configuration(point.numbers).to_string(),
                                    " is no row; use a function where other configurations occur"));
  };
}

class BoundSum {
 public:
  BoundSum(const Surroundings& around, const SumOfProducts& sum) : terms_(sum.terms) {
    std::vector<std::optional<std::size_t>> kept(sum.parts->size());
    for (SumOfProducts::Term& term : terms_) {
      for (SumOfProducts::Factor& factor : term) {
        std::optional<std::size_t>& position = kept[factor.part];
        if (!position) {
          position = parts_.size();
          const SumOfProducts::Part& part = (*sum.parts)[factor.part];
          parts_.push_back(
              {BoundQuantity(around.space, part.value, text(around.field, ", ", part.name), around.pool_rows),
               part.range});
        }
        factor.part = *position;
      }
    }
    values_.resize(parts_.size());
  }

  double at(const QuantityPoint& point) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto& [quantity, range] = parts_[i];
      values_[i] = quantity.at(point);
      const std::string fault = SumOfProducts::fault(range, values_[i]);
      if (!fault.empty()) quantity.refuse(values_[i], point, fault);
    }
    double sum = 0;
    for (const SumOfProducts::Term& term : terms_) {
      double product = 1;
      for (const SumOfProducts::Factor& factor : term) product *= power(values_[factor.part], factor.power);
      sum += product;
    }
    return sum;
  }

 private:
  struct Part {
    BoundQuantity quantity;
    SumOfProducts::Range range;
  };

  static double power(double value, int exponent) {
    if (exponent < 0) return 1 / value;
    return exponent == 2 ? value * value : value;
  }

  std::vector<Part> parts_;                 ///< those that occur
  std::vector<SumOfProducts::Term> terms_;  ///< over them
  std::vector<double> values_;              ///< of the parts at the point in hand
};

Evaluate bind(const Surroundings& around, const Quantity::Sum& sum) {
  const auto bound = std::make_shared<BoundSum>(around, *sum);
  return [bound](const QuantityPoint& point) { return bound->at(point); };
}

}  // namespace

std::string SumOfProducts::fault(Range range, double value) {
  switch (range) {
    case Range::size:
      return value >= 0 ? "" : "0 or above";
    case Range::share:
      return value >= 0 && value <= 1 ? "" : "a share from 0 to 1";
    case Range::divisor:
      return value > 0 ? "" : "above 0";
  }
  return {};
}

BoundQuantity::BoundQuantity(const Space& space, const Quantity& quantity, const std::string& field,
                             std::optional<std::size_t> pool_rows)
    : label_(field), space_(space) {
  if (const auto* const expression = std::get_if<Quantity::Expression>(&quantity.source())) {
    label_ += ", " + expression_label(expression->text) + ",";
  }
  const Surroundings around{space, field, pool_rows};
  evaluate_ = std::visit([&](const auto& source) { return bind(around, source); }, quantity.source());
}

double BoundQuantity::at(const QuantityPoint& point) const {
  const double value = evaluate_(point);
  if (!std::isfinite(value)) refuse(value, point, "finite everywhere");
  return value;
}

void BoundQuantity::refuse(double value, const QuantityPoint& point, const std::string& right) const {
  throw InvalidOptions(text(label_, " is ", number_text(value), " for ",
                            space_.configuration(point.numbers).to_string(), "; expected ", right));
}

FeatureSet::FeatureSet(const Space& space, const std::vector<CostFeature>& features,
                       std::optional<std::size_t> pool_rows) {
  quantities_.reserve(features.size());
  work_.reserve(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    const CostFeature& feature = features[i];
    const auto* const expression = std::get_if<Quantity::Expression>(&feature.value.source());
    const bool own_name = !feature.name.empty() && !(expression && expression->text == feature.name);
    std::string field = text("cost.features[", i, "]");
    if (own_name) field += " '" + feature.name + "'";
    quantities_.emplace_back(space, feature.value, field, pool_rows);
    work_.push_back(feature.work ? 1 : 0);
  }
}

void FeatureSet::evaluate(const QuantityPoint& point, std::span<double> out) const {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    out[i] = quantities_[i].at(point);
    if (work_[i] && out[i] < 0) quantities_[i].refuse(out[i], point, "0 or above, as it is work");
  }
}

}  // namespace carbo::internal
