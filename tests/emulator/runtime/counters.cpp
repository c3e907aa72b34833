#include "counters.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulator_control.h"
#include "lock.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

bool mentions_any(const std::string& call, const std::vector<const char*>& parts) {
  for (const char* part : parts)
    if (call.find(part) != std::string::npos) return true;
  return false;
}

// Calls that release or only report are left out of the plan "*": programs have no way to answer their failure.
bool can_be_any_call(const std::string& call) {
  static const std::vector<const char*> left_out = {"Free", "Destroy", "Unregister", "LastError", "GetError"};
  return !mentions_any(call, left_out);
}

// What a device with a sticky error still answers: it does not need the device's context.
bool works_on_broken_device(const std::string& call) {
  static const std::vector<const char*> names = {"GetDevice", "SetDevice", "DeviceGetAttribute", "GetVersion",
                                                 "LastError"};
  return mentions_any(call, names);
}

struct FaultPlan {
  std::string call;  // empty: no plan
  std::uint64_t calls_left = 0;
  bool sticky = false, reached = false;

  // "<name or *>:<k>", "sticky:<k>" or "sticky:<name>:<k>".
  static FaultPlan parse(const std::string& text) {
    FaultPlan plan;
    if (text.empty()) return plan;
    const std::string prefix = "sticky:";
    plan.sticky = text.rfind(prefix, 0) == 0;
    const std::string rest = plan.sticky ? text.substr(prefix.size()) : text;
    const auto colon = rest.rfind(':');
    const long long k = std::atoll(rest.c_str() + (colon == std::string::npos ? 0 : colon + 1));
    if (k < 1 || (colon == std::string::npos && !plan.sticky)) {
      std::fprintf(stderr, "EMULATOR: the fault plan '%s' is not <name or *>:<k>, sticky:<k> or sticky:<name>:<k>\n",
                   text.c_str());
      std::exit(2);
    }
    plan.call = colon == std::string::npos ? "*" : rest.substr(0, colon);
    plan.calls_left = static_cast<std::uint64_t>(k);
    return plan;
  }

  // True where this is the call that has to fail.
  bool reached_by(const char* name) {
    if (call.empty() || (call != name && !(call == "*" && can_be_any_call(name)))) return false;
    if (--calls_left > 0) return false;
    call.clear();
    return reached = true;
  }
};

struct State {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, long long> live;
  FaultPlan plan = FaultPlan::parse(settings().fault_plan);
  bool broken[most_devices] = {};

  void set_plan(const char* text) {
    plan = FaultPlan::parse(text ? text : "");
    for (bool& device : broken) device = false;
  }
};

State& state() {
  static State* const the_state = new State;
  return *the_state;
}

template <class Body>
auto with_state(Body body) {
  State& s = state();
  const std::lock_guard<std::mutex> guard(s.mutex);
  return body(s);
}

}  // namespace

bool fails(const char* call) {
  return with_state([&](State& s) {
    ++s.counters["API calls"];
    bool& broken = s.broken[current_device()];
    if (broken && !works_on_broken_device(call)) return true;
    if (!s.plan.reached_by(call)) return false;
    ++s.counters["faults injected"];
    broken = s.plan.sticky;
    note("%s fails as planned", call);
    return true;
  });
}

bool device_is_broken() {
  return with_state([](State& s) { return s.broken[current_device()]; });
}

void count(const char* counter, std::uint64_t by) {
  with_state([&](State& s) { s.counters[counter] += by; });
}

void take_work(Work& work) {
  with_state([&](State& s) {
    s.counters["float64 operations"] += work.float64_operations;
    s.counters["float64 divisions and roots"] += work.float64_divisions;
    s.counters["float32 operations"] += work.float32_operations;
    s.counters["device bytes read"] += work.bytes_read;
    s.counters["device bytes written"] += work.bytes_written;
    s.counters["atomics"] += work.atomics;
  });
  work = {};
}

void track(const char* kind, int change) {
  with_state([&](State& s) { s.live[kind] += change; });
}

void count_peak(const char* counter, std::uint64_t value) {
  with_state([&](State& s) {
    auto& peak = s.counters[counter];
    if (value > peak) peak = value;
  });
}

void print_counters() {
  with_state([](State& s) {
    for (const auto& [name, value] : s.counters) note("%s: %llu", name.c_str(), (unsigned long long)value);
  });
}

}  // namespace emulator

using namespace emulator;

unsigned long long emulator_counter(const char* name) {
  return with_state([&](State& s) -> unsigned long long {
    const auto found = s.counters.find(name);
    return found == s.counters.end() ? 0 : found->second;
  });
}

void emulator_reset_counters() {
  const Locked locked(runtime_lock());
  with_state([](State& s) { s.counters.clear(); });
  count_peak("peak device bytes", all_device_bytes());
}

long long emulator_live(const char* kind) {
  return with_state([&](State& s) -> long long {
    const auto found = s.live.find(kind);
    return found == s.live.end() ? 0 : found->second;
  });
}

void emulator_set_fault(const char* plan) {
  with_state([&](State& s) { s.set_plan(plan); });
}

int emulator_fault_reached() {
  return with_state([](State& s) -> int { return s.plan.reached; });
}
