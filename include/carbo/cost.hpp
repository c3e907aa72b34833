#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <carbo/space.hpp>

namespace carbo {

namespace internal {
struct SumOfProducts;
}

/// A number that every configuration has. Converts from what the caller has at hand: a constant, arithmetic over
/// parameters as text ("units1 * units2 * epochs"), a function, or a column of the pool.
class Quantity {
 public:
  using Function = std::function<double(const Configuration&)>;
  using Column = std::shared_ptr<const std::vector<double>>;
  struct Expression {
    std::string text;
  };
  /// Of other quantities, as in the ready-made features below.
  using Sum = std::shared_ptr<const internal::SumOfProducts>;
  using Source = std::variant<double, Expression, Function, Column, Sum>;

  template <class Number>
  requires std::is_arithmetic_v<Number> Quantity(Number constant) : source_(static_cast<double>(constant)) {}
  /// Numbers, names of real, integer and discrete parameters, + - * / ^, brackets, and abs, ceil, exp, floor, log
  /// (natural), max, min, sqrt. ^ binds tighter than a sign and from the right: -a^b^c is -(a^(b^c)). At most 4,096
  /// characters. Checked when an optimizer is made.
  Quantity(std::string expression) : source_(Expression{std::move(expression)}) {}
  Quantity(const char* expression) : Quantity(std::string(expression)) {}
  /// Called once for every candidate and feature that it is a part of, and for every observation whenever the models
  /// learn; by one thread at a time. A streamed set of candidates is made anew for every pick.
  Quantity(Function function);
  template <std::invocable<const Configuration&> Callable>
  Quantity(Callable function) : Quantity(Function(std::move(function))) {}
  Quantity(const Quantity&);
  Quantity(Quantity&&) noexcept;
  Quantity& operator=(const Quantity&);
  Quantity& operator=(Quantity&&) noexcept;
  ~Quantity();
  /// One value a row of `CandidateOptions::pool`, in its order. Costs told for configurations outside the pool are
  /// not learned from then.
  static Quantity pool_column(std::vector<double> values);
  /// For the ready-made features.
  static Quantity sum(Sum terms);

  const Source& source() const { return source_; }

 private:
  explicit Quantity(Source source) : source_(std::move(source)) {}

  Source source_;
};

/// One term of a linear cost model.
struct CostFeature {
  std::string name;  ///< in messages; may be empty
  Quantity value;    ///< finite everywhere
  /// More of it never costs less: its coefficient is kept at 0 or above, and its values must be 0 or above.
  bool work = false;
};

/// A feature that counts work, such as floating-point operations. Without a name, the text of an expression is it.
CostFeature work(Quantity value);
CostFeature work(std::string name, Quantity value);
/// A feature whose coefficient may have either sign.
CostFeature feature(Quantity value);
CostFeature feature(std::string name, Quantity value);

/// A multi-layer perceptron by the sizes of its layers, input and output included where they are known. Sizes are 0
/// or above, the batch size above 0.
struct MlpShape {
  std::vector<Quantity> layers;  ///< n_i, at least one
  Quantity epochs = 1;
  std::optional<Quantity> batch_size{};  ///< where it varies
};

/// A convolutional network on square images, with dense layers after the last convolution.
struct CnnShape {
  Quantity image_size;              ///< I, of I × I pixels
  Quantity colours = 1;             ///< c
  Quantity kernel_size;             ///< r, of r × r weights
  std::vector<Quantity> channels;   ///< m_i, one a convolution, at least one
  std::vector<Quantity> pooling{};  ///< p_i, share of the pixels that is left, one a convolution; empty: all 1
  std::vector<Quantity> dense{};    ///< n_i after the I²·p_k·m_k inputs
  Quantity epochs = 1;
  std::optional<Quantity> batch_size{};  ///< where it varies
};

/// The flop counts of Lee et al. (2020), times epochs: matrix products Σ n_i·n_{i+1} and activations Σ n_i. Where the
/// batch size varies, also steps (1 / batch size) and weight updates (all weights in each step). All are work; one
/// that has no terms (products of a single layer) is left out. Throws InvalidOptions where the shape is not one.
std::vector<CostFeature> mlp_features(const MlpShape& shape);
/// Times epochs: convolutions I²r²(c·m_1 + Σ m_i·m_{i+1}), pooling Σ I²·p_i·m_i, and the features of the dense part,
/// if any, whose first layer is I²·p_k·m_k. Steps and weight updates as above, kernels included.
std::vector<CostFeature> cnn_features(const CnnShape& shape);

enum class CostModelKind {
  /// The one of the three below that predicts left-out costs best, compared at every fit. `linear` until there is
  /// evidence where features are given, `log_gp` where not.
  automatic,
  log_gp,  ///< exponential of a GP on the logarithm of the cost
  linear,  ///< a sum of features, fitted with the Huber loss; its spread includes what they do not explain
  /// The linear model times the exponential of a GP on what it leaves; log_gp instead where that predicts left-out
  /// costs
  /// better. Its spread is the GP's: the linear model's coefficients count as known.
  linear_mean_gp,
  known,  ///< the caller's, not learned
};

/// What the linear model's fit weighs.
enum class CostError {
  relative,  ///< logarithm of observed over predicted: dear points do not rule the cheap
  absolute,  ///< observed minus predicted
};

/// How a predicted cost with spread enters the score.
enum class CostWeight { median, mean, moment };

}  // namespace carbo
