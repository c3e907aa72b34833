#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/space.hpp>

namespace carbo::internal {

/// A sum of products of quantities, each of which is evaluated once a point.
struct SumOfProducts {
  enum class Range {
    size,     ///< 0 or above
    share,    ///< from 0 to 1
    divisor,  ///< above 0
  };
  struct Part {
    std::string name;  ///< in messages, such as `layers[1]`
    Quantity value;
    Range range = Range::size;
  };
  struct Factor {
    std::size_t part = 0;
    int power = 1;  ///< −1 (of a divisor only), 1 or 2
  };
  using Term = std::vector<Factor>;

  /// What a value of a part should be where it is not; empty where it is.
  static std::string fault(Range range, double value);

  std::shared_ptr<const std::vector<Part>> parts;  ///< features of one network share them; not all occur in each
  std::vector<Term> terms;
};

/// A configuration, and its row where it comes from the caller's pool.
struct QuantityPoint {
  std::span<const double> numbers;
  std::optional<std::size_t> pool_row{};
};

/// A quantity bound to a space: text is parsed once. One call at a time.
class BoundQuantity {
 public:
  /// `field` names it in messages, such as `cost.features[2]`. `pool_rows`: size of the pool, absent where there is
  /// none. Throws InvalidOptions: an expression's error says at which column, a column of the pool that is too short
  /// or long says which length is right.
  BoundQuantity(const Space& space, const Quantity& quantity, const std::string& field,
                std::optional<std::size_t> pool_rows);
  BoundQuantity(BoundQuantity&&) noexcept = default;
  BoundQuantity& operator=(BoundQuantity&&) noexcept = default;
  BoundQuantity(const BoundQuantity&) = delete;
  BoundQuantity& operator=(const BoundQuantity&) = delete;
  ~BoundQuantity() = default;

  /// Throws InvalidOptions naming field, configuration and value where it is not finite; InvalidConfiguration where
  /// the point has no row and the quantity is a column of the pool.
  double at(const QuantityPoint& point) const;
  /// Throws InvalidOptions: field, value and configuration, and that it is expected to be `right`.
  [[noreturn]] void refuse(double value, const QuantityPoint& point, const std::string& right) const;

 private:
  std::string label_;  ///< the field, and the text where it is an expression
  Space space_;
  std::function<double(const QuantityPoint&)> evaluate_;
};

/// The features of a linear cost model, bound to a space.
class FeatureSet {
 public:
  /// Throws as BoundQuantity does.
  FeatureSet(const Space& space, const std::vector<CostFeature>& features, std::optional<std::size_t> pool_rows);

  std::size_t size() const { return quantities_.size(); }
  /// 1 where a feature is work.
  std::span<const std::uint8_t> work() const { return work_; }
  /// Values of all features at a point into `out` (size()). Throws as BoundQuantity::at does, and InvalidOptions
  /// where work is below 0.
  void evaluate(const QuantityPoint& point, std::span<double> out) const;

 private:
  std::vector<BoundQuantity> quantities_;
  std::vector<std::uint8_t> work_;
};

}  // namespace carbo::internal
