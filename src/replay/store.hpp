#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "replay/run.hpp"

namespace carbo::replay {

/// Finished runs in two files of one folder: `runs.csv` (a row a run) and `traces.csv` (a row an evaluation).
/// A run's trace is on disk before its row, so a run that was cut off is not taken for a finished one. Thread-safe.
class RunStore {
 public:
  /// Reads what is there and drops traces without a complete run.
  explicit RunStore(std::filesystem::path folder);

  bool contains(const RunKey& key) const;
  void add(RunRecord run);
  std::size_t size() const;
  /// By key; not to be called while runs are added.
  const std::map<RunKey, RunRecord>& runs() const { return runs_; }

 private:
  /// Whether the files hold complete runs alone.
  bool load();
  void rewrite() const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::map<RunKey, RunRecord> runs_;
  std::ofstream run_file_;
  std::ofstream trace_file_;
};

}  // namespace carbo::replay
