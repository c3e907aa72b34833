#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/cost/dataset.hpp"

namespace carbo::cost_bench {

/// A multi-layer perceptron with ReLU units and one logistic output. Instances for float, which is measured, and for
/// double, whose gradient can be checked by differences.
template <class Scalar>
class Mlp {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< one column a row of data

  /// `layers`: sizes from the input to the last hidden layer, at least one each. Weights are drawn from N(0, 2 /
  /// inputs of the layer), biases are 0.
  Mlp(std::vector<std::size_t> layers, std::uint64_t seed);

  /// Mean logistic loss of the rows plus half of `weight_decay` times the squared weights, biases apart.
  /// Fills `gradient()`.
  Scalar loss_and_gradient(const Matrix& inputs, const Vector& labels, Scalar weight_decay);
  /// Positive for the positive class.
  Vector logits(const Matrix& inputs);

  /// Layer by layer: weights (outputs × inputs, column-major), then biases.
  Vector& parameters() { return parameters_; }
  const Vector& gradient() const { return gradient_; }

 private:
  struct Layer {
    Eigen::Index inputs, outputs, offset;  ///< offset of its weights in the parameters
  };
  auto weights(Vector& all, const Layer& layer) const {
    return Eigen::Map<Matrix>(all.data() + layer.offset, layer.outputs, layer.inputs);
  }
  auto biases(Vector& all, const Layer& layer) const {
    return Eigen::Map<Vector>(all.data() + layer.offset + layer.outputs * layer.inputs, layer.outputs);
  }
  void forward(const Matrix& inputs);
  void backward(const Matrix& inputs, Scalar weight_decay);

  std::vector<Layer> layers_;
  Vector parameters_, gradient_;
  std::vector<Matrix> activations_;  ///< of each layer, outputs × rows; the last holds logits
  std::vector<Matrix> errors_;       ///< derivative of the loss by what goes into each layer's ReLU
};

extern template class Mlp<float>;
extern template class Mlp<double>;

struct Training {
  std::vector<std::size_t> units{};  ///< of the hidden layers
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  std::size_t epochs = 10;
  std::size_t batch = 100;
  std::uint64_t seed = 0;  ///< of the first weights and of the order of rows
};

struct Trained {
  double error = 0;    ///< share of the validation rows that are classified wrongly
  double seconds = 0;  ///< of training alone, on the wall clock
};

/// Minibatch training by Adam on the calling thread; rows come in another order in every epoch.
Trained train(const Dataset& training, const Dataset& validation, const Training& settings);

}  // namespace carbo::cost_bench
