#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/evaluation/command.hpp"
#include "program/evaluation/json_text.hpp"
#include "program/evaluation/pattern.hpp"
#include "program/evaluation/placeholders.hpp"
#include "program/evaluation/supervisor.hpp"

namespace carbo::program {

/// Seconds: a cost is above 0, and clocks are coarse.
inline constexpr double least_measured = 1e-4;

/// A line with a `step`.
struct StepLine {
  double step = 0;
  std::map<std::string, double> values;
  std::optional<double> time{};  ///< seconds since 1970; absent: now
};

/// How objective and cost are read, ready for use.
class Readings {
 public:
  /// Throws InvalidOptions at a pattern that is none, a JSON key or a file's path that is missing.
  Readings(Reading objective, Reading cost);
  const Reading& objective() const { return objective_; }
  const Reading& cost() const { return cost_; }
  bool json() const;  ///< whether lines of standard output are looked at as JSON for a result
  const std::optional<Pattern>& pattern(const Reading& reading) const;

 private:
  Reading objective_, cost_;
  std::optional<Pattern> objective_pattern_, cost_pattern_;
};

/// A number, or why there is none.
struct Read {
  std::optional<double> number;
  std::string fault;
};

/// What one evaluation says, read as it comes.
class ResultReader {
 public:
  /// `directory`: that relative paths of files are meant from. `words`: for those paths.
  ResultReader(const Readings& readings, std::string directory, const Words& words,
               std::function<void(const StepLine&)> step);

  void output_line(std::string_view line) { look(line, false); }
  void error_line(std::string_view line) { look(line, true); }

  /// After its end; not finite is a fault.
  Read objective(const Ended& ended) const;
  /// After its end; what is not above 0 is a fault, but for what was measured: that is at least 1e-4.
  Read cost(const Ended& ended) const;
  /// Further numbers of the line that has the result.
  std::map<std::string, double> metrics() const;

 private:
  struct Stamp {
    bool there = false;
    std::int64_t seconds = 0, nanoseconds = 0, size = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp(const std::string& path);

  void look(std::string_view line, bool standard_error);
  void look_at_json(std::string_view line);
  Read read(const Reading& reading, const Ended& ended, const char* what) const;
  Read read_json(const Reading& reading, const char* what) const;
  Read read_pattern(const Reading& reading, const char* what) const;
  Read read_file(const Reading& reading, const char* what) const;
  std::string path(const Reading& reading) const;
  bool is_result(const JsonObject& object) const;

  const Readings& readings_;
  std::string directory_;
  const Words& words_;
  std::function<void(const StepLine&)> step_;
  std::size_t lines_ = 0;  ///< of standard output, blank ones aside
  std::size_t steps_ = 0;
  std::vector<std::size_t> results_;               ///< numbers of the lines that have one
  std::optional<JsonObject> result_;               ///< the last of them
  std::string json_fault_;                         ///< of the last line that begins with a brace and is no JSON
  std::map<const Reading*, std::string> matches_;  ///< the last of each pattern
  std::map<std::string, Stamp> before_;            ///< files of results, as they were before
};

}  // namespace carbo::program
