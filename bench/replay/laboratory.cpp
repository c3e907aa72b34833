#include "bench/replay/laboratory.hpp"

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace carbo::replay {

Laboratory::Laboratory(std::filesystem::path folder, const Workers& workers)
    : folder_(std::move(folder)), workers_(workers) {}

std::vector<Summary> Laboratory::make(const std::string& title, const std::string& store,
                                      const std::vector<Cell>& cells, const std::vector<Method>& methods) {
  return make(title, store, cells, methods, workers_);
}

std::vector<Summary> Laboratory::make(const std::string& title, const std::string& store,
                                      const std::vector<Cell>& cells, const std::vector<Method>& methods,
                                      const Workers& workers) {
  std::fprintf(stderr, "%s\n", title.c_str());
  auto& runs = stores_[store];
  if (!runs) runs = std::make_unique<RunStore>(folder_ / store);
  const std::size_t failures = make_runs(jobs_of(cells, methods), *runs, workers);
  if (failures > 0) throw std::runtime_error(title + ": " + std::to_string(failures) + " runs failed");
  std::vector<Summary> summaries;
  for (const Cell& cell : cells) summaries.push_back(summarise(cell, methods, *runs));
  return summaries;
}

}  // namespace carbo::replay
