#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <carbo/diagnostics.hpp>
#include <carbo/options.hpp>
#include <carbo/space.hpp>

namespace carbo {

/// Which of the two models.
enum class Modelled { objective, cost };

/// Posterior of the objective without its noise, in the caller's units. Quantiles of a normal distribution pass
/// through any transform unchanged, so that they are exact for all; Transform::rank knows no values beyond those that
/// were observed.
struct ObjectivePrediction {
  double median = 0;
  double lower = 0;  ///< ends of the central interval of the coverage that was asked for
  double upper = 0;
  /// In the caller's units; absent where the transform is not linear. The mean is then the median.
  std::optional<double> standard_deviation{};
  double standardised_mean = 0;  ///< of the standardised, transformed objective; lower is better, whatever the goal
  double standardised_deviation = 0;  ///< as Receipt::predicted_objective_sd
};

/// Posterior of a cost: normal in its logarithm.
struct CostPrediction {
  double median = 0;                  ///< in the unit of the budget
  double log_standard_deviation = 0;  ///< 0 where the cost is known
};

/// What both models expect of one configuration.
struct Prediction {
  std::optional<ObjectivePrediction> objective{};  ///< absent before the first success
  /// Absent before the first cost, and of a configuration that is not in the pool where a column of it is part of the
  /// cost.
  std::optional<CostPrediction> cost{};
};

/// The observed configuration that the objective's model thinks best.
struct Recommendation {
  Configuration configuration;
  std::size_t successes = 0;  ///< how often it was observed
  Prediction prediction;      ///< of it, with a coverage of 0.95
};

/// One Gaussian process as it was fitted.
struct FittedModel {
  Hyperparameters hyperparameters;  ///< of standardised targets, mean included
  /// Target units (of the transformed objective, or of the logarithm of the cost without its known part and its
  /// linear trend) at a standardised 0, and that one standardised unit is worth.
  double shift = 0;
  double scale = 1;
  double jitter = 0;  ///< relative to the mean diagonal; 0 where none was needed
  PointsLearned points;
};

struct FittedModels {
  std::optional<FittedModel> objective{};     ///< absent before the first success
  std::optional<CostModelKind> cost_model{};  ///< that predicts now; absent before it has learned something
  std::optional<FittedModel> cost{};          ///< absent where no Gaussian process predicts the cost
};

struct ImportanceOptions {
  std::size_t points = 1024;  ///< of each sequence; a power of 2 from 16 to 65,536
  std::size_t sequences = 8;  ///< that are randomised apart, 2 to 1,024
};

/// Shares of the variance over the space that one parameter explains: alone, and with all its interactions.
struct ParameterImportance {
  std::string name;
  double first_order = 0;
  double total = 0;
  double first_order_spread = 0;  ///< root mean square of how far the sequences' estimates lie from the one above
  double total_spread = 0;
};

struct Importance {
  std::vector<ParameterImportance> parameters;  ///< in the order of the space
  /// Of the model's mean over the space, in units of the transformed objective or of the logarithm of the cost. All
  /// shares are 0 where it is.
  double standard_deviation = 0;
};

}  // namespace carbo
