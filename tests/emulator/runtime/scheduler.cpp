#include "scheduler.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "fiber.hpp"
#include "host_fault.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint8_t shared_poison = 0xff;
// When every resident block has spun so often without progress, they may be waiting for one that has not started.
constexpr std::size_t patience = 4;

// A resident block with its storage, which later blocks use again.
struct BlockSlot : ResidentBlock {
  std::vector<Thread> thread_storage;
  std::vector<Fiber> fibers;
  std::vector<Stack> stacks;
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> shared_storage;

  ~BlockSlot() {
    for (const Stack& stack : stacks) give_stack_back(stack);
  }
};

class Grid;
thread_local Grid* running_grid = nullptr;
thread_local Fiber scheduler_fiber;

class Grid {
 public:
  explicit Grid(const GridRequest& request)
      : request_(request),
        threads_(request.block[0] * request.block[1] * request.block[2]),
        blocks_(std::uint64_t(request.grid[0]) * request.grid[1] * request.grid[2]),
        random_(settings().seed),
        last_progress_(Clock::now()) {
    if (settings().order == Order::random && blocks_ < (1u << 24)) shuffle_blocks();
  }

  void run() {
    std::size_t turn = 0;
    while (resident_.size() < settings().window && started_ < blocks_) start_block();
    while (!resident_.empty()) {
      const std::size_t chosen = choose(turn++);
      spun_ = progressed_ = false;
      run_round(*resident_[chosen]);
      if (resident_[chosen]->exited == threads_) {
        spare_.push_back(std::move(resident_[chosen]));
        resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(chosen));
        if (started_ < blocks_ && resident_.size() < settings().window) start_block();
      }
      watch();
    }
  }

  void progress() { progressed_ = true; }
  void spun() { spun_ = true; }
  std::uint8_t* const* parameters() const { return request_.parameters; }
  const KernelRecord* kernel() const { return request_.kernel; }

 private:
  void shuffle_blocks() {
    block_order_.resize(blocks_);
    std::iota(block_order_.begin(), block_order_.end(), 0);
    shuffle(block_order_);
  }

  void shuffle(std::vector<std::uint32_t>& order) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
  }

  std::size_t choose(std::size_t turn) {
    if (settings().order == Order::random) return random_.below(resident_.size());
    return turn % resident_.size();
  }

  void start_block() {
    std::uint64_t index = started_++;
    if (!block_order_.empty())
      index = block_order_[index];
    else if (settings().order == Order::descending)
      index = blocks_ - 1 - index;
    if (spare_.empty()) spare_.push_back(std::make_unique<BlockSlot>());
    auto slot = std::move(spare_.back());
    spare_.pop_back();
    prepare(*slot, index);
    resident_.push_back(std::move(slot));
    last_progress_ = Clock::now();
  }

  void prepare(BlockSlot& slot, std::uint64_t index) {
    const std::uint32_t* grid = request_.grid;
    slot.index[0] = index % grid[0];
    slot.index[1] = index / grid[0] % grid[1];
    slot.index[2] = index / (std::uint64_t(grid[0]) * grid[1]);
    std::memcpy(slot.thread_dimensions, request_.block, sizeof slot.thread_dimensions);
    std::memcpy(slot.grid_dimensions, grid, sizeof slot.grid_dimensions);
    slot.kernel = request_.kernel;
    slot.globals = request_.globals;
    slot.shared_size = request_.kernel->dynamic_shared_offset + request_.dynamic_shared;
    slot.shared_storage.assign(slot.shared_size + 1024, shared_poison);
    slot.shared =
        slot.shared_storage.data() + (1024 - reinterpret_cast<std::uintptr_t>(slot.shared_storage.data()) % 1024);
    std::memset(slot.at_barrier, 0, sizeof slot.at_barrier);
    std::memset(slot.barrier_expected, 0, sizeof slot.barrier_expected);
    std::memset(slot.waiting_lanes, 0, sizeof slot.waiting_lanes);
    std::memset(slot.exited_lanes, 0, sizeof slot.exited_lanes);
    slot.exited = 0;
    slot.thread_count = threads_;
    slot.thread_storage.assign(threads_, Thread());
    slot.threads = slot.thread_storage.data();
    slot.fibers.resize(threads_);
    slot.order.resize(threads_);
    while (slot.stacks.size() < threads_) slot.stacks.push_back(take_stack());
    for (std::uint32_t i = 0; i < threads_; ++i) prepare_thread(slot, i);
  }

  void prepare_thread(BlockSlot& slot, std::uint32_t i) {
    Thread& t = slot.threads[i];
    t.linear = i;
    t.index[0] = i % request_.block[0];
    t.index[1] = i / request_.block[0] % request_.block[1];
    t.index[2] = i / (request_.block[0] * request_.block[1]);
    t.lane = i % 32;
    t.warp = i / 32;
    t.block = &slot;
    t.fiber = &slot.fibers[i];
    t.stack_low = slot.stacks[i].low;
    t.stack_high = slot.stacks[i].high;
    slot.order[i] = settings().order == Order::descending ? threads_ - 1 - i : i;
    prepare_fiber(slot.fibers[i], slot.stacks[i], thread_main, &t);
  }

  static void thread_main(void* argument) {
    Thread& t = *static_cast<Thread*>(argument);
    running_grid->kernel()->run(t, running_grid->parameters());
    t.state = ThreadState::done;
    leave_to_scheduler(t);
  }

  // Every thread that can run runs until it waits, spins or ends.
  void run_round(BlockSlot& slot) {
    if (settings().order == Order::random) shuffle(slot.order);
    bool ran = false;
    for (const std::uint32_t i : slot.order) {
      Thread& t = slot.threads[i];
      if (t.state == ThreadState::spinning) t.state = ThreadState::runnable;
      if (t.state != ThreadState::runnable) continue;
      ran = true;
      execution_place.thread = &t;
      switch_fiber(scheduler_fiber, slot.fibers[i]);
      execution_place.thread = nullptr;
      if (t.state == ThreadState::done) {
        ++slot.exited;
        slot.exited_lanes[t.warp] |= 1u << t.lane;
        progressed_ = true;
        complete_after_exit(t);
      }
    }
    if (!ran && slot.exited < threads_) report_deadlock(slot);
  }

  void watch() {
    if (progressed_) {
      stalled_rounds_ = 0;
      last_progress_ = Clock::now();
      return;
    }
    if (spun_ && ++stalled_rounds_ >= patience * resident_.size() && started_ < blocks_) {
      stalled_rounds_ = 0;
      start_block();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - last_progress_).count();
    if (seconds > settings().watchdog_seconds)
      defect("no progress for %.0f seconds: livelock or endless loop (%zu blocks resident, %llu of %llu started)",
             seconds, resident_.size(), static_cast<unsigned long long>(started_),
             static_cast<unsigned long long>(blocks_));
  }

  const GridRequest& request_;
  const std::uint32_t threads_;
  const std::uint64_t blocks_;
  std::uint64_t started_ = 0;
  std::vector<std::uint32_t> block_order_;
  std::vector<std::unique_ptr<BlockSlot>> resident_, spare_;
  Random random_;
  bool spun_ = false, progressed_ = false;
  std::size_t stalled_rounds_ = 0;
  Clock::time_point last_progress_;
};

}  // namespace

void run_grid(const GridRequest& request) {
  prepare_thread_for_faults();
  NamedWork named(request.kernel->name);
  Grid grid(request);
  Grid* const before = std::exchange(running_grid, &grid);
  grid.run();
  running_grid = before;
}

void leave_to_scheduler(Thread& thread) { switch_fiber(*static_cast<Fiber*>(thread.fiber), scheduler_fiber); }

void note_progress() { running_grid->progress(); }

void Thread::spin() {
  running_grid->spun();
  state = ThreadState::spinning;
  leave_to_scheduler(*this);
}

void Thread::loop_slice_used() {
  loop_budget = loop_slice;
  spin();
}

}  // namespace emulator
