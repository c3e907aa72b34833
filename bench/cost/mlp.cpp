#include "bench/cost/mlp.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "formulas/philox.hpp"

namespace carbo::cost_bench {

namespace {

double uniform(std::uint64_t seed, std::uint64_t index, std::uint64_t lane) {
  const auto block = kernels::philox(seed, index, lane);
  return kernels::unit_double(block.word[0], block.word[1]);
}

double normal(std::uint64_t seed, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(seed, index, 0)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(seed, index, 1));
}

/// Fisher and Yates; lanes 0 and 1 are the weights'.
void shuffle(std::vector<std::size_t>& order, std::uint64_t seed, std::size_t epoch) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(uniform(seed, i, 2 + epoch) * static_cast<double>(i))]);
}

}  // namespace

template <class Scalar>
Mlp<Scalar>::Mlp(std::vector<std::size_t> layers, std::uint64_t seed) {
  layers.push_back(1);
  Eigen::Index offset = 0;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    if (layers[i] == 0) throw std::invalid_argument("a layer without units");
    layers_.push_back({static_cast<Eigen::Index>(layers[i]), static_cast<Eigen::Index>(layers[i + 1]), offset});
    offset += layers_.back().outputs * (layers_.back().inputs + 1);
  }
  parameters_ = gradient_ = Vector::Zero(offset);
  activations_.resize(layers_.size());
  errors_.resize(layers_.size());
  for (const Layer& layer : layers_) {
    const double scale = std::sqrt(2.0 / static_cast<double>(layer.inputs));
    for (Eigen::Index i = 0; i < layer.inputs * layer.outputs; ++i)
      parameters_[layer.offset + i] =
          static_cast<Scalar>(scale * normal(seed, static_cast<std::uint64_t>(layer.offset + i)));
  }
}

template <class Scalar>
void Mlp<Scalar>::forward(const Matrix& inputs) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Matrix& previous = l == 0 ? inputs : activations_[l - 1];
    activations_[l].noalias() = weights(parameters_, layers_[l]) * previous;
    activations_[l].colwise() += biases(parameters_, layers_[l]);
    if (l + 1 < layers_.size()) activations_[l] = activations_[l].cwiseMax(Scalar(0));
  }
}

/// From the errors of the last layer, which are filled.
template <class Scalar>
void Mlp<Scalar>::backward(const Matrix& inputs, Scalar weight_decay) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Matrix& previous = l == 0 ? inputs : activations_[l - 1];
    auto slope = weights(gradient_, layers_[l]);
    slope.noalias() = errors_[l] * previous.transpose();
    slope += weight_decay * weights(parameters_, layers_[l]);
    biases(gradient_, layers_[l]) = errors_[l].rowwise().sum();
    if (l == 0) return;
    errors_[l - 1].noalias() = weights(parameters_, layers_[l]).transpose() * errors_[l];
    errors_[l - 1] = (previous.array() > Scalar(0)).select(errors_[l - 1], Scalar(0));
  }
}

template <class Scalar>
Scalar Mlp<Scalar>::loss_and_gradient(const Matrix& inputs, const Vector& labels, Scalar weight_decay) {
  forward(inputs);
  const Eigen::Index rows = inputs.cols();
  errors_.back().resize(1, rows);
  Scalar loss = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Scalar logit = activations_.back()(0, i);
    loss += std::max(logit, Scalar(0)) - logit * labels[i] + std::log1p(std::exp(-std::abs(logit)));
    errors_.back()(0, i) = (Scalar(1) / (Scalar(1) + std::exp(-logit)) - labels[i]) / static_cast<Scalar>(rows);
  }
  loss /= static_cast<Scalar>(rows);
  for (const Layer& layer : layers_) loss += weight_decay / 2 * weights(parameters_, layer).squaredNorm();
  backward(inputs, weight_decay);
  return loss;
}

template <class Scalar>
typename Mlp<Scalar>::Vector Mlp<Scalar>::logits(const Matrix& inputs) {
  forward(inputs);
  return activations_.back().row(0).transpose();
}

template class Mlp<float>;
template class Mlp<double>;

namespace {

using Net = Mlp<float>;

/// Kingma and Ba's steps with their own constants.
class Adam {
 public:
  Adam(Eigen::Index size, double rate) : rate_(rate), mean_(Eigen::ArrayXf::Zero(size)), square_(mean_) {}

  void step(Net::Vector& parameters, const Net::Vector& gradient) {
    constexpr double keep_mean = 0.9, keep_square = 0.999, least = 1e-8;
    ++steps_;
    const auto g = gradient.array();
    mean_ = static_cast<float>(keep_mean) * mean_ + static_cast<float>(1 - keep_mean) * g;
    square_ = static_cast<float>(keep_square) * square_ + static_cast<float>(1 - keep_square) * g.square();
    const double unbias = std::sqrt(1 - std::pow(keep_square, steps_));
    const auto rate = static_cast<float>(rate_ * unbias / (1 - std::pow(keep_mean, steps_)));
    parameters.array() -= rate * mean_ / (square_.sqrt() + static_cast<float>(least * unbias));
  }

 private:
  double rate_;
  int steps_ = 0;
  Eigen::ArrayXf mean_, square_;
};

Net::Matrix columns_of(const Dataset& set) {
  return Eigen::Map<const Net::Matrix>(set.values.data(), static_cast<Eigen::Index>(set.features),
                                       static_cast<Eigen::Index>(set.rows()));
}

void run_epochs(Net& net, const Dataset& training, const Training& settings) {
  const Net::Matrix all = columns_of(training);
  Adam adam(net.parameters().size(), settings.learning_rate);
  std::vector<std::size_t> order(training.rows());
  std::iota(order.begin(), order.end(), 0);
  Net::Matrix inputs;
  Net::Vector labels;
  for (std::size_t epoch = 0; epoch < settings.epochs; ++epoch) {
    shuffle(order, settings.seed, epoch);
    for (std::size_t start = 0; start < order.size(); start += settings.batch) {
      const std::size_t rows = std::min(settings.batch, order.size() - start);
      inputs.resize(all.rows(), static_cast<Eigen::Index>(rows));
      labels.resize(static_cast<Eigen::Index>(rows));
      for (std::size_t i = 0; i < rows; ++i) {
        inputs.col(static_cast<Eigen::Index>(i)) = all.col(static_cast<Eigen::Index>(order[start + i]));
        labels[static_cast<Eigen::Index>(i)] = training.labels[order[start + i]];
      }
      net.loss_and_gradient(inputs, labels, static_cast<float>(settings.weight_decay));
      adam.step(net.parameters(), net.gradient());
    }
  }
}

}  // namespace

Trained train(const Dataset& training, const Dataset& validation, const Training& settings) {
  if (settings.batch == 0) throw std::invalid_argument("a batch without rows");
  if (training.features != validation.features) throw std::invalid_argument("two sets with different features");
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::size_t> layers = {training.features};
  layers.insert(layers.end(), settings.units.begin(), settings.units.end());
  Net net(layers, settings.seed);
  run_epochs(net, training, settings);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;

  const Net::Vector logits = net.logits(columns_of(validation));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < validation.rows(); ++i)
    wrong += (logits[static_cast<Eigen::Index>(i)] > 0) != (validation.labels[i] > 0);
  return {.error = static_cast<double>(wrong) / static_cast<double>(validation.rows()), .seconds = elapsed.count()};
}

}  // namespace carbo::cost_bench
