#pragma once

#include <string>
#include <vector>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// What the model makes of a case on one card. Never a measurement.
struct Prediction {
  Case of{};
  std::string card{};
  double seconds = 0;
  std::vector<StageWork> stages{};  ///< in their order
};

/// One prediction for each case that was measured and that the model knows, on each card; of searches that may look
/// in low precision two more. A search has its usual shares.
std::vector<Prediction> predict(const Report& report, const std::vector<Card>& cards);

/// In Markdown: modelled seconds of each card beside the CPU's measured ones, the work that they follow from, the
/// stages of the largest batch, and what is assumed.
std::string prediction_table(const Report& report, const std::vector<Prediction>& predictions,
                             const std::vector<Card>& cards);

}  // namespace carbo::bench
