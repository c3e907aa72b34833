#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/error.hpp>

#include "cost/features.hpp"
#include "space/describe.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::SumOfProducts;
using internal::text;
using Range = SumOfProducts::Range;
using Term = SumOfProducts::Term;
using Terms = std::vector<Term>;

Term operator*(const Term& a, const Term& b) {
  Term product = a;
  product.insert(product.end(), b.begin(), b.end());
  return product;
}

Terms operator*(const Term& factor, const Terms& terms) {
  Terms products;
  for (const Term& term : terms) products.push_back(factor * term);
  return products;
}

Term squared(Term term) {
  for (SumOfProducts::Factor& factor : term) factor.power = 2;
  return term;
}

/// Each times the next: the weights between layers of these sizes.
Terms neighbours(const Terms& sizes) {
  Terms products;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) products.push_back(sizes[i] * sizes[i + 1]);
  return products;
}

/// Gathers what a network is made of, then the features, which share it.
class NetworkFeatures {
 public:
  /// `shape` names the struct in messages.
  explicit NetworkFeatures(std::string shape) : shape_(std::move(shape)) {}

  /// The part to the first power. Throws InvalidOptions where it is a constant out of its range.
  Term part(const std::string& name, const Quantity& value, Range range = Range::size) {
    if (const auto* const constant = std::get_if<double>(&value.source())) {
      const std::string fault = SumOfProducts::fault(range, *constant);
      require(fault.empty() && std::isfinite(*constant), text(name, " is ", internal::number_text(*constant),
                                                              "; give ", fault.empty() ? "a finite number" : fault));
    }
    parts_->push_back({name, value, range});
    return {{parts_->size() - 1, 1}};
  }

  Terms parts(const std::string& name, const std::vector<Quantity>& values, Range range = Range::size) {
    Terms terms;
    for (std::size_t i = 0; i < values.size(); ++i) terms.push_back(part(text(name, "[", i, "]"), values[i], range));
    return terms;
  }

  /// Epochs and, where it varies, batch size: what every feature is multiplied by.
  void schedule(const Quantity& epochs, const std::optional<Quantity>& batch_size) {
    epochs_ = part("epochs", epochs);
    if (!batch_size) return;
    Term divisor = part("batch_size", *batch_size, Range::divisor);
    divisor.front().power = -1;
    steps_ = epochs_ * divisor;
  }

  /// Work an example; its terms are multiplied by the epochs.
  void per_example(const std::string& name, const Terms& terms) { add(name, epochs_ * terms); }

  void per_step(const Terms& weights) {
    if (!steps_) return;
    add("steps", {*steps_});
    add("weight updates", *steps_ * weights);
  }

  void require(bool valid, const std::string& message) const {
    if (!valid) throw InvalidOptions(text(shape_, ".", message));
  }

  std::vector<CostFeature> take() { return std::move(features_); }

 private:
  void add(const std::string& name, Terms terms) {
    if (terms.empty()) return;
    const auto sum = std::make_shared<const SumOfProducts>(SumOfProducts{parts_, std::move(terms)});
    features_.push_back(work(name, Quantity::sum(sum)));
  }

  std::string shape_;
  std::shared_ptr<std::vector<SumOfProducts::Part>> parts_ = std::make_shared<std::vector<SumOfProducts::Part>>();
  Term epochs_;
  std::optional<Term> steps_;
  std::vector<CostFeature> features_;
};

}  // namespace

std::vector<CostFeature> mlp_features(const MlpShape& shape) {
  NetworkFeatures network("MlpShape");
  network.require(!shape.layers.empty(), "layers is empty; give the size of every layer, the input's first");
  const Terms layers = network.parts("layers", shape.layers);
  network.schedule(shape.epochs, shape.batch_size);
  const Terms weights = neighbours(layers);
  network.per_example("matrix products", weights);
  network.per_example("activations", layers);
  network.per_step(weights);
  return network.take();
}

std::vector<CostFeature> cnn_features(const CnnShape& shape) {
  NetworkFeatures network("CnnShape");
  network.require(!shape.channels.empty(),
                  "channels is empty; give the channels of every convolution, or an MlpShape");
  network.require(shape.pooling.empty() || shape.pooling.size() == shape.channels.size(),
                  text("pooling has ", shape.pooling.size(), " shares for ", shape.channels.size(),
                       " convolutions; give one each or none"));
  const Term pixels = squared(network.part("image_size", shape.image_size));
  const Term colours = network.part("colours", shape.colours);
  const Term kernel = squared(network.part("kernel_size", shape.kernel_size));
  const Terms channels = network.parts("channels", shape.channels);
  const Terms pooling = network.parts("pooling", shape.pooling, Range::share);
  const Terms dense = network.parts("dense", shape.dense);
  network.schedule(shape.epochs, shape.batch_size);

  Terms inputs{colours};
  inputs.insert(inputs.end(), channels.begin(), channels.end());
  const Terms kernels = kernel * neighbours(inputs);
  Terms pooled;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    pooled.push_back(pixels * (pooling.empty() ? channels[i] : pooling[i] * channels[i]));
  }
  Terms layers;
  if (!dense.empty()) layers = {pooled.back()};
  layers.insert(layers.end(), dense.begin(), dense.end());
  Terms weights = neighbours(layers);

  network.per_example("convolutions", pixels * kernels);
  network.per_example("pooling", pooled);
  network.per_example("matrix products", weights);
  network.per_example("activations", layers);
  weights.insert(weights.begin(), kernels.begin(), kernels.end());
  network.per_step(weights);
  return network.take();
}

}  // namespace carbo
