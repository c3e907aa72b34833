#pragma once

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

/// Studies of many shapes, and the memory that they really take.
namespace carbo::test {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct MemoryShape {
  const char* name;
  std::size_t memory_bytes;
  std::size_t points = 100;  ///< told before the first `ask`
  std::size_t copies = 0;    ///< further observations of the first point
  std::size_t parameters = 6;
  std::size_t candidates = 8192;
  std::size_t batch = 1;
  std::size_t threads = 2;
  std::size_t timeouts = 0;  ///< told, too
  FantasyMode mode = FantasyMode::shared;
  bool features = false;  ///< cost models of three kinds compete, stray costs are drawn in
  bool pool = false;      ///< of the caller's rows instead of a sample
  bool selector = false;  ///< a Selector over that pool
  bool quick = false;     ///< takes no more than a second or two
};

/// What a shape was found to take.
struct MemoryUse {
  std::size_t peak = 0;     ///< bytes, above what the process had before
  std::size_t planned = 0;  ///< bytes
  std::size_t model_points = 0;
  std::size_t points = 0;
};

// clang-format off
inline const std::vector<MemoryShape> memory_shapes{
    {.name = "small, all fits", .memory_bytes = 32 * mebibyte, .quick = true},
    {.name = "hardly any memory", .memory_bytes = 3200000, .points = 25, .parameters = 2, .quick = true},
    {.name = "hardly any memory, 300 points", .memory_bytes = 6 * mebibyte, .points = 300, .parameters = 2, .quick = true},
    {.name = "models beyond the budget", .memory_bytes = 12 * mebibyte, .points = 600, .threads = 1, .quick = true},
    {.name = "models beyond the budget, 8 threads", .memory_bytes = 12 * mebibyte, .points = 600, .threads = 8, .quick = true},
    {.name = "10,000 copies of one point", .memory_bytes = 24 * mebibyte, .points = 50, .copies = 10000, .quick = true},
    {.name = "batches of 16", .memory_bytes = 24 * mebibyte, .points = 200, .batch = 16, .quick = true},
    {.name = "hyperparameters a fantasy", .memory_bytes = 32 * mebibyte, .points = 150, .batch = 4, .mode = FantasyMode::batched, .quick = true},
    {.name = "timeouts", .memory_bytes = 16 * mebibyte, .points = 300, .timeouts = 100, .quick = true},
    {.name = "everything at once, models beyond the budget", .memory_bytes = 24 * mebibyte, .points = 400, .copies = 200, .batch = 4, .threads = 4, .timeouts = 50, .mode = FantasyMode::batched, .features = true, .quick = true},
    {.name = "30 parameters", .memory_bytes = 24 * mebibyte, .points = 150, .parameters = 30, .quick = true},
    {.name = "a million candidates, streamed", .memory_bytes = 64 * mebibyte, .points = 60, .candidates = 1000000},
    {.name = "a million candidates, kept", .memory_bytes = 512 * mebibyte, .points = 60, .candidates = 1000000},
    {.name = "a pool of 300,000", .memory_bytes = 256 * mebibyte, .points = 200, .candidates = 300000, .pool = true},
    {.name = "1,500 points, all fit", .memory_bytes = 256 * mebibyte, .points = 1500},
    {.name = "3,000 points, a part fits", .memory_bytes = 96 * mebibyte, .points = 3000, .threads = 4},
    {.name = "3,000 points in batches of 32", .memory_bytes = 96 * mebibyte, .points = 3000, .batch = 32},
    {.name = "20,000 points", .memory_bytes = 128 * mebibyte, .points = 20000},
    {.name = "20,000 points, 8 threads, a streamed million", .memory_bytes = 192 * mebibyte, .points = 20000, .candidates = 1000000, .threads = 8},
    {.name = "a selector of 100,000 rows", .memory_bytes = 96 * mebibyte, .points = 600, .candidates = 100000, .batch = 8, .pool = true, .selector = true},
    {.name = "a selector whose models are beyond the budget", .memory_bytes = 32 * mebibyte, .points = 1500, .candidates = 20000, .pool = true, .selector = true, .quick = true},
};
// clang-format on

namespace memory_shape {

/// Weyl sequences: spread out, and the same everywhere.
inline std::vector<double> point(const MemoryShape& shape, std::size_t row) {
  std::vector<double> numbers(shape.parameters);
  for (std::size_t c = 0; c < shape.parameters; ++c) {
    const double step = std::sqrt(static_cast<double>(c * c + 3 * c + 3));
    numbers[c] = std::fmod(static_cast<double>(row + 1) * step, 1.0);
  }
  return numbers;
}

inline Evaluation evaluate(std::span<const double> x) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += std::sin(5 * x[c] + static_cast<double>(c));
  return {sum + 0.05 * std::sin(1e4 * sum), std::exp(x[0] + 0.5 * x[x.size() - 1])};
}

inline std::vector<double> rows(const MemoryShape& shape) {
  std::vector<double> numbers;
  for (std::size_t row = 0; row < shape.candidates; ++row) {
    const std::vector<double> one = point(shape, 1000000 + row);
    numbers.insert(numbers.end(), one.begin(), one.end());
  }
  return numbers;
}

inline Space space(const MemoryShape& shape) {
  std::vector<Parameter> parameters;
  for (std::size_t c = 0; c < shape.parameters; ++c) parameters.push_back(real("x" + std::to_string(c), 0, 1));
  return Space(std::move(parameters));
}

inline void tell_all(const MemoryShape& shape, Optimizer& optimizer) {
  for (std::size_t i = 0; i < shape.points + shape.copies; ++i) {
    const std::vector<double> x = point(shape, i < shape.points ? i : 0);
    Evaluation result = evaluate(x);
    result.objective += 1e-3 * static_cast<double>(i % 7);
    optimizer.tell(optimizer.space().configuration(x), result);
  }
  for (std::size_t i = 0; i < shape.timeouts; ++i)
    optimizer.fail(optimizer.space().configuration(point(shape, 500000 + i)), 2.0, "too slow", true, Origin::prior);
}

/// Three batches, each with what the one before it has shown.
inline MemoryUse study(const MemoryShape& shape, const std::shared_ptr<const Pool>& pool) {
  Options options;
  options.budget = 1e6;
  options.seed = 7;
  options.batch_size = shape.batch;
  options.initial_design = InitialDesign::uniform;
  options.design.warm_start = 0;
  options.candidates.count = shape.candidates;
  options.candidates.pool = pool;
  options.fantasies.mode = shape.mode;
  options.cost.robust = shape.features;
  if (shape.features) options.cost.features = {work("x0 * x1"), feature("x2")};
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = shape.threads;
  options.backend.memory_bytes = shape.memory_bytes;
  Optimizer optimizer(space(shape), options);
  tell_all(shape, optimizer);
  MemoryUse use;
  for (int turn = 0; turn < 3; ++turn) {
    const MemoryPlan plan = optimizer.memory_plan();
    use.planned = std::max(use.planned, plan.total_bytes());
    for (const Suggestion& one : optimizer.ask()) {
      use.model_points = one.receipt.objective_points.used;
      use.points = one.receipt.objective_points.known;
      optimizer.tell(one.id, evaluate(one.configuration.numbers()));
    }
  }
  return use;
}

inline MemoryUse selections(const MemoryShape& shape, const std::vector<double>& rows) {
  SelectorOptions options;
  options.columns = shape.parameters;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = shape.threads;
  options.backend.memory_bytes = shape.memory_bytes;
  Selector selector(options);
  selector.set_pool({host_rows(rows.data(), shape.candidates, shape.parameters)});
  std::vector<double> points, objectives, costs;
  for (std::size_t i = 0; i < shape.points; ++i) {
    const std::vector<double> x = point(shape, i);
    points.insert(points.end(), x.begin(), x.end());
    objectives.push_back(evaluate(x).objective);
    costs.push_back(evaluate(x).cost);
  }
  const std::size_t count = shape.points;
  Observations told;
  told.points = host_rows(points.data(), count, shape.parameters);
  told.objectives = host_values(objectives.data(), count);
  told.costs = host_values(costs.data(), count);
  selector.append(told);
  MemoryUse use;
  const SelectorFit fit = selector.fit();
  use.model_points = fit.objective_points.used;
  use.points = fit.objective_points.known;
  std::vector<std::int64_t> picked(shape.batch);
  selector.suggest({.count = shape.batch}, {host_index_room(picked.data(), picked.size())});
  return use;
}

/// Bytes of a line of /proc/self/status, which counts KiB.
inline std::size_t status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name, 0) == 0) return std::stoull(line.substr(name.size())) * 1024;
  return 0;
}

/// What the caller holds is there before it counts, and so is the code, of which a small study sees most.
inline MemoryUse run_and_measure(const MemoryShape& shape) {
  study({.name = "", .memory_bytes = 32 * mebibyte, .points = 20, .candidates = 300, .timeouts = 2}, nullptr);
  const std::vector<double> given = shape.pool ? rows(shape) : std::vector<double>{};
  const auto pool =
      shape.pool && !shape.selector ? std::make_shared<const Pool>(space(shape), given, shape.candidates) : nullptr;
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
  const std::size_t before = status("VmRSS:");
  MemoryUse use = shape.selector ? selections(shape, given) : study(shape, pool);
  use.peak = status("VmHWM:") - before;
  return use;
}

}  // namespace memory_shape

/// In a process of its own; absent where that failed.
inline std::optional<MemoryUse> measured(const MemoryShape& shape) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    try {
      const MemoryUse use = memory_shape::run_and_measure(shape);
      _exit(write(ends[1], &use, sizeof use) == sizeof use ? 0 : 1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", shape.name, error.what());
      _exit(1);
    }
  }
  close(ends[1]);
  MemoryUse use;
  const bool whole = read(ends[0], &use, sizeof use) == sizeof use;
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return whole && status == 0 ? std::optional(use) : std::nullopt;
}

}  // namespace carbo::test
