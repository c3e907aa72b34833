#include "cost/features.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"

namespace carbo::internal {
namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

const Space& net_space() {
  static const Space space{integer("units1", 0, 1000), integer("units2", 0, 1000), real("epochs", 0, 100),
                           integer("batch", 0, 512), categorical("kind", {"small", "large"})};
  return space;
}

double large(const Configuration& x) { return x.category("kind") == "large" ? 64 : 16; }

double at(const Quantity& quantity, std::vector<double> numbers) {
  return BoundQuantity(net_space(), quantity, "cost.known", {}).at({numbers});
}

void expect_refused(const Quantity& quantity, const std::vector<std::string>& parts,
                    std::optional<std::size_t> pool_rows = {}) {
  expect_error<InvalidOptions>([&] { BoundQuantity(net_space(), quantity, "cost.known", pool_rows); }, parts);
}

std::vector<double> values(const std::vector<CostFeature>& features, std::vector<double> numbers) {
  const FeatureSet set(net_space(), features, {});
  std::vector<double> out(set.size(), not_a_number);
  set.evaluate({numbers}, out);
  return out;
}

std::vector<std::string> names(const std::vector<CostFeature>& features) {
  std::vector<std::string> all;
  for (const CostFeature& feature : features) all.push_back(feature.name);
  return all;
}

TEST(BoundQuantity, EveryKindOfSource) {
  const std::vector<double> numbers{3, 4, 0.5, 32, 1};
  EXPECT_EQ(at(2.5, numbers), 2.5);
  EXPECT_EQ(at(7, numbers), 7);
  EXPECT_EQ(at("units1 * units2 * epochs", numbers), 6);
  EXPECT_EQ(at(std::string("units2"), numbers), 4);
  EXPECT_EQ(at(large, numbers), 64);
  EXPECT_EQ(at([](const Configuration& x) { return x.integer("batch"); }, numbers), 32);
  const BoundQuantity column(net_space(), Quantity::pool_column({5, 6, 7}), "cost.known", 3);
  EXPECT_EQ(column.at({numbers, 1}), 6);
  EXPECT_EQ(column.at({numbers, 2}), 7);
}

TEST(BoundQuantity, SurvivesAMove) {
  std::vector<BoundQuantity> all;
  for (int i = 0; i < 20; ++i)
    all.emplace_back(net_space(), "units1 + " + std::to_string(i), "cost.known", std::nullopt);
  const std::vector<double> numbers{3, 4, 0.5, 32, 1};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].at({numbers}), 3 + i);
}

TEST(BoundQuantity, RefusesWhatCannotBeBound) {
  expect_refused("units1 * unitz", {"cost.known, expression \"units1 * unitz\", column 10: unknown name 'unitz'"});
  expect_refused("kind", {"column 1", "categorical", "use a function"});
  expect_refused(not_a_number, {"cost.known is NaN", "finite number"});
  expect_refused(-infinity, {"cost.known is -inf", "finite number"});
  expect_refused(Quantity::Function(), {"cost.known is an empty function"});
  expect_refused(Quantity::pool_column({1, 2}), {"cost.known is a column of the pool", "candidates.pool"});
  expect_refused(Quantity::pool_column({1, 2}), {"column of 2 values", "the pool has 3 rows", "one value a row"}, 3);
  expect_refused(Quantity::pool_column({}), {"column of 0 values", "the pool has 1 rows"}, 1);
  expect_refused(Quantity::pool_column({1, not_a_number, 2}), {"cost.known is NaN at row 1 of the pool", "finite"},
                 3);
}

TEST(BoundQuantity, RefusesValuesThatAreNotFinite) {
  const std::vector<double> zero{0, 4, 0.5, 32, 1};
  expect_error<InvalidOptions>([&] { at("1 / units1", zero); },
                               {"cost.known, expression \"1 / units1\", is inf for units1=0 units2=4 epochs=0.5 "
                                "batch=32 kind=large; expected finite everywhere"});
  expect_error<InvalidOptions>([&] { at([](const Configuration&) { return not_a_number; }, zero); },
                               {"cost.known is NaN for units1=0", "expected finite everywhere"});
}

TEST(BoundQuantity, ColumnsHaveNoValueOutsideThePool) {
  const std::vector<double> numbers{3, 4, 0.5, 32, 1};
  const BoundQuantity column(net_space(), Quantity::pool_column({5, 6}), "cost.known", 2);
  expect_error<InvalidConfiguration>([&] { column.at({numbers}); },
                                     {"cost.known is a column of the pool", "units1=3", "use a function"});
  expect_error<InvalidConfiguration>([&] { column.at({numbers, 2}); }, {"is no row"});
}

TEST(BoundQuantity, ErrorsOfTheCallersFunctionPassThrough) {
  expect_error<InvalidConfiguration>(
      [] {
        at([](const Configuration& x) { return x.real("typo"); }, {1, 1, 1, 1, 0});
      },
      {"there is no parameter 'typo'"});
}

TEST(FeatureSet, ValuesAndWork) {
  const std::vector<CostFeature> features{work("units1 * units2"), feature("slope", "-epochs"), work(3),
                                          feature(large)};
  EXPECT_EQ(names(features), (std::vector<std::string>{"units1 * units2", "slope", "3", "function"}));
  EXPECT_EQ(feature(Quantity::pool_column({1})).name, "pool column");
  const FeatureSet set(net_space(), features, {});
  ASSERT_EQ(set.size(), 4u);
  EXPECT_EQ(std::vector<std::uint8_t>(set.work().begin(), set.work().end()), (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(values(features, {3, 4, 0.5, 32, 0}), (std::vector<double>{12, -0.5, 3, 16}));
  EXPECT_EQ(values({}, {3, 4, 0.5, 32, 0}), std::vector<double>());
}

TEST(FeatureSet, ErrorsNameTheFeature) {
  const std::vector<double> numbers{3, 4, 0.5, 32, 0};
  expect_error<InvalidOptions>(
      [&] {
        values({work("units1"), work("units2 - 9")}, numbers);
      },
      {"cost.features[1], expression \"units2 - 9\", is -5 for units1=3 units2=4",
       "expected 0 or above, as it is work"});
  expect_error<InvalidOptions>([&] { values({work("flops", [](const Configuration&) { return -1; })}, numbers); },
                               {"cost.features[0] 'flops' is -1 for", "0 or above"});
  expect_error<InvalidOptions>([&] { values({feature("ratio", "1 / (units1 - 3)")}, numbers); },
                               {"cost.features[0] 'ratio', expression \"1 / (units1 - 3)\", is inf"});
  expect_error<InvalidOptions>([&] { values({work("flops", "units1 *")}, numbers); },
                               {"cost.features[0] 'flops', expression \"units1 *\", column 9: "});
  expect_error<InvalidOptions>(
      [&] {
        values({CostFeature{"", "units1 +"}}, numbers);
      },
      {"cost.features[0], expression \"units1 +\", column 9: "});
}

// The network with 300 and 100 hidden units of LeCun et al. (1998): 266,200 weights, biases apart.
TEST(MlpFeatures, PublishedNetwork) {
  const std::vector<CostFeature> features = mlp_features({.layers = {784, 300, 100, 10}});
  EXPECT_EQ(names(features), (std::vector<std::string>{"matrix products", "activations"}));
  EXPECT_EQ(values(features, {1, 1, 1, 1, 0}), (std::vector<double>{266200, 1194}));
  for (const CostFeature& feature : features) EXPECT_TRUE(feature.work);
  const std::vector<CostFeature> batched =
      mlp_features({.layers = {784, 300, 100, 10}, .epochs = 8, .batch_size = 4});
  EXPECT_EQ(names(batched), (std::vector<std::string>{"matrix products", "activations", "steps", "weight updates"}));
  EXPECT_EQ(values(batched, {1, 1, 1, 1, 0}), (std::vector<double>{8 * 266200, 8 * 1194, 2, 2 * 266200}));
}

TEST(MlpFeatures, MixedSourcesAgainstPlainLoops) {
  const std::vector<CostFeature> features =
      mlp_features({.layers = {20, "units1 + 1", large, "units2", 3}, .epochs = "epochs", .batch_size = "batch + 1"});
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> x{double(random() % 1001), double(random() % 1001), double(random() % 400) / 4,
                                double(random() % 513), double(random() % 2)};
    const double n[] = {20, x[0] + 1, x[4] == 1 ? 64.0 : 16.0, x[1], 3};
    double products = 0;
    double activations = 0;
    for (int i = 0; i < 5; ++i) activations += n[i];
    for (int i = 0; i < 4; ++i) products += n[i] * n[i + 1];
    const std::vector<double> found = values(features, x);
    const double expected[] = {x[2] * products, x[2] * activations, x[2] / (x[3] + 1), x[2] * products / (x[3] + 1)};
    ASSERT_EQ(found.size(), 4u);
    // Every term is above 0 and has at most 4 factors: a few roundings each.
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14 * expected[i]) << features[i].name;
  }
}

TEST(MlpFeatures, OneLayerHasNoProducts) {
  const std::vector<CostFeature> features = mlp_features({.layers = {"units1"}, .batch_size = 2});
  EXPECT_EQ(names(features), (std::vector<std::string>{"activations", "steps"}));
  EXPECT_EQ(values(features, {3, 4, 0.5, 32, 0}), (std::vector<double>{3, 0.5}));
}

TEST(MlpFeatures, PartsAreEvaluatedOnceAFeature) {
  int calls = 0;
  const auto counted = [&calls](const Configuration&) { return ++calls, 2.0; };
  const FeatureSet set(net_space(), mlp_features({.layers = {3, counted, 5}}), {});
  std::vector<double> out(2);
  const std::vector<double> numbers{3, 4, 0.5, 32, 0};
  set.evaluate({numbers}, out);
  EXPECT_EQ(out, (std::vector<double>{16, 10}));
  EXPECT_EQ(calls, 2);
}

TEST(MlpFeatures, ColumnOfThePoolAsALayer) {
  const FeatureSet set(net_space(), mlp_features({.layers = {3, Quantity::pool_column({4, 5})}}), 2);
  std::vector<double> out(2);
  const std::vector<double> numbers{3, 4, 0.5, 32, 0};
  set.evaluate({numbers, 1}, out);
  EXPECT_EQ(out, (std::vector<double>{15, 8}));
  expect_error<InvalidConfiguration>([&] { set.evaluate({numbers}, out); },
                                     {"cost.features[0] 'matrix products', layers[1] is a column of the pool"});
}

// LeNet-5 as it is commonly built: 430,500 weights in 5 × 5 kernels and dense layers of 800, 500 and 10, biases
// apart. Pooling leaves 12 × 12 and 4 × 4 of 28 × 28 pixels.
TEST(CnnFeatures, PublishedNetwork) {
  const std::vector<CostFeature> features = cnn_features({.image_size = 28,
                                                          .kernel_size = 5,
                                                          .channels = {20, 50},
                                                          .pooling = {144.0 / 784, 16.0 / 784},
                                                          .dense = {500, 10},
                                                          .epochs = 3,
                                                          .batch_size = 6});
  EXPECT_EQ(names(features), (std::vector<std::string>{"convolutions", "pooling", "matrix products", "activations",
                                                       "steps", "weight updates"}));
  for (const CostFeature& feature : features) EXPECT_TRUE(feature.work);
  const std::vector<double> found = values(features, {1, 1, 1, 1, 0});
  const double expected[] = {3 * 784 * 25 * (20 + 20 * 50),
                             3 * (144 * 20 + 16 * 50),
                             3 * (800 * 500 + 5000),
                             3 * (800 + 500 + 10),
                             0.5,
                             0.5 * 430500};
  // The shares are rounded, and a term has at most 6 factors.
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14 * expected[i]) << features[i].name;
}

TEST(CnnFeatures, MixedSourcesAgainstPlainLoops) {
  const std::vector<CostFeature> features = cnn_features({.image_size = large,
                                                          .colours = 3,
                                                          .kernel_size = "1 + units1 / 100",
                                                          .channels = {8, "units2", large},
                                                          .pooling = {"epochs / 100", 0.5, 0.25},
                                                          .dense = {"units1", 10},
                                                          .epochs = "epochs"});
  ASSERT_EQ(features.size(), 4u);
  std::mt19937 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> x{double(random() % 1001), double(random() % 1001), double(random() % 400) / 4, 1,
                                double(random() % 2)};
    const double size = x[4] == 1 ? 64 : 16;
    const double kernel = 1 + x[0] / 100;
    const double m[] = {3, 8, x[1], size};
    const double p[] = {x[2] / 100, 0.5, 0.25};
    double convolutions = 0;
    double pooling = 0;
    for (int i = 0; i < 3; ++i) convolutions += size * size * kernel * kernel * m[i] * m[i + 1];
    for (int i = 0; i < 3; ++i) pooling += size * size * p[i] * m[i + 1];
    const double flat = size * size * p[2] * m[3];
    const std::vector<double> found = values(features, x);
    const double expected[] = {convolutions, pooling, flat * x[0] + x[0] * 10, flat + x[0] + 10};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], x[2] * expected[i], 1e-14 * x[2] * expected[i]);
  }
}

TEST(CnnFeatures, WithoutPoolingAndDenseLayers) {
  const std::vector<CostFeature> features = cnn_features({.image_size = 4, .kernel_size = 3, .channels = {2, 5}});
  EXPECT_EQ(names(features), (std::vector<std::string>{"convolutions", "pooling"}));
  EXPECT_EQ(values(features, {1, 1, 1, 1, 0}), (std::vector<double>{16 * 9 * (2 + 10), 16 * 7}));
  const std::vector<CostFeature> dense =
      cnn_features({.image_size = 4, .kernel_size = 3, .channels = {2}, .dense = {5}});
  EXPECT_EQ(values(dense, {1, 1, 1, 1, 0}), (std::vector<double>{16 * 9 * 2, 32, 32 * 5, 37}));
}

TEST(NetworkFeatures, BadShapes) {
  expect_error<InvalidOptions>([] { mlp_features({}); }, {"MlpShape.layers is empty", "size of every layer"});
  expect_error<InvalidOptions>([] { mlp_features({.layers = {3, -2}}); }, {"MlpShape.layers[1] is -2", "0 or above"});
  expect_error<InvalidOptions>([] { mlp_features({.layers = {3, not_a_number}}); }, {"MlpShape.layers[1] is NaN"});
  expect_error<InvalidOptions>([] { mlp_features({.layers = {infinity}}); }, {"MlpShape.layers[0] is inf", "finite"});
  expect_error<InvalidOptions>([] { mlp_features({.layers = {3}, .epochs = -1}); }, {"MlpShape.epochs is -1"});
  expect_error<InvalidOptions>([] { mlp_features({.layers = {3}, .batch_size = 0}); },
                               {"MlpShape.batch_size is 0", "above 0"});
  expect_error<InvalidOptions>([] { cnn_features({.image_size = 8, .kernel_size = 3, .channels = {}}); },
                               {"CnnShape.channels is empty"});
  expect_error<InvalidOptions>(
      [] {
        cnn_features({.image_size = 8, .kernel_size = 3, .channels = {4, 4}, .pooling = {0.5}});
      },
      {"CnnShape.pooling has 1 shares for 2 convolutions", "one each or none"});
  expect_error<InvalidOptions>(
      [] { cnn_features({.image_size = 8, .kernel_size = 3, .channels = {4}, .pooling = {2}}); },
      {"CnnShape.pooling[0] is 2", "a share from 0 to 1"});
}

TEST(NetworkFeatures, ErrorsNameThePartAtFault) {
  const std::vector<double> numbers{3, 4, 0.5, 0, 0};
  expect_error<InvalidOptions>(
      [&] {
        values(mlp_features({.layers = {3, "unitz"}}), numbers);
      },
      {"cost.features[0] 'matrix products', layers[1], expression \"unitz\", column 1: "});
  expect_error<InvalidOptions>(
      [&] {
        values(mlp_features({.layers = {3, "units1 - 5"}}), numbers);
      },
      {"cost.features[0] 'matrix products', layers[1], expression \"units1 - 5\", is -2 for units1=3", "0 or above"});
  expect_error<InvalidOptions>([&] { values(mlp_features({.layers = {3}, .batch_size = "batch"}), numbers); },
                               {"cost.features[1] 'steps', batch_size, expression \"batch\", is 0", "above 0"});
  expect_error<InvalidOptions>(
      [&] {
        values(mlp_features({.layers = {3, [](const Configuration&) { return not_a_number; }}}), numbers);
      },
      {"cost.features[0] 'matrix products', layers[1] is NaN", "finite"});
  expect_error<InvalidOptions>(
      [&] {
        values(cnn_features({.image_size = 8, .kernel_size = 3, .channels = {4}, .pooling = {"units1"}}), numbers);
      },
      {"cost.features[1] 'pooling', pooling[0], expression \"units1\", is 3", "a share from 0 to 1"});
  expect_error<InvalidOptions>(
      [&] {
        values(mlp_features({.layers = {1e200, 1e200}}), numbers);
      },
      {"cost.features[0] 'matrix products' is inf", "finite everywhere"});
}

}  // namespace
}  // namespace carbo::internal
