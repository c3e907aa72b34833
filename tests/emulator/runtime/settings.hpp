// How to run. Read from the environment at the first use; emulator_set() changes one setting while the program runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

constexpr int most_devices = 2;

enum class Order { ascending, descending, random };

struct Settings {
  Order order = Order::ascending;       // EMULATOR_ORDER: of threads in a block and of blocks in a grid
  std::uint64_t seed = 1;               // EMULATOR_SEED: of the random order and of lazy streams
  bool lazy_streams = false;            // EMULATOR_STREAMS=eager|lazy
  std::size_t window = 4;               // EMULATOR_WINDOW: blocks that are resident together
  std::uint64_t watchdog_seconds = 60;  // EMULATOR_WATCHDOG: without progress, until a livelock is reported
  std::size_t stack_bytes = 128 << 10;  // EMULATOR_STACK: of an emulated thread
  std::size_t device_bytes = std::size_t(8) << 30;  // EMULATOR_MEMORY: of each device
  int device_count = most_devices;                  // EMULATOR_DEVICES
  int capability = 0;           // EMULATOR_CAPABILITY=7.5; 0: the highest target of the loaded modules
  int float32_per_float64 = 0;  // EMULATOR_FLOAT32_RATIO: to the rate of float64; 0: as of the capability
  bool pools_supported = true;  // EMULATOR_POOLS=supported|unsupported
  bool allow_exited_threads =
      false;  // EMULATOR_EXITED=report|allow: a barrier does not wait for threads that returned
  bool abort_on_bad_launch = false;  // EMULATOR_BAD_LAUNCH=return|abort
  bool print_counters = false;       // EMULATOR_COUNTERS=1: at exit
  bool report_leaks = false;         // EMULATOR_LEAKS=1: at exit
  bool print_waits = false;          // EMULATOR_WAITS=1: every wait as it is called
  std::string module_path;           // EMULATOR_MODULES: directories with translated modules, separated by ':'
  std::string fault_plan;            // EMULATOR_FAIL: see emulator_control.h
};

const Settings& settings();

// Takes the environment as it is now. The caller holds the runtime lock, and nothing is queued or running.
void read_settings_again();

// A small generator of our own: the sequence for a seed must not depend on the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace emulator
