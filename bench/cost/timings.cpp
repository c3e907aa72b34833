#include "bench/cost/timings.hpp"

#include <stdexcept>

namespace carbo::cost_bench {

const std::vector<DataSource>& data_sources() {
  static const std::vector<DataSource> sources = {{"a1a", "MLP a1a", 123, 0.42},
                                                  {"a2a", "MLP a3a (a2a)", 123, 0.12},
                                                  {"splice", "MLP splice", 60, 0.25},
                                                  {"w2a", "MLP w2a", 300, 0.29}};
  return sources;
}

const DataSource& data_source(const std::string& name) {
  std::string names;
  for (const DataSource& source : data_sources()) {
    if (source.name == name) return source;
    names += (names.empty() ? "" : ", ") + source.name;
  }
  throw std::invalid_argument("no data set is called '" + name + "'; there are " + names);
}

const Space& mlp_space() {
  static const Space space{integer("units1", 10, 300).log(),        integer("units2", 10, 300).log(),
                           integer("units3", 10, 300).log(),        integer("units4", 10, 300).log(),
                           real("learning_rate", 1e-4, 1e-1).log(), real("weight_decay", 1e-6, 1e-1).log()};
  return space;
}

std::vector<CostFeature> mlp_cost_features(const DataSource& source) {
  return mlp_features({.layers = {source.features, "units1", "units2", "units3", "units4", 1}});
}

std::vector<std::string> timing_header() {
  std::vector<std::string> header;
  for (const Parameter& parameter : mlp_space().parameters()) header.push_back(parameter.name());
  header.insert(header.end(), {"error", "seconds"});
  return header;
}

replay::Table read_timings(const std::filesystem::path& file) {
  replay::Table table = replay::read_table(file, mlp_space(), {.objective = "error", .cost = "seconds"});
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (!(table.objective[row] >= 0 && table.objective[row] <= 1))
      throw std::runtime_error(file.string() + ":" + std::to_string(row + 2) + ": column 'error': a value of " +
                               std::to_string(table.objective[row]) + " is not in [0, 1]");
  return table;
}

replay::Table read_timings(const std::filesystem::path& folder, const DataSource& source) {
  return read_timings(folder / ("mlp_" + source.name + ".csv"));
}

}  // namespace carbo::cost_bench
