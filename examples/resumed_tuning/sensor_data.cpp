#include "sensor_data.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

namespace resumed_tuning {
namespace {

/// Written out, because the standard leaves the algorithms of its distributions open.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}

  /// Uniform in (0, 1).
  double uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }

  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 bits_;
};

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFFu));
}

void put_i16(std::string& out, double value) {
  put(out, static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(value))), 2);
}

struct Oscillation {
  double amplitude;  ///< counts
  double period;     ///< records
  double noise;      ///< standard deviation, counts
};

constexpr Oscillation axes[] = {{1200, 97.3, 2}, {1000, 211.7, 2}, {600, 530.9, 2}};
constexpr std::uint32_t start_ms = 1'700'000'000;
constexpr std::uint32_t interval_ms = 10;
constexpr double walk_step_probability = 0.08;
constexpr double temperature_step = 1.0 / 16.0;

}  // namespace

std::string sensor_records(std::size_t bytes, std::uint64_t seed) {
  Noise noise(seed);
  std::string out;
  out.reserve(bytes);
  const std::size_t records = bytes / record_bytes;
  double walk = 1000;
  double drift = 0;
  for (std::size_t i = 0; i < records; ++i) {
    const double time = static_cast<double>(i);
    put(out, start_ms + interval_ms * static_cast<std::uint32_t>(i), 4);
    for (const Oscillation& axis : axes) {
      const double phase = 2.0 * std::numbers::pi * time / axis.period;
      put_i16(out, axis.amplitude * std::sin(phase) + axis.noise * noise.normal());
    }
    const double draw = noise.uniform();
    if (draw < walk_step_probability) walk += draw < walk_step_probability / 2 ? 1 : -1;
    put_i16(out, walk);
    drift += 0.006 * noise.normal();
    const double temperature = 20.0 + 5.0 * std::sin(2.0 * std::numbers::pi * time / 20'000.0) + drift;
    const double quantised = std::round(temperature / temperature_step) * temperature_step;
    put(out, std::bit_cast<std::uint32_t>(static_cast<float>(quantised)), 4);
  }
  return out;
}

}  // namespace resumed_tuning
