#include "bench/cost/timings.hpp"

#include <cmath>
#include <stdexcept>

#include "bench/support/csv.hpp"

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

TimingTable read_timings(const std::filesystem::path& file) {
  TimingTable table;
  const std::size_t parameters = mlp_space().parameters().size();
  for (const bench::CsvRow& row : bench::read_csv(file, timing_header())) {
    std::vector<double> numbers;
    for (const std::string& field : row) numbers.push_back(bench::to_double(field));
    const double error = numbers[parameters], seconds = numbers[parameters + 1];
    numbers.resize(parameters);
    const std::string place = file.string() + ", row " + std::to_string(table.rows() + 1);
    try {
      mlp_space().configuration(numbers);
    } catch (const std::exception& fault) {
      throw std::runtime_error(place + ": " + fault.what());
    }
    if (!(error >= 0 && error <= 1)) throw std::runtime_error(place + ": the error is not in [0, 1]");
    if (!(seconds > 0 && std::isfinite(seconds))) throw std::runtime_error(place + ": the seconds are not above 0");
    table.numbers.push_back(std::move(numbers));
    table.error.push_back(error);
    table.seconds.push_back(seconds);
  }
  if (table.rows() == 0) throw std::runtime_error(file.string() + " is missing or has no rows");
  return table;
}

TimingTable read_timings(const std::filesystem::path& folder, const DataSource& source) {
  return read_timings(folder / ("mlp_" + source.name + ".csv"));
}

}  // namespace carbo::cost_bench
