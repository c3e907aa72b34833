#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "bench/picks/jobs.hpp"

namespace carbo::bench {

namespace {

/// Raw float64 in this machine's byte order, which is little-endian wherever BoTorch runs.
void write_values(const std::string& path, std::span<const double> values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  if (!out.flush()) throw std::runtime_error(path + " could not be written");
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string gp_json(const internal::GpParameters& gp) {
  std::string lengthscales;
  for (const double inverse : gp.inverse_lengthscales)
    lengthscales += (lengthscales.empty() ? "" : ", ") + number(1 / inverse);
  return "{\"lengthscales\": [" + lengthscales + "], \"signal_variance\": " + number(gp.signal_variance) +
         ", \"noise_variance\": " + number(gp.noise_variance) + ", \"mean\": " + number(gp.mean) + "}";
}

void write_problem(const Problem& problem, std::size_t batch, const std::string& folder) {
  write_values(folder + "/points.f64", problem.points);
  write_values(folder + "/objective.f64", problem.objective);
  write_values(folder + "/log_costs.f64", problem.log_costs);
  write_values(folder + "/pool.f64", problem.pool);
  write_values(folder + "/normals.f64", fantasy_normals(0, batch));
  std::ofstream out(folder + "/problem.json");
  out << "{\"data\": \"" << name_of(problem.data) << "\", \"columns\": " << problem.columns
      << ", \"fantasies\": " << default_fantasies << ", \"batch\": " << batch << ", \"alpha\": " << number(alpha)
      << ",\n \"objective\": " << gp_json(problem.objective_gp)
      << ",\n \"log_cost\": " << gp_json(problem.log_cost_gp) << "}\n";
  if (!out.flush()) throw std::runtime_error(folder + "/problem.json could not be written");
}

}  // namespace

void batch_for_peer(const JobSize& size, std::size_t batch, const std::string& folder) {
  const Problem problem(size.data, size.n, size.m);
  write_problem(problem, batch, folder);
  const BatchTimes times = time_batch(problem, batch, size.repeats);
  std::printf("problem: %s d=%zu n_f=%zu batch=%zu alpha=%g, medians of %d\n", problem.label().c_str(),
              problem.columns, default_fantasies, batch, alpha, size.repeats);
  std::printf("batch=%zu\nseconds=%.6f\ncpu_seconds=%.6f\none_pick_seconds=%.6f\n", batch, times.batch.seconds,
              times.batch.cpu_seconds, times.one_pick.seconds);
  std::printf("picks=");
  for (const internal::Scored& pick : times.picks.picked) std::printf("%zu ", pick.index);
  std::printf("\nscores=");
  for (const internal::Scored& pick : times.picks.picked) std::printf("%.10f ", pick.score);
  std::printf("\n");
}

}  // namespace carbo::bench
