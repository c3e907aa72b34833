#include "program/evaluation/readings.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using Source = Reading::Source;

constexpr std::size_t largest_file = 1u << 20;
constexpr std::size_t shown = 120;  // characters of a faulty text in a message

std::optional<Pattern> pattern_of(const Reading& reading) {
  if (reading.source != Source::pattern) return {};
  return Pattern(reading.pattern);
}

void check(const Reading& reading, const char* what) {
  if (reading.source == Source::json_line && reading.key.empty())
    throw InvalidOptions(text("the ", what, " is read from JSON lines, but has no key"));
  if (reading.source == Source::file && reading.path.empty())
    throw InvalidOptions(text("the ", what, " is read from a file, but has no path"));
}

std::string shortened(std::string_view words) {
  return words.size() <= shown ? std::string(words) : std::string(words.substr(0, shown)) + "…";
}

Read fault(std::string words) { return {{}, std::move(words)}; }

}  // namespace

Readings::Readings(Reading objective, Reading cost)
    : objective_(std::move(objective)),
      cost_(std::move(cost)),
      objective_pattern_(pattern_of(objective_)),
      cost_pattern_(pattern_of(cost_)) {
  check(objective_, "objective");
  check(cost_, "cost");
}

bool Readings::json() const { return objective_.source == Source::json_line || cost_.source == Source::json_line; }

const std::optional<Pattern>& Readings::pattern(const Reading& reading) const {
  return &reading == &objective_ ? objective_pattern_ : cost_pattern_;
}

ResultReader::ResultReader(const Readings& readings, std::string directory, const Words& words,
                           std::function<void(const StepLine&)> step)
    : readings_(readings), directory_(std::move(directory)), words_(words), step_(std::move(step)) {
  for (const Reading* const reading : {&readings_.objective(), &readings_.cost()})
    if (reading->source == Source::file) before_.emplace(path(*reading), stamp(path(*reading)));
}

std::string ResultReader::path(const Reading& reading) const {
  return (std::filesystem::path(directory_) / expand(reading.path, words_)).string();
}

ResultReader::Stamp ResultReader::stamp(const std::string& path) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0) return {};
  return {true, seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec, seen.st_size, seen.st_ino};
}

void ResultReader::look(std::string_view line, bool standard_error) {
  if (!standard_error) {
    ++lines_;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] == '{') look_at_json(line);
  }
  for (const Reading* const reading : {&readings_.objective(), &readings_.cost()}) {
    if (reading->source != Source::pattern || reading->standard_error != standard_error) continue;
    if (auto found = readings_.pattern(*reading)->last_match(line.substr(0, Pattern::longest_line)))
      matches_[reading] = std::move(*found);
  }
}

bool ResultReader::is_result(const JsonObject& object) const {
  const auto has = [&](const Reading& reading) {
    return reading.source == Source::json_line &&
           (object.numbers.contains(reading.key) || object.others.contains(reading.key));
  };
  return has(readings_.objective()) || has(readings_.cost());
}

void ResultReader::look_at_json(std::string_view line) {
  JsonObject object = read_json_object(line);
  if (!object.valid) {
    json_fault_ = text("the line ", shortened(line), " is not taken: ", object.fault);
    return;
  }
  if (const auto found = object.numbers.find("step"); found != object.numbers.end()) {
    ++steps_;
    StepLine step{found->second, std::move(object.numbers)};
    step.values.erase("step");
    if (step_) step_(step);
    return;
  }
  if (readings_.json() && !is_result(object)) return;
  results_.push_back(lines_);
  result_ = std::move(object);
}

std::map<std::string, double> ResultReader::metrics() const {
  if (!result_) return {};
  std::map<std::string, double> metrics = result_->numbers;
  for (const Reading* const reading : {&readings_.objective(), &readings_.cost()})
    if (reading->source == Source::json_line) metrics.erase(reading->key);
  std::erase_if(metrics, [](const auto& metric) { return !std::isfinite(metric.second); });
  return metrics;
}

Read ResultReader::objective(const Ended& ended) const { return read(readings_.objective(), ended, "objective"); }

Read ResultReader::cost(const Ended& ended) const {
  Read cost = read(readings_.cost(), ended, "cost");
  if (cost.number && !(*cost.number > 0)) return fault(text("the cost is ", *cost.number, "; it has to be above 0"));
  return cost;
}

Read ResultReader::read(const Reading& reading, const Ended& ended, const char* what) const {
  Read read;
  switch (reading.source) {
    case Source::json_line:
      read = read_json(reading, what);
      break;
    case Source::pattern:
      read = read_pattern(reading, what);
      break;
    case Source::file:
      read = read_file(reading, what);
      break;
    case Source::wall_clock:
      read.number = std::max(ended.wall_seconds, least_measured);
      break;
    case Source::cpu:
      read.number = std::max(ended.cpu_seconds, least_measured);
      break;
    case Source::memory:
      read.number = ended.peak_bytes;
      break;
  }
  if (!read.number) return read;
  read.number = *read.number * reading.factor;
  if (!std::isfinite(*read.number)) return fault(text("the ", what, " is ", *read.number, ", which is not finite"));
  return read;
}

Read ResultReader::read_json(const Reading& reading, const char* what) const {
  if (!json_fault_.empty() && results_.empty()) return fault(json_fault_);
  if (results_.empty()) {
    if (lines_ == 0)
      return fault(text("it printed nothing; the ", what, " is read from a line such as {\"", reading.key,
                        "\": 0.5} of its standard output"));
    if (steps_ > 0)
      return fault(text("it printed ", steps_,
                        " lines with a step, but none without: the last line has to be the "
                        "result, such as {\"",
                        reading.key, "\": 0.5}"));
    return fault(text("none of the ", lines_, " lines that it printed is JSON with a \"", reading.key, "\""));
  }
  if (results_.size() > 1)
    return fault(text("it printed ", results_.size(), " results (in lines ", results_.front(), " and ", results_[1],
                      "); one is wanted, and a \"step\" in lines about its progress"));
  if (const auto number = result_->numbers.find(reading.key); number != result_->numbers.end())
    return {number->second, {}};
  if (const auto other = result_->others.find(reading.key); other != result_->others.end())
    return fault(text("\"", reading.key, "\" is ", other->second, "; it has to be a number"));
  return fault(text("the result has no \"", reading.key, "\""));
}

Read ResultReader::read_pattern(const Reading& reading, const char* what) const {
  const char* const place = reading.standard_error ? "standard error" : "standard output";
  const auto found = matches_.find(&reading);
  if (found == matches_.end())
    return fault(text("no line of its ", place, " matches '", reading.pattern, "', which the ", what, " is read by"));
  const auto number = read_number(found->second);
  if (!number)
    return fault(text("'", reading.pattern, "' found '", shortened(found->second), "' in its ", place,
                      ", which is no number"));
  return {number, {}};
}

Read ResultReader::read_file(const Reading& reading, const char* what) const {
  const std::string file = path(reading);
  const Stamp now = stamp(file);
  if (!now.there) return fault(text("it wrote no file ", file, ", which the ", what, " is read from"));
  if (const auto before = before_.find(file); before != before_.end() && before->second == now)
    return fault(text("the file ", file, " was there before, and it did not write it"));
  if (static_cast<std::size_t>(now.size) > largest_file)
    return fault(text("the file ", file, " has ", now.size, " bytes; a result has at most ", largest_file));
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (const auto number = read_number(content)) return {number, {}};
  if (reading.key.empty()) return fault(text("the file ", file, " is '", shortened(content), "', no number"));
  const JsonObject object = read_json_object(content);
  if (!object.valid)
    return fault(text("the file ", file, " is no number, and not JSON with \"", reading.key, "\": ", object.fault));
  if (const auto number = object.numbers.find(reading.key); number != object.numbers.end())
    return {number->second, {}};
  return fault(text("the file ", file, " has no number \"", reading.key, "\""));
}

}  // namespace carbo::program
