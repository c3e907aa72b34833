#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/backends/job.hpp"

namespace carbo::bench {

/// Work of one stage of a job on the device, by closed formulas. A model, not a measurement: launches, calls, copies
/// and waits are counted from the source of the backend, operations and bytes from its kernels.
struct StageWork {
  std::string stage;
  /// float64: add and mul are one, fma is two, a division or root is `operations_per_division`.
  double flops = 0;
  /// Instructions of the float64 pipe, one a thread: an add takes as long there as a multiply-add. Of loops as
  /// scripts/issue_slots reads them from the machine code.
  double slots = 0;
  /// Slots of the longest block of threads of each launch, or of steps that wait for each other, added up: they run
  /// on one multiprocessor at a time.
  double longest_slots = 0;
  double float32_flops = 0;  ///< counted as `flops` are
  /// Instructions of all kinds of loops in float32, one a thread: what a multiprocessor issues is their limit.
  double float32_slots = 0;
  double longest_float32_slots = 0;
  /// What device memory must move at least: every buffer once a pass, and the substitution's workspace as often as it
  /// is read. Factors and observed points, which all blocks of threads read, are taken to stay in the cache.
  double bytes = 0;
  double launches = 0;
  double library_calls = 0;  ///< cuBLAS and cuSOLVER
  /// Rows of triangles that libraries solve with, each of which waits for the one before.
  double dependent_rows = 0;
  double bytes_to_device = 0;
  double bytes_to_host = 0;
  double waits = 0;
  /// What kernels and libraries ask of device memory, caches not counted: the upper bound beside `bytes`.
  double requested_bytes = 0;
};

/// Adds all figures; the stage's name stays.
StageWork& operator+=(StageWork& sum, const StageWork& more);
StageWork sum_of(const std::vector<StageWork>& stages);

/// On a device a float64 division or root is a subroutine of about this many operations; an assumption.
inline constexpr double operations_per_division = 16;

/// Shares that a pick's work depends on, as a search reports them. Those of the CPU's search are of no use to the
/// model: it prunes in another way.
struct PickShares {
  double finished = 0;         ///< of m, a pick
  double refreshed = 0;        ///< of m, a pick
  double rows = 0;             ///< substitution done, of n²m, a pick
  double screened = 0;         ///< means first bounded in low precision, of m, a search
  bool in_pairs = false;       ///< these are in pairs of float32
  bool pairs_possible = true;  ///< a search looks whether they would do, where it may look at means in float32
};

/// Round figures of what the CUDA search reported on the emulated device. README.md has the formulas, the
/// sizes that they were seen at and how far from them a search was. Other data have other shares.
PickShares usual_shares(Job job, const JobSizes& sizes);

/// Stages of a job in their order. Nothing of it depends on a device or a driver. `fit` is one step, and `suggest`
/// finds its models fitted. README.md says how far from the counted work they are.
std::vector<StageWork> modelled_work(Job job, const JobSizes& sizes, const PickShares& shares);

/// Figures of a card. Rates are those of its data sheet; latencies are assumptions.
struct Card {
  std::string name;
  double flops = 0;           ///< float64 without tensor cores, 1/s
  double float32_flops = 0;   ///< the same of float32
  double bandwidth = 0;       ///< of device memory, B/s
  double link = 0;            ///< to the host, each way, B/s
  double launch_seconds = 0;  ///< of a kernel or a library call
  double wait_seconds = 0;    ///< until the host goes on after work that it waited for
  double multiprocessors = 0;
  double row_seconds = 0;  ///< from a row of a triangular solve to the next
  std::string source;
};

std::span<const Card> known_cards();
/// Whether the card's float64 is so slow that searches may look at means in pairs of float32.
bool takes_pairs(const Card& card);
/// Throws carbo::InvalidOptions that lists the names.
const Card& card_by_name(std::string_view name);

/// The longer of slots and memory at the card's full rates, then the longest block of every launch on a
/// multiprocessor of its own, rows that wait for each other, launches, copies and waits one after another. A slot
/// takes as long as a multiply-add, half of what `flops` counts, and so does one of float32. Nothing overlaps but
/// arithmetic and memory, and nothing runs below its rate, so that it is neither a bound from below nor from above; a
/// real kernel reaches a share of the rates. What the host does itself is not in it: the walk of a race, and
/// candidates that it makes.
double modelled_seconds(const StageWork& work, const Card& card);

}  // namespace carbo::bench
