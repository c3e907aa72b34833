#include "bench/backends/environment.hpp"

#include <stdio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "bench/support/timing.hpp"

namespace carbo::bench {

namespace {

constexpr const char* unknown = "unknown";

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && !line.empty() ? line : unknown;
}

/// The lines that the command wrote, joined by "; "; unknown where it failed or said nothing.
std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return unknown;
  std::string text;
  std::array<char, 1024> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  if (pclose(pipe) != 0) return unknown;
  text.erase(text.find_last_not_of(" \n") + 1);
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end))
    text.replace(end, 1, "; ");
  return text.empty() ? unknown : text;
}

/// Lowest and highest clock of the cores as the system sees them now.
std::string clock_rate() {
  std::ifstream info("/proc/cpuinfo");
  double low = 0;
  double high = 0;
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("cpu MHz", 0) != 0) continue;
    const double rate = std::strtod(line.c_str() + line.find(':') + 1, nullptr);
    low = low == 0 ? rate : std::min(low, rate);
    high = std::max(high, rate);
  }
  if (high == 0) return unknown;
  char text[64];
  std::snprintf(text, sizeof text, "%.0f to %.0f MHz", low, high);
  return text;
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0 ? text : unknown;
}

std::string device_query(const std::string& fields) {
  return output_of("nvidia-smi --format=csv,noheader --query-gpu=" + fields);
}

}  // namespace

Environment describe_environment(const BuildFacts& build) {
  return {
      {"cpu", processor_name()},
      {"cores", std::to_string(std::thread::hardware_concurrency())},
      {"cpu_clock", clock_rate()},
      {"cpu_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"load_average", first_line("/proc/loadavg")},
      {"cards", device_query("name")},
      {"driver", device_query("driver_version")},
      {"device_clocks", device_clocks()},
      {"flags", build.flags},
      {"commit", build.commit},
      {"version", build.version},
      {"date", date()},
  };
}

std::string device_clocks() {
  return device_query("clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,pstate,power.limit");
}

std::string device_in(const std::string& reason) {
  const std::size_t begin = reason.find(": ");
  const std::size_t end = reason.rfind(", ");
  if (begin == std::string::npos || end == std::string::npos || end <= begin) return reason;
  return reason.substr(begin + 2, end - begin - 2);
}

}  // namespace carbo::bench
