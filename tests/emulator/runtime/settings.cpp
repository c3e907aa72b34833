#include "settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulator {
namespace {

const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text && *text ? text : nullptr;
}

[[noreturn]] void bad_value(const char* name, const char* text, const char* right) {
  std::fprintf(stderr, "EMULATOR: %s=%s is not understood; it must be %s\n", name, text, right);
  std::exit(2);
}

// Numbers may end in K, M or G.
std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = variable(name);
  if (!text) return otherwise;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  const char* const units = "KMG";
  const char* const unit = *end ? std::strchr(units, *end) : nullptr;
  if (end == text || (*end && (!unit || end[1]))) bad_value(name, text, "a number, with K, M or G behind it or not");
  return unit ? value << 10 * (unit - units + 1) : value;
}

bool is_word(const char* name, const char* yes, const char* no) {
  const char* text = variable(name);
  if (!text || std::strcmp(text, no) == 0) return false;
  if (std::strcmp(text, yes) != 0) bad_value(name, text, (std::string(yes) + " or " + no).c_str());
  return true;
}

Order order() {
  const char* text = variable("EMULATOR_ORDER");
  if (!text || std::strcmp(text, "ascending") == 0) return Order::ascending;
  if (std::strcmp(text, "descending") == 0) return Order::descending;
  if (std::strcmp(text, "random") == 0) return Order::random;
  bad_value("EMULATOR_ORDER", text, "ascending, descending or random");
}

int devices(int otherwise) {
  const std::uint64_t count = number("EMULATOR_DEVICES", otherwise);
  if (count > most_devices) bad_value("EMULATOR_DEVICES", variable("EMULATOR_DEVICES"), "0, 1 or 2");
  return static_cast<int>(count);
}

int capability() {
  const char* text = variable("EMULATOR_CAPABILITY");
  int major = 0, minor = 0;
  if (!text) return 0;
  if (std::sscanf(text, "%d.%d", &major, &minor) != 2 || major < 1 || minor < 0 || minor > 9)
    bad_value("EMULATOR_CAPABILITY", text, "a version such as 7.5");
  return 10 * major + minor;
}

Settings read() {
  Settings s;
  s.order = order();
  s.seed = number("EMULATOR_SEED", s.seed);
  s.lazy_streams = is_word("EMULATOR_STREAMS", "lazy", "eager");
  s.window = std::max<std::uint64_t>(1, number("EMULATOR_WINDOW", s.window));
  s.watchdog_seconds = number("EMULATOR_WATCHDOG", s.watchdog_seconds);
  s.stack_bytes = (number("EMULATOR_STACK", s.stack_bytes) + 4095) / 4096 * 4096;
  s.device_bytes = number("EMULATOR_MEMORY", s.device_bytes);
  s.device_count = devices(s.device_count);
  s.capability = capability();
  s.float32_per_float64 = static_cast<int>(number("EMULATOR_FLOAT32_RATIO", s.float32_per_float64));
  s.pools_supported = !is_word("EMULATOR_POOLS", "unsupported", "supported");
  s.allow_exited_threads = is_word("EMULATOR_EXITED", "allow", "report");
  s.abort_on_bad_launch = is_word("EMULATOR_BAD_LAUNCH", "abort", "return");
  s.print_counters = is_word("EMULATOR_COUNTERS", "1", "0");
  s.report_leaks = is_word("EMULATOR_LEAKS", "1", "0");
  s.print_waits = is_word("EMULATOR_WAITS", "1", "0");
  if (const char* path = variable("EMULATOR_MODULES")) s.module_path = path;
  if (const char* plan = variable("EMULATOR_FAIL")) s.fault_plan = plan;
  return s;
}

Settings& mutable_settings() {
  // Never destroyed: exit handlers of other libraries may still call the runtime.
  static Settings* const the_settings = new Settings(read());
  return *the_settings;
}

}  // namespace

const Settings& settings() { return mutable_settings(); }
void read_settings_again() { mutable_settings() = read(); }

}  // namespace emulator
