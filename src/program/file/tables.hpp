#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/observation.hpp>
#include <carbo/space.hpp>

namespace carbo::program {

/// Observations of a table, all of Origin::prior.
struct ObservedTable {
  std::vector<Observation> observations;
  std::vector<std::string> ignored;  ///< columns that mean nothing here
  std::size_t unfinished = 0;        ///< rows of points that were waiting, running or withdrawn
};
/// Columns: one a parameter, `objective`; where there are any also `cost` (empty: not known), `state` and `reason`,
/// as `carbo export` writes them. Throws InvalidObservation naming `name`, line and column.
ObservedTable read_observations(const Space& space, const std::string& name, std::string_view csv);

/// A pool and the further columns of its file.
struct PoolTable {
  std::shared_ptr<const Pool> pool;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  ///< one vector a column; NaN where a field is no number
};
/// `*.csv`: a column a parameter, and others. Everything else is a matrix as Pool::map reads it. Throws InvalidPool
/// or InvalidObservation.
PoolTable read_pool_file(const Space& space, const std::filesystem::path& file);

}  // namespace carbo::program
