#include <algorithm>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "c/optimizer_scene.hpp"
#include "support/not_finite.hpp"

// Ready-made features of networks in C: what they count, and what is refused.
namespace {

using namespace c_scene;

carbo_quantity given(const char* expression) { return {expression, nullptr, nullptr, nullptr}; }
constexpr carbo_quantity nothing{nullptr, nullptr, nullptr, nullptr};

/// Eight inputs, k hidden units and one output, for as many epochs as x says.
struct Perceptron {
  std::vector<carbo_quantity> layers{given("8"), given("k"), given("1")};
  carbo_mlp_shape shape{sizeof shape, layers.data(), 3, given("1 + 9 * x"), nothing};
};

/// Two convolutions on 16 × 16 pixels, the second of which leaves a quarter of them, and a dense layer.
struct Convolutions {
  std::vector<carbo_quantity> channels{given("k"), given("2 * k")}, pooling{given("1"), given("0.25")},
      dense{given("10")};
  carbo_cnn_shape shape{sizeof shape, given("16"), given("3"), given("k"),    channels.data(), pooling.data(), 2,
                        dense.data(), 1,           nothing,    given("x + 1")};
};

carbo_optimizer_options linear_options() {
  carbo_optimizer_options options = some_optimizer_options();
  options.cost.model = CARBO_COST_LINEAR;
  return options;
}

/// The same study with features of a network and with the same counts as arithmetic.
void expect_the_study_of(const std::vector<const char*>& counts, const carbo_optimizer_options& with_network) {
  std::vector<carbo_cost_feature> features;
  for (const char* const count : counts) features.push_back({sizeof(carbo_cost_feature), 1, nullptr, given(count)});
  carbo_optimizer_options by_hand = linear_options();
  by_hand.cost.features = features.data();
  by_hand.cost.feature_count = static_cast<std::int64_t>(features.size());
  OptimizerScene network(with_network), arithmetic(by_hand);
  for (int round = 0; round < 8; ++round) {
    const OptimizerScene::Asked found = network.ask(2), expected = arithmetic.ask(2);
    ASSERT_EQ(found.numbers, expected.numbers) << round;
    for (std::size_t i = 0; i < found.suggestions.size(); ++i) {
      const double cost = found.suggestions[i].predicted_cost, same = expected.suggestions[i].predicted_cost;
      EXPECT_EQ(std::isnan(cost), std::isnan(same));
      if (!std::isnan(cost)) {
        EXPECT_NEAR(cost / same, 1.0, 1e-9) << round;
      }
      const double* const x = found.numbers.data() + 3 * i;
      for (const OptimizerScene* const one : {&network, &arithmetic})
        ASSERT_EQ(carbo_optimizer_tell(one->optimizer, found.suggestions[i].id, objective_at(x), cost_at(x)),
                  CARBO_OK);
    }
  }
}

TEST(CNetworks, APerceptronCountsItsProductsAndItsUnits) {
  const Perceptron network;
  carbo_optimizer_options options = linear_options();
  options.cost.mlp = &network.shape;
  expect_the_study_of({"(1 + 9 * x) * (8 * k + k)", "(1 + 9 * x) * (8 + k + 1)"}, options);
}

TEST(CNetworks, ConvolutionsCountWhatThePaperCounts) {
  const Convolutions network;
  carbo_optimizer_options options = linear_options();
  options.cost.cnn = &network.shape;
  expect_the_study_of(
      {"256 * k^2 * (3 * k + 2 * k^2)", "256 * (k + 0.25 * 2 * k)", "256 * 0.25 * 2 * k * 10",
       "256 * 0.25 * 2 * k + 10", "1 / (x + 1)", "(k^2 * (3 * k + 2 * k^2) + 256 * 0.25 * 2 * k * 10) / (x + 1)"},
      options);
}

TEST(CNetworks, TheirFeaturesFollowThoseOfTheCallerAndAreSavedAsInCpp) {
  const Perceptron perceptron;
  const Convolutions convolutions;
  const carbo_cost_feature own{sizeof own, 0, "own", given("x")};
  carbo_optimizer_options options = linear_options();
  options.cost.features = &own;
  options.cost.feature_count = 1;
  options.cost.mlp = &perceptron.shape;
  options.cost.cnn = &convolutions.shape;
  options.accounting = CARBO_ACCOUNTING_SUM;  // as it is saved
  OptimizerScene scene(options);
  const char* state = nullptr;
  std::int64_t length = 0;
  ASSERT_EQ(carbo_optimizer_save(scene.optimizer, &state, &length), CARBO_OK);
  const carbo::Optimizer restored = carbo::Optimizer::restore(std::string(state, static_cast<std::size_t>(length)));
  std::vector<carbo::CostFeature> expected{carbo::feature("own", "x")};
  for (const carbo::CostFeature& one : carbo::mlp_features({.layers = {"8", "k", "1"}, .epochs = "1 + 9 * x"}))
    expected.push_back(one);
  for (const carbo::CostFeature& one : carbo::cnn_features({.image_size = "16",
                                       .colours = "3",
                                       .kernel_size = "k",
                                       .channels = {"k", "2 * k"},
                                       .pooling = {"1", "0.25"},
                                       .dense = {"10"},
                                       .batch_size = "x + 1"}))
    expected.push_back(one);
  carbo::Options in_cpp = restored.options();
  ASSERT_EQ(in_cpp.cost.features.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(in_cpp.cost.features[i].name, expected[i].name);
    EXPECT_EQ(in_cpp.cost.features[i].work, expected[i].work);
  }
  in_cpp.cost.features = expected;
  EXPECT_EQ(carbo::Optimizer(restored.space(), in_cpp).save(), restored.save());
}

void expect_no_network(carbo_status status, const std::vector<std::string>& words, const carbo_mlp_shape* mlp,
                       const carbo_cnn_shape* cnn) {
  carbo_optimizer_options options = linear_options();
  options.cost.mlp = mlp;
  options.cost.cnn = cnn;
  carbo_optimizer* made = nullptr;
  expect_failure(carbo_optimizer_create(&options, &made), status, words);
  EXPECT_EQ(made, nullptr);
}

TEST(CNetworks, ShapesThatAreNoneAreRefusedByTheNamesOfC) {
  const auto perceptron = [](carbo_status status, const std::vector<std::string>& words, const auto& change) {
    Perceptron network;
    change(network);
    expect_no_network(status, words, &network.shape, nullptr);
  };
  perceptron(CARBO_STRUCT_VERSION, {"cost.mlp.struct_size is 4"}, [](auto& n) { n.shape.struct_size = 4; });
  perceptron(CARBO_INVALID_OPTIONS, {"cost.mlp.layers is empty"}, [](auto& n) { n.shape.layer_count = 0; });
  perceptron(CARBO_INVALID_OPTIONS, {"cost.mlp.layer_count is -1"}, [](auto& n) { n.shape.layer_count = -1; });
  perceptron(CARBO_NULL_POINTER, {"cost.mlp.layers"}, [](auto& n) { n.shape.layers = nullptr; });
  perceptron(CARBO_INVALID_OPTIONS, {"cost.mlp.layers[1] is empty", "an expression, a function or a column"},
             [](auto& n) { n.layers[1] = nothing; });
  perceptron(CARBO_INVALID_OPTIONS, {"cost.mlp.epochs has more than one"},
             [](auto& n) { n.shape.epochs.function = [](void*, const double*) { return 1.0; }; });

  const auto convolutions = [](carbo_status status, const std::vector<std::string>& words, const auto& change) {
    Convolutions network;
    change(network);
    expect_no_network(status, words, nullptr, &network.shape);
  };
  convolutions(CARBO_STRUCT_VERSION, {"cost.cnn.struct_size is 0"}, [](auto& n) { n.shape.struct_size = 0; });
  convolutions(CARBO_INVALID_OPTIONS, {"cost.cnn.image_size is empty"},
               [](auto& n) { n.shape.image_size = nothing; });
  convolutions(CARBO_INVALID_OPTIONS, {"cost.cnn.kernel_size is empty"},
               [](auto& n) { n.shape.kernel_size = nothing; });
  convolutions(CARBO_INVALID_OPTIONS, {"cost.cnn.channels is empty", "or cost.mlp"},
               [](auto& n) { n.shape.channel_count = 0; });
  convolutions(CARBO_INVALID_OPTIONS, {"cost.cnn.pooling[1] is empty"}, [](auto& n) { n.pooling[1] = nothing; });
  convolutions(CARBO_NULL_POINTER, {"cost.cnn.dense"}, [](auto& n) { n.shape.dense = nullptr; });
}

}  // namespace
