#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <carbo/options.hpp>

#include "support/tree_reader.hpp"

namespace carbo::internal {

/// Where an evaluation ran: beside the others of its batch, after the others of its slot (of the same batch, where
/// batches are synchronous).
struct Place {
  std::uint64_t batch = 0;
  std::size_t slot = 0;
};

/// The same of an evaluation that was told, as far as it is known.
struct ToldPlace {
  std::optional<std::uint64_t> batch{};
  std::optional<std::size_t> slot{};
};

/// One suggestion in a ledger.
struct LedgerEntry {
  std::uint64_t batch = 0;
  std::size_t slot = 0;
  double started = 0;  ///< on the clock
  double cost = 0;
  bool finished = false;
};

/// A Ledger beside its settings.
struct LedgerState {
  std::optional<double> elapsed{};  ///< seconds since the clock started; `wall_clock` only, absent before that
  std::uint64_t batches = 0;
  std::map<std::uint64_t, LedgerEntry> entries{};
  std::vector<double> unsuggested{};
  std::map<std::uint64_t, double> told_batches{};
  std::map<std::pair<std::uint64_t, std::size_t>, double> told_queues{};
  std::map<std::uint64_t, double> told_slots{};
};

Tree tree_of(const LedgerState& state);
/// Throws InvalidState where a number cannot be.
LedgerState read_ledger_state(const TreeReader& reader);

/// What was spent of the budget and what is still committed. A pure function of which suggestions were made and
/// what they cost: the order in which costs arrive does not matter.
class Ledger {
 public:
  /// `clock` returns seconds and never runs backwards; it is read for `wall_clock` accounting alone.
  Ledger(Accounting accounting, Execution execution, std::size_t slots, double seconds_per_unit,
         std::function<double()> clock);

  /// Starts the clock of `wall_clock` accounting; later calls do nothing.
  void open();
  /// The suggestions of one `ask`, to run in parallel; ids above all before them. `slots`: of each, those of one slot
  /// run in the order of their ids; without them each has one of its own. Asynchronously they are not looked at: each
  /// gets the slot that is free first. Nothing where it throws.
  void start(std::span<const std::uint64_t> ids, std::span<const std::size_t> slots = {});
  void finish(std::uint64_t id, double cost) noexcept;
  void withdraw(std::uint64_t id) noexcept;
  /// A cost paid in this run for a point that was not suggested. Where its batch (or its slot, asynchronously) is not
  /// known, nothing ran beside it; where its slot of a synchronous batch is not, it had one of its own. A clock that
  /// runs already has counted it. Nothing where it throws.
  void add_unsuggested(double cost, const ToldPlace& place = {});
  /// Of a suggestion that was started and not withdrawn.
  Place place(std::uint64_t id) const noexcept;
  /// Whether an evaluation of this batch was suggested or told.
  bool knows_batch(std::uint64_t batch) const;

  double spent() const;
  /// What running suggestions will add to `spent` if each costs as predicted.
  double committed(const std::map<std::uint64_t, double>& predicted_cost) const;
  /// What one more evaluation may cost if it is to end inside `budget`, the `position`-th started at once: what is
  /// neither spent nor committed; but evaluations of other slots run beside it, not before it.
  double room(double budget, const std::map<std::uint64_t, double>& predicted_cost, std::size_t position) const;

  LedgerState state() const;
  /// As the ledger was whose state it is, of the same settings; the clock goes on from where it was. Throws
  /// InvalidState where a slot is none of these.
  void restore(const LedgerState& state);

 private:
  using Entry = LedgerEntry;

  double now() const;
  double total(const std::map<std::uint64_t, double>& predicted_cost) const;
  /// Of all batches and of what was not suggested; synchronous only.
  double total_of_rounds(const std::map<std::uint64_t, double>& predicted_cost) const;
  /// Of the slots; asynchronous only.
  double makespan(const std::map<std::uint64_t, double>& predicted_cost) const;
  /// What those of its batch that run before it in its slot cost; synchronous only.
  double queued_before(std::uint64_t id, const std::map<std::uint64_t, double>& predicted_cost) const;
  double unsuggested_total() const;
  double busiest_told_slot() const;
  /// What told evaluations took before the clock started; `wall_clock` only.
  double told_total() const;
  struct Slot {
    std::size_t running = 0;
    double time = 0;  ///< cost of what ended, and the predicted cost of what runs
    std::size_t index = 0;
  };
  /// Free slots first, then those that are free soonest.
  std::vector<Slot> slots_by_load(const std::map<std::uint64_t, double>& predicted_cost) const;
  static double cost_of(std::uint64_t id, const Entry& entry, const std::map<std::uint64_t, double>& predicted_cost);

  Accounting accounting_;
  Execution execution_;
  std::size_t slots_;
  double seconds_per_unit_;
  std::function<double()> clock_;
  bool started_ = false;
  double start_time_ = 0;
  std::uint64_t batches_ = 0;
  std::map<std::uint64_t, Entry> entries_;
  std::vector<double> unsuggested_;               ///< ascending
  std::map<std::uint64_t, double> told_batches_;  ///< makespan of the told evaluations of each
  /// Sum of the told evaluations of each slot (second) of each batch (first); synchronous only.
  std::map<std::pair<std::uint64_t, std::size_t>, double> told_queues_;
  std::map<std::size_t, double> told_slots_;  ///< sum of the told evaluations of each; asynchronous only
  /// Room for `total`, which is asked where nothing may be allocated: one a slot.
  mutable std::vector<double> slot_times_;
};

}  // namespace carbo::internal
