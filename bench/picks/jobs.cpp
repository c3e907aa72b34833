#include "bench/picks/jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "bench/support/matern_pass.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

/// " (bar 0.60)" beside figures of `late`.
std::string bar(DataSet data, double value) {
  if (data != DataSet::late) return "";
  char text[32];
  std::snprintf(text, sizeof text, " (bar %.2f)", value);
  return text;
}

double percent(double part, std::size_t whole) { return 100.0 * part / static_cast<double>(whole); }

void print_head(const char* job, const Problem& problem) { std::printf("%-13s %s  ", job, problem.label().c_str()); }

void print_work(const SearchWork& work, std::size_t m, std::size_t picks) {
  std::printf("; finished %.3f %%, rows %.3f %%", percent(static_cast<double>(work.finished), m), 100.0 * work.rows);
  if (picks > 1)
    std::printf(", refreshed %.2f %% a pick, %zu sweeps of bounds",
                percent(static_cast<double>(work.refreshed), m * (picks - 1)), work.sweeps);
  std::printf("\n");
}

/// Which of the two GPs' means were looked at in float32 first.
const char* precision_name(const SearchWork& work, std::size_t m) {
  return work.screened == 0 ? "float64" : work.screened == 2 * m ? "float32" : "float32 for one GP";
}

void expect_same(const Picks& one, const Picks& other) {
  const Scored &a = one.picked.front(), &b = other.picked.front();
  if (a.index != b.index || a.score != b.score)
    throw std::runtime_error("float32 picks " + std::to_string(b.index) + ", float64 " + std::to_string(a.index));
}

}  // namespace

void float32_by_noise(const JobSize& size) {
  for (const double noise : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.3}) {
    Problem problem(size.data, size.n, size.m);
    problem.objective_gp.noise_variance = noise;
    problem.log_cost_gp.noise_variance = noise;
    const Scene scene(problem);
    Picks wide, narrow, chosen;
    const auto [float64, float32, automatic] =
        in_turn({[&] { wide = scene.one_pick(Precision::float64); },
                 [&] { narrow = scene.one_pick(Precision::float32); }, [&] { chosen = scene.one_pick(); }},
                size.repeats);
    expect_same(wide, narrow);
    expect_same(wide, chosen);
    print_head("float32", problem);
    std::printf(
        "noise %.0e: one pick %.4f s, in float32 first %.4f s: %.2f times as fast, finished %.2f %%; chosen:"
        " %s, %.2f times as fast\n",
        noise, float64.seconds, float32.seconds, float64.seconds / float32.seconds,
        percent(static_cast<double>(narrow.work.finished), size.m), precision_name(chosen.work, size.m),
        float64.seconds / automatic.seconds);
  }
}

void pick_against_matern_pass(const JobSize& size) {
  const Problem problem(size.data, size.n, size.m);
  const Scene scene(problem);
  MaternPass pass(problem.point_rows(), problem.pool_rows(), problem.objective_gp.inverse_lengthscales,
                  std::vector<double>(size.n, 1.0));
  Picks picks, chosen;
  const auto [bare, pick, automatic] = in_turn(
      {[&] { pass.run(); }, [&] { picks = scene.one_pick(Precision::float64); }, [&] { chosen = scene.one_pick(); }},
      size.repeats);
  expect_same(picks, chosen);
  print_head("one pick", problem);
  std::printf(
      "float64 %.4f s (%.3f CPU s), bare Matérn pass %.4f s (%.2f ns an entry): %.2f of its rate, both GPs"
      " counted%s",
      pick.seconds, pick.cpu_seconds, bare.seconds, bare.seconds / static_cast<double>(size.n * size.m) * 1e9,
      2 * bare.seconds / pick.seconds, bar(size.data, 0.90).c_str());
  print_work(picks.work, size.m, 1);
  print_head("one pick", problem);
  std::printf("%s %.4f s (%.3f CPU s): %.2f times as fast%s", precision_name(chosen.work, size.m), automatic.seconds,
              automatic.cpu_seconds, pick.seconds / automatic.seconds, bar(size.data, 1.7).c_str());
  print_work(chosen.work, size.m, 1);
}

void pick_against_dense_pass(const JobSize& size) {
  constexpr std::size_t measured_at_most = 100000;
  const Problem problem(size.data, size.n, size.m);
  const Scene scene(problem);
  const bool in_full = size.dense_in_full || size.m <= measured_at_most;
  const Problem dense_problem(size.data, size.n, in_full ? size.m : measured_at_most);
  const Scene dense_scene(dense_problem);
  Scored exact;
  Picks picks;
  const auto [dense, pick] =
      in_turn({[&] { exact = dense_scene.dense_pick(); }, [&] { picks = scene.one_pick(); }}, size.repeats);
  if (in_full && (exact.index != picks.picked.front().index || exact.score != picks.picked.front().score))
    throw std::runtime_error("pick " + std::to_string(picks.picked.front().index) + " is not the dense pass's " +
                             std::to_string(exact.index));
  const double scale = static_cast<double>(size.m) / static_cast<double>(dense_problem.candidates());
  print_head("dense pass", problem);
  std::printf("%.3f s%s (%.3f CPU s), one pick %.4f s (%.3f CPU s): %.1f times as fast%s%s\n", scale * dense.seconds,
              in_full ? "" : " by measure at m=100000, scaled", scale * dense.cpu_seconds, pick.seconds,
              pick.cpu_seconds, scale * dense.seconds / pick.seconds, bar(size.data, 5).c_str(),
              in_full ? ", same candidate and score" : "");
}

void flat_against_dense_pass(const JobSize& size) {
  for (const std::size_t n : {100, 200, 400, 1000}) {
    Problem problem(size.data, n, size.m);
    std::fill(problem.objective.begin(), problem.objective.end(), 0.0);
    std::fill(problem.log_costs.begin(), problem.log_costs.end(), 0.0);
    problem.objective_gp.noise_variance = 0.3;
    const Scene scene(problem);
    Picks picks;
    const auto [dense, pick] =
        in_turn({[&] { scene.dense_pick(); }, [&] { picks = scene.one_pick(); }}, size.repeats);
    print_head("flat", problem);
    std::printf("objective 0, noise 0.3: one pick %.4f s, dense pass %.4f s: %.2f of it (bar 1.10)", pick.seconds,
                dense.seconds, pick.seconds / dense.seconds);
    print_work(picks.work, size.m, 1);
  }
}

BatchTimes time_batch(const Problem& problem, std::size_t batch, int repeats) {
  Scene scene(problem);
  BatchTimes times;
  std::vector<Timing> wide, single, all;
  for (int i = 0; i < repeats; ++i) {
    scene.renew_candidates();
    wide.push_back(time_of([&] { scene.one_pick(Precision::float64); }));
    single.push_back(time_of([&] { scene.one_pick(); }));
    all.push_back(time_of([&] { times.picks = scene.batch(batch); }));
  }
  times.float64_pick = median_timing(wide);
  times.one_pick = median_timing(single);
  times.batch = median_timing(all);
  return times;
}

void batch_against_pick(const JobSize& size, std::size_t batch, double limit) {
  const Problem problem(size.data, size.n, size.m);
  const BatchTimes times = time_batch(problem, batch, size.repeats);
  print_head(("batch of " + std::to_string(batch)).c_str(), problem);
  std::printf(
      "n_f=%zu  %.3f s (%.3f CPU s); one pick in float64 %.4f s (%.3f CPU s): %.2f of it%s; one pick %.4f s:"
      " %.2f of it",
      default_fantasies, times.batch.seconds, times.batch.cpu_seconds, times.float64_pick.seconds,
      times.float64_pick.cpu_seconds, times.batch.seconds / times.float64_pick.seconds, bar(size.data, limit).c_str(),
      times.one_pick.seconds, times.batch.seconds / times.one_pick.seconds);
  print_work(times.picks.work, size.m, batch);
}

}  // namespace carbo::bench
