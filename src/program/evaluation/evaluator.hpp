#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "program/evaluation/command.hpp"
#include "program/evaluation/launcher.hpp"

namespace carbo::program {

/// Makes evaluations by a command, each in a folder of its own below `folder`: DIR/ID with `stdout`, `stderr`, the
/// `input.json` that it is given, and what it writes there. May be used from several threads.
class Evaluator final : public Launcher {
 public:
  /// Throws InvalidOptions at a command without a program, an unknown placeholder or a pattern that is none; `space`
  /// says which parameters there are.
  Evaluator(Spawner& spawner, Command command, Reading objective, Reading cost, RunSettings settings,
            const std::filesystem::path& folder, const Space& space);

  /// Throws StorageError where its folder or its outputs cannot be written, Error where no process can be made.
  EvaluationRecord evaluate(const Configuration& configuration, const Assignment& assignment,
                            const EvaluationWatch& watch = {}) override;
  std::filesystem::path folder(std::uint64_t id) const;
  const Readings& readings() const { return readings_; }

  /// Kept of an output that ended in failure.
  static constexpr std::size_t tail_lines = 10;
  /// Seconds that a folder is waited for whose last user is still being ended.
  static constexpr std::chrono::seconds folder_wait{30};

 private:
  struct Limit {
    double seconds;  ///< of all attempts together
    double left;     ///< of them
  };
  EvaluationRecord attempt(const Configuration& configuration, const Assignment& assignment,
                           const EvaluationWatch& watch, const Limit& limit, int& exit_code) const;
  Words words(const Configuration& configuration, const Assignment& assignment) const;
  Launch launch(const Configuration& configuration, const Assignment& assignment, const Words& words) const;

  Spawner& spawner_;
  Command command_;
  Readings readings_;
  RunSettings settings_;
  std::filesystem::path folder_;
};

/// Throws InvalidOptions where a command cannot be expanded for a space: a parameter's name that is one of {id},
/// {seed}, {worker}, {dir}, an unknown name, no program.
void check_command(const Command& command, const Space& space);

/// Which parameters' values the command is not given, in words; empty where it is given all.
std::string remark_on(const Command& command, const Space& space);

/// Processors of a worker, of those that this process may use: an equal share, at least one.
std::vector<int> processors_of(std::size_t worker, std::size_t workers);

/// Below 2^31, drawn from the study's seed and the id of a suggestion.
std::uint32_t seed_of(std::uint64_t study_seed, std::uint64_t id);

}  // namespace carbo::program
