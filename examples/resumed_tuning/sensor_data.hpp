#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace resumed_tuning {

/// Bytes of one record, little-endian: u32 time stamp, i16 × 3 oscillations with noise, i16 slow walk,
/// f32 temperature quantised to 1/16.
inline constexpr std::size_t record_bytes = 16;

/// What a logger on a vibrating machine would write: `bytes` / 16 whole records, the same for the same seed.
std::string sensor_records(std::size_t bytes, std::uint64_t seed);

}  // namespace resumed_tuning
