#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/schedule.hpp"
#include "replay/store.hpp"
#include "replay/summary.hpp"

namespace carbo::replay {

/// Makes the runs of many experiments into stores below one folder, which outlive every summary of them.
class Laboratory {
 public:
  Laboratory(std::filesystem::path folder, const Workers& workers);

  /// All methods in all cells, by the runs in `store`, a folder below that of the laboratory; `title` is told on
  /// standard error. Throws std::runtime_error where a run failed: nothing is reported of an incomplete experiment.
  std::vector<Summary> make(const std::string& title, const std::string& store, const std::vector<Cell>& cells,
                            const std::vector<Method>& methods);
  std::vector<Summary> make(const std::string& title, const std::string& store, const std::vector<Cell>& cells,
                            const std::vector<Method>& methods, const Workers& workers);

 private:
  std::filesystem::path folder_;
  Workers workers_;
  std::map<std::string, std::unique_ptr<RunStore>> stores_{};
};

}  // namespace carbo::replay
