#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <carbo/cost.hpp>
#include <carbo/space.hpp>

#include "replay/table.hpp"

namespace carbo::cost_bench {

inline constexpr std::size_t table_rows = 1200;

/// A data set on which perceptrons were trained and timed.
struct DataSource {
  std::string name{};        ///< of its files: NAME for training, NAME.t for validation
  std::string title{};       ///< in tables and figures
  std::size_t features = 0;  ///< inputs of the network
  double paper_saving = 0;   ///< of EIpu with the linear model, as a share of the budget: Lee et al. (2020), Table 3
};

/// The four of the paper. What it calls a3a has the sizes of a2a, so a2a stands in its place.
const std::vector<DataSource>& data_sources();
/// Throws std::invalid_argument listing the names that there are.
const DataSource& data_source(const std::string& name);

/// Four hidden layers of 10 to 300 units, learning rate and weight decay, all on a logarithmic scale.
const Space& mlp_space();
inline constexpr std::size_t hidden_layers = 4;

/// What drives the price of training on this data set: the paper's two features.
std::vector<CostFeature> mlp_cost_features(const DataSource& source);

/// Parameters, then "error" and "seconds".
std::vector<std::string> timing_header();
/// See replay::read_table; an error outside [0, 1] is refused too.
replay::Table read_timings(const std::filesystem::path& file);
/// mlp_NAME.csv in the folder.
replay::Table read_timings(const std::filesystem::path& folder, const DataSource& source);

}  // namespace carbo::cost_bench
