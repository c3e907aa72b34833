// Where the threads of a block meet: barriers of the block, operations of the warp.
#include <string>

#include "report.hpp"
#include "scheduler.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t undefined_lane = 0xdeadbeefdeadbeefull;

ResidentBlock& resident(Thread& t) { return static_cast<ResidentBlock&>(*t.block); }

std::string place_text(const Thread& t) { return "thread " + std::to_string(t.linear); }

// "bar.sync" is aligned: a warp executes it as a whole, at one place in the program.
void check_alignment(const ResidentBlock& block, std::uint32_t id) {
  for (std::uint32_t first = 0; first < block.thread_count; first += 32) {
    const Thread* some = nullptr;
    for (std::uint32_t i = first; i < first + 32 && i < block.thread_count; ++i) {
      const Thread& t = block.threads[i];
      if (t.state != ThreadState::at_barrier || t.barrier_id != id || !t.barrier_aligned) continue;
      if (some && some->barrier_place != t.barrier_place)
        defect("divergent barrier: threads %u and %u of one warp are at different barrier instructions", some->linear,
               t.linear);
      some = &t;
    }
  }
}

void release_barrier(ResidentBlock& block, std::uint32_t id) {
  check_alignment(block, id);
  const auto waits_here = [&](const Thread& t) { return t.state == ThreadState::at_barrier && t.barrier_id == id; };
  std::uint32_t votes = 0, voters = 0;
  for (std::uint32_t i = 0; i < block.thread_count; ++i) {
    if (!waits_here(block.threads[i])) continue;
    ++voters;
    votes += block.threads[i].barrier_vote;
  }
  for (std::uint32_t i = 0; i < block.thread_count; ++i) {
    Thread& t = block.threads[i];
    if (!waits_here(t)) continue;
    // Counted here: by the time a thread looks at the result, others may have gone on and returned.
    t.barrier_votes = votes;
    t.barrier_voters = voters;
    t.state = ThreadState::runnable;
  }
  block.at_barrier[id] = 0;
  note_progress();
}

bool barrier_is_complete(const ResidentBlock& block, std::uint32_t id) {
  if (block.barrier_expected[id]) return block.at_barrier[id] >= block.barrier_expected[id];
  if (block.at_barrier[id] + block.exited < block.thread_count) return false;
  if (block.exited && !settings().allow_exited_threads)
    defect(
        "divergent barrier: %u threads of the block are at barrier %u, %u have returned without reaching it "
        "(EMULATOR_EXITED=allow accepts that)",
        block.at_barrier[id], id, block.exited);
  return true;
}

void arrive(Thread& t, std::uint32_t id, std::uint32_t expected) {
  ResidentBlock& block = resident(t);
  if (id >= ResidentBlock::barriers) defect("barrier %u does not exist", id);
  if (expected % 32) defect("barrier %u: the number of threads, %u, is not a multiple of 32", id, expected);
  if (block.at_barrier[id] && block.barrier_expected[id] != expected)
    defect("barrier %u: threads disagree on the number of threads, %u and %u", id, block.barrier_expected[id],
           expected);
  block.barrier_expected[id] = expected;
  ++block.at_barrier[id];
}

const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync:
      return "a warp barrier";
    case WarpOperation::shuffle:
      return "a shuffle";
    case WarpOperation::ballot:
      return "a vote";
    case WarpOperation::match_any:
    case WarpOperation::match_all:
      return "a match";
    case WarpOperation::elect:
      return "an election";
    default:
      return "a warp reduction";
  }
}

std::uint64_t combine(WarpOperation operation, std::uint64_t a, std::uint64_t b) {
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
  switch (operation) {
    case WarpOperation::add:
      return a + b;
    case WarpOperation::minimum_signed:
      return sa < sb ? a : b;
    case WarpOperation::maximum_signed:
      return sa > sb ? a : b;
    case WarpOperation::minimum_unsigned:
      return ua < ub ? a : b;
    case WarpOperation::maximum_unsigned:
      return ua > ub ? a : b;
    case WarpOperation::bit_and:
      return a & b;
    case WarpOperation::bit_or:
      return a | b;
    default:
      return a ^ b;
  }
}

std::uint64_t shuffled(const Thread* warp, const Thread& t, std::uint32_t members, std::uint32_t exited) {
  if (!t.source_in_range) return t.value;
  const std::uint32_t source = 1u << t.source_lane;
  if (!(t.mask & source)) return undefined_lane;  // many reductions read such a lane and ignore what they get
  if (exited & source || !(members & source))
    defect("shuffle: lane %u reads from lane %u, which has returned or does not exist, under the mask 0x%08x", t.lane,
           t.source_lane, t.mask);
  return warp[t.source_lane].value;
}

// The last lane that arrives computes the results of all: nobody's input can be overwritten before it is read.
void resolve(Thread& last, std::uint32_t members, std::uint32_t exited) {
  Thread* const warp = last.block->threads + last.warp * 32;
  const std::uint32_t taking_part = members & ~exited;
  const std::uint32_t first = __builtin_ctz(taking_part);
  std::uint64_t ballot = 0, total = warp[first].value;
  bool all_equal = true;
  for (std::uint32_t rest = taking_part; rest; rest &= rest - 1) {
    const std::uint32_t lane = __builtin_ctz(rest);
    const Thread& t = warp[lane];
    if (t.operation != last.operation)
      defect("lanes %u and %u wait under the same mask 0x%08x, one at %s, the other at %s", last.lane, lane,
             last.mask, name_of(last.operation), name_of(t.operation));
    if (t.value) ballot |= std::uint64_t(1) << lane;
    if (t.value != warp[first].value) all_equal = false;
    if (lane != first) total = combine(last.operation, total, t.value);
  }
  for (std::uint32_t rest = taking_part; rest; rest &= rest - 1) {
    Thread& t = warp[__builtin_ctz(rest)];
    switch (t.operation) {
      case WarpOperation::sync:
        break;
      case WarpOperation::shuffle:
        t.result = shuffled(warp, t, members, exited);
        break;
      case WarpOperation::ballot:
        t.result = ballot;
        break;
      case WarpOperation::match_all:
        t.result = all_equal ? taking_part : 0;
        break;
      case WarpOperation::elect:
        t.result = first;
        break;
      case WarpOperation::match_any:
        t.result = 0;
        for (std::uint32_t other = taking_part; other; other &= other - 1)
          if (warp[__builtin_ctz(other)].value == t.value) t.result |= other & -other;
        break;
      default:
        t.result = total;
    }
  }
}

bool try_complete_warp(Thread& t) {
  ResidentBlock& block = resident(t);
  const std::uint32_t members = t.mask & t.present_lanes(), exited = block.exited_lanes[t.warp];
  if (members & ~(block.waiting_lanes[t.warp] | exited)) return false;
  Thread* const warp = block.threads + t.warp * 32;
  for (std::uint32_t rest = members & ~exited; rest; rest &= rest - 1)
    if (warp[__builtin_ctz(rest)].mask != t.mask) return false;
  resolve(t, members, exited);
  for (std::uint32_t rest = members & ~exited; rest; rest &= rest - 1)
    warp[__builtin_ctz(rest)].state = ThreadState::runnable;
  block.waiting_lanes[t.warp] &= ~members;
  return true;
}

}  // namespace

void Thread::barrier(std::uint32_t id, std::uint32_t expected, std::uint32_t place, bool aligned) {
  arrive(*this, id, expected);
  barrier_id = id;
  barrier_place = place;
  barrier_aligned = aligned;
  state = ThreadState::at_barrier;
  if (barrier_is_complete(resident(*this), id))
    release_barrier(resident(*this), id);
  else
    leave_to_scheduler(*this);
}

void Thread::barrier_arrive(std::uint32_t id, std::uint32_t expected) {
  arrive(*this, id, expected);
  if (barrier_is_complete(resident(*this), id)) release_barrier(resident(*this), id);
}

std::uint32_t Thread::barrier_reduce(BarrierReduction reduction, std::uint32_t id, bool vote, std::uint32_t place) {
  barrier_vote = vote;
  barrier(id, 0, place, true);
  barrier_vote = false;
  switch (reduction) {
    case BarrierReduction::all:
      return barrier_votes == barrier_voters;
    case BarrierReduction::any:
      return barrier_votes > 0;
    default:
      return barrier_votes;
  }
}

std::uint64_t Thread::exchange(WarpOperation what, std::uint64_t brought, std::uint32_t member_mask) {
  if (!(member_mask >> lane & 1))
    defect("%s: lane %u executes it with the mask 0x%08x, which leaves the lane out", name_of(what), lane,
           member_mask);
  operation = what;
  value = brought;
  mask = member_mask;
  state = ThreadState::at_warp;
  resident(*this).waiting_lanes[warp] |= 1u << lane;
  if (!try_complete_warp(*this)) leave_to_scheduler(*this);
  return result;
}

std::uint32_t Thread::shuffle(char mode, std::uint32_t brought, std::uint32_t b, std::uint32_t c,
                              std::uint32_t member_mask, bool& in_range) {
  // PTX packs the segment of the warp and the bound of the source lane into c.
  const int segment = c >> 8 & 31, clamp = c & 31, me = static_cast<int>(lane), distance = b & 31;
  const int bound = (me & segment) | (clamp & ~segment);
  int source = me;
  switch (mode) {
    case 'u':
      source = me - distance;
      break;
    case 'd':
      source = me + distance;
      break;
    case 'b':
      source = me ^ distance;
      break;
    case 'i':
      source = (me & segment) | (distance & ~segment);
      break;
  }
  source_in_range = mode == 'u' ? source >= bound : source <= bound;
  source_lane = static_cast<std::uint32_t>(source) & 31;
  in_range = source_in_range;
  return static_cast<std::uint32_t>(exchange(WarpOperation::shuffle, brought, member_mask));
}

void complete_after_exit(Thread& exited) {
  ResidentBlock& block = resident(exited);
  for (std::uint32_t id = 0; id < ResidentBlock::barriers; ++id)
    if (block.at_barrier[id] && barrier_is_complete(block, id)) release_barrier(block, id);
  for (std::uint32_t rest = block.waiting_lanes[exited.warp]; rest; rest &= rest - 1) {
    Thread& waiting = block.threads[exited.warp * 32 + __builtin_ctz(rest)];
    if (waiting.state == ThreadState::at_warp) try_complete_warp(waiting);
  }
}

void report_deadlock(const ResidentBlock& block) {
  std::string text;
  std::uint32_t at_barrier = 0, at_warp = 0;
  for (std::uint32_t i = 0; i < block.thread_count; ++i) {
    const Thread& t = block.threads[i];
    if (t.state == ThreadState::at_barrier && ++at_barrier == 1)
      text += "; " + place_text(t) + " waits at barrier " + std::to_string(t.barrier_id);
    if (t.state == ThreadState::at_warp && ++at_warp == 1) {
      char mask[16];
      std::snprintf(mask, sizeof mask, "0x%08x", t.mask);
      text += "; " + place_text(t) + " waits at " + name_of(t.operation) + " with the mask " + mask;
    }
  }
  defect(
      "deadlock (divergent barrier or warp operation) in block (%u, %u, %u): %u threads at block barriers, %u at "
      "warp "
      "operations, %u have returned%s",
      block.index[0], block.index[1], block.index[2], at_barrier, at_warp, block.exited, text.c_str());
}

}  // namespace emulator
