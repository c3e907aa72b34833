#include <algorithm>
#include <array>

#include <carbo/error.hpp>

#include "bench/backends/model.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

constexpr double tera = 1e12, giga = 1e9;
// Assumptions: what the start of a kernel takes from a stream that is kept busy, and the way back to the host.
constexpr double launch = 5e-6, wait = 10e-6;
// What a row of a library's triangular solve waits for the one before, so that 1,000 rows take 70 µs: between the 40
// and 100 µs that are said of cublasDtrsv. Not measured.
constexpr double row = 70e-9;
// One direction of sixteen lanes, before packets' overhead.
constexpr double pcie_3 = 16 * giga, pcie_4 = 32 * giga, pcie_5 = 64 * giga;

// float64 of cards without units of full rate: as their architecture states it, 1/32 or 1/64 of float32.
const std::array<Card, 5> cards{{
    {"T4", 8.1 * tera / 32, 8.1 * tera, 320 * giga, pcie_3, launch, wait, 40, row,
     "NVIDIA T4 data sheet; float64 is 1/32 of float32"},
    {"A100-80GB-SXM", 9.7 * tera, 19.5 * tera, 2039 * giga, pcie_4, launch, wait, 108, row, "NVIDIA A100 data sheet"},
    {"H100-SXM", 34 * tera, 67 * tera, 3350 * giga, pcie_5, launch, wait, 132, row, "NVIDIA H100 data sheet"},
    {"L40S", 91.6 * tera / 64, 91.6 * tera, 864 * giga, pcie_4, launch, wait, 142, row,
     "NVIDIA L40S data sheet; float64 is 1/64 of float32"},
    {"RTX-4090", 82.6 * tera / 64, 82.6 * tera, 1008 * giga, pcie_4, launch, wait, 128, row,
     "NVIDIA Ada architecture paper; float64 is 1/64 of float32"},
}};

}  // namespace

std::span<const Card> known_cards() { return cards; }

const Card& card_by_name(std::string_view name) {
  std::string names;
  for (const Card& card : cards) {
    if (card.name == name) return card;
    names.append(names.empty() ? "" : ", ").append(card.name);
  }
  throw InvalidOptions(internal::text("card '", name, "' is not known; there are ", names));
}

bool takes_pairs(const Card& card) {
  constexpr double least_ratio = 16;
  return card.float32_flops >= least_ratio * card.flops;
}

double modelled_seconds(const StageWork& work, const Card& card) {
  const double slot_rate = card.flops / 2, float32_rate = card.float32_flops / 2;
  const double arithmetic = work.slots / slot_rate + work.float32_slots / float32_rate;
  const double longest = work.longest_slots / slot_rate + work.longest_float32_slots / float32_rate;
  const double computing = std::max(arithmetic, work.bytes / card.bandwidth) + longest * card.multiprocessors;
  const double copying = (work.bytes_to_device + work.bytes_to_host) / card.link;
  return computing + (work.launches + work.library_calls) * card.launch_seconds + copying +
         work.dependent_rows * card.row_seconds + work.waits * card.wait_seconds;
}

}  // namespace carbo::bench
