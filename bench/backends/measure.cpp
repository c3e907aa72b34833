#include "bench/backends/measure.hpp"

#include <vector>

#include "bench/backends/workload.hpp"
#include "bench/support/peak_memory.hpp"
#include "bench/support/profiler_range.hpp"
#include "bench/support/timing.hpp"

namespace carbo::bench {

namespace {

/// All that one run after the other adds up to.
struct Runs {
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  std::vector<double> limit_rates;
  std::vector<double> shares;
  double total_seconds = 0;
};

void add_run(Runs& runs, Workload& workload, LimitProbe* probe, const Case& of, double limit_work) {
  double limit_rate = 0;
  if (probe != nullptr) {
    const ProfilerRange range("limit");
    limit_rate = probe->work() / time_of([&] { probe->run(); }).seconds;
  }
  workload.prepare();
  const ProfilerRange range(name_of(of.job));
  const Timing timing = time_of([&] { workload.run(); });
  runs.seconds.push_back(timing.seconds);
  runs.cpu_seconds.push_back(timing.cpu_seconds);
  runs.total_seconds += timing.seconds;
  if (probe == nullptr) return;
  runs.limit_rates.push_back(limit_rate);
  runs.shares.push_back(limit_work / timing.seconds / limit_rate);
}

}  // namespace

Measurement measure(const Case& c, const MeasureOptions& options) {
  Measurement result;
  result.of = c;
  result.work = nominal_work(c);
  const bool on_cpu = options.backend.kind == BackendKind::cpu;
  result.backend = on_cpu ? "cpu" : "cuda";

  const bool peak_known = reset_peak_memory();
  const std::size_t resident = peak_memory();
  const auto workload = make_workload(c, options.backend);
  workload->prepare();
  workload->run();
  if (peak_known) result.peak_bytes = peak_memory() - resident;

  const ProbeMaker make_probe = on_cpu ? make_cpu_probe : options.device_probes;
  const auto probe = options.against_limit && make_probe ? make_probe(result.work.limit, c.sizes) : nullptr;
  if (probe != nullptr) probe->run();
  Runs runs;
  while (runs.seconds.size() < options.repeats ||
         (runs.total_seconds < options.least_seconds && runs.seconds.size() < options.most_repeats))
    add_run(runs, *workload, probe.get(), c, result.work.limit_work);

  result.seconds = replay::spread_of(runs.seconds);
  result.cpu_seconds = replay::median(runs.cpu_seconds);
  result.shares = workload->shares();
  if (probe != nullptr) {
    result.limit_rate = replay::median(runs.limit_rates);
    result.share = replay::spread_of(runs.shares);
  }
  return result;
}

}  // namespace carbo::bench
