#include <algorithm>
#include <cmath>
#include <limits>

#include <carbo/error.hpp>
#include <carbo/optimizer.hpp>

#include "engine/ledger.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

bool is_cost(double cost) { return std::isfinite(cost) && cost >= 0; }

void set_costs(Tree& tree, const char* key, const std::map<std::uint64_t, double>& costs, const char* name) {
  tree.set_all(key, costs, [&](const auto& numbered) {
    Tree one = Tree::object();
    one.set(name, numbered.first);
    one.set("cost", numbered.second);
    return one;
  });
}

std::map<std::uint64_t, double> read_costs(const TreeReader& reader, const char* key, const char* name) {
  std::map<std::uint64_t, double> costs;
  for (const TreeReader& one : reader.elements(key)) {
    const auto cost = one.get<double>("cost");  // of several evaluations, whose sum may be beyond all numbers
    one.require(cost >= 0, "cost: expected a number of at least 0");
    one.require(costs.emplace(one.get<std::uint64_t>(name), cost).second, "it is there twice");
  }
  return costs;
}

Tree tree_of_queue(const std::pair<const std::pair<std::uint64_t, std::size_t>, double>& queue) {
  const auto& [place, cost] = queue;
  Tree tree = Tree::object();
  tree.set("batch", place.first);
  tree.set("slot", place.second);
  tree.set("cost", cost);
  return tree;
}

std::map<std::pair<std::uint64_t, std::size_t>, double> read_queues(const TreeReader& reader) {
  std::map<std::pair<std::uint64_t, std::size_t>, double> queues;
  for (const TreeReader& one : reader.elements("told_queues")) {
    const auto cost = one.get<double>("cost");  // a sum, as above
    one.require(cost >= 0, "cost: expected a number of at least 0");
    const std::pair place(one.get<std::uint64_t>("batch"), std::size_t{one.get<std::uint64_t>("slot")});
    one.require(queues.emplace(place, cost).second, "it is there twice");
  }
  return queues;
}

Tree tree_of_entry(const std::pair<const std::uint64_t, LedgerEntry>& numbered) {
  const auto& [id, entry] = numbered;
  Tree tree = Tree::object();
  tree.set("id", id);
  tree.set("batch", entry.batch);
  if (entry.slot != 0) tree.set("slot", entry.slot);
  if (entry.started != 0) tree.set("started", entry.started);
  if (entry.finished) tree.set("cost", entry.cost);
  return tree;
}

LedgerEntry read_entry(const TreeReader& reader) {
  LedgerEntry entry;
  entry.batch = reader.get<std::uint64_t>("batch");
  reader.read("slot", entry.slot);
  reader.read("started", entry.started);
  reader.require(std::isfinite(entry.started), "started: expected a finite number");
  entry.finished = reader.find("cost").has_value();
  reader.read("cost", entry.cost);
  reader.require(is_cost(entry.cost), "cost: expected a finite number of at least 0");
  return entry;
}

}  // namespace

Tree tree_of(const LedgerState& state) {
  Tree tree = Tree::object();
  tree.set("elapsed", state.elapsed);
  tree.set("batches", state.batches);
  tree.set("entries", Tree::array(state.entries, tree_of_entry));
  if (!state.unsuggested.empty()) tree.set("unsuggested", state.unsuggested);
  set_costs(tree, "told_batches", state.told_batches, "batch");
  tree.set_all("told_queues", state.told_queues, tree_of_queue);
  set_costs(tree, "told_slots", state.told_slots, "slot");
  return tree;
}

LedgerState read_ledger_state(const TreeReader& reader) {
  LedgerState state;
  reader.read("elapsed", state.elapsed);
  reader.require(std::isfinite(state.elapsed.value_or(0)), "elapsed: expected a finite number");
  state.batches = reader.get<std::uint64_t>("batches");
  for (const TreeReader& one : reader.at("entries").elements())
    one.require(state.entries.emplace(one.get<std::uint64_t>("id"), read_entry(one)).second, "its id is there twice");
  reader.read("unsuggested", state.unsuggested);
  reader.require(std::ranges::all_of(state.unsuggested, is_cost) && std::ranges::is_sorted(state.unsuggested),
                 "unsuggested: expected finite costs of at least 0, ascending");
  state.told_batches = read_costs(reader, "told_batches", "batch");
  state.told_queues = read_queues(reader);
  state.told_slots = read_costs(reader, "told_slots", "slot");
  return state;
}

LedgerState Ledger::state() const {
  LedgerState state;
  const bool clock = accounting_ == Accounting::wall_clock;
  if (clock && started_) state.elapsed = clock_() - start_time_;
  state.batches = batches_;
  state.entries = entries_;
  for (auto& [id, entry] : state.entries)
    if (!clock || entry.finished) entry.started = 0;
  state.unsuggested = unsuggested_;
  state.told_batches = told_batches_;
  state.told_queues = told_queues_;
  state.told_slots = {told_slots_.begin(), told_slots_.end()};
  return state;
}

void Ledger::restore(const LedgerState& state) {
  // A synchronous `ask` may have been for more workers than there are slots.
  const bool asynchronous = execution_ == Execution::asynchronous;
  const std::size_t most = asynchronous ? slots_ : Optimizer::most_running;
  std::size_t slots = slots_;
  for (const auto& [id, entry] : state.entries) {
    if (entry.slot >= most)
      throw InvalidState(text("the slot of id ", id, " is ", entry.slot, "; it is below ", most));
    slots = std::max(slots, entry.slot + 1);
  }
  if (accounting_ != Accounting::wall_clock && state.elapsed)
    throw InvalidState("elapsed: there is no clock but with wall_clock accounting");
  started_ = state.elapsed.has_value();
  start_time_ = started_ ? clock_() - *state.elapsed : 0.0;
  batches_ = state.batches;
  entries_ = state.entries;
  unsuggested_ = state.unsuggested;
  told_batches_ = state.told_batches;
  told_queues_ = state.told_queues;
  told_slots_ = {state.told_slots.begin(), state.told_slots.end()};
  slot_times_.resize(slots);
}

}  // namespace carbo::internal
