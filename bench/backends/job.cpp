#include "bench/backends/job.hpp"

#include <algorithm>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::bench {

namespace {

constexpr std::size_t double_bytes = sizeof(double);
constexpr double gps = 2;  // objective and log cost

/// The entry of `all` with this name; throws InvalidOptions that lists them.
template <class All>
auto by_name(const All& all, std::string_view name, const char* what) {
  std::string names;
  for (const auto entry : all) {
    if (name == name_of(entry)) return entry;
    names.append(names.empty() ? "" : ", ").append(name_of(entry));
  }
  throw InvalidOptions(internal::text(what, " '", name, "' is not known; there are ", names));
}

NominalWork fit_work(const Case& c) {
  const auto n = static_cast<double>(c.sizes.n);
  if (c.variant == "whole") return {.units = 1, .unit = "fits"};
  const double requests = gps * static_cast<double>(c.sizes.restarts);
  // Factor and inverse: n³ of each likelihood with its gradient.
  return {.units = requests,
          .unit = "likelihoods",
          .flops = requests * n * n * n,
          .bytes = requests * n * n * double_bytes,
          .limit = Limit::gemm,
          .limit_work = requests * n * n * n};
}

}  // namespace

const char* name_of(Job job) {
  constexpr std::array names{"fit", "dense", "pick", "batch", "append", "design", "suggest"};
  return names[static_cast<std::size_t>(job)];
}

Job job_by_name(std::string_view name) { return by_name(all_jobs, name, "job"); }

const char* name_of(Limit limit) {
  constexpr std::array names{"none", "GEMM", "memory", "Matérn", "FMA"};
  return names[static_cast<std::size_t>(limit)];
}

Limit limit_by_name(std::string_view name) {
  return by_name(std::array{Limit::none, Limit::gemm, Limit::memory, Limit::matern, Limit::fma}, name, "limit");
}

JobSizes relevant(Job job, JobSizes sizes) {
  const JobSizes standard;
  if (job == Job::fit) sizes.m = 0;
  if (job == Job::design) sizes.n = 0;
  if (job != Job::batch && job != Job::suggest) sizes.b = standard.b;
  if (job != Job::batch && job != Job::suggest && job != Job::append) sizes.fantasies = standard.fantasies;
  if (job != Job::batch) sizes.batched = standard.batched;
  if (job != Job::fit && job != Job::suggest) sizes.restarts = standard.restarts;
  return sizes;
}

std::vector<std::string> variants_of(Job job, bool batched_too) {
  if (job == Job::fit) return {"step", "whole"};
  if (job == Job::suggest) return {"fitted", "with fit"};
  if (job != Job::batch) return {""};
  return batched_too ? std::vector<std::string>{"shared", "batched"} : std::vector<std::string>{"shared"};
}

double matern_entry_flops(std::size_t columns) { return 3.0 * static_cast<double>(columns) + 40.0; }

NominalWork nominal_work(const Case& c) {
  if (c.job == Job::fit) return fit_work(c);
  const auto n = static_cast<double>(c.sizes.n);
  const auto m = static_cast<double>(c.sizes.m);
  const auto d = static_cast<double>(c.sizes.d);
  const double entry = matern_entry_flops(c.sizes.d);
  const double rows = m * d * double_bytes;  // the candidates
  const double column = m * double_bytes;    // one number a candidate
  // Entries of the means of the log cost's GP and of the objective's, of which a batched one has one a fantasy.
  const double passes = c.sizes.batched ? 1 + static_cast<double>(c.sizes.fantasies) : gps;
  const double entries = passes * n * m;
  const auto picks = [&](double count) -> NominalWork {
    return {.units = count,
            .unit = "picks",
            .flops = entries * entry,
            .bytes = passes * (rows + column) + column,
            .limit = Limit::matern,
            .limit_work = entries};
  };
  switch (c.job) {
    case Job::dense:
      return {.units = m,
              .unit = "candidates",
              .flops = n * n * m + entries * entry,
              .bytes = gps * rows + 4 * column,
              .limit = Limit::gemm,
              .limit_work = n * n * m};
    case Job::append:
      return {.units = m,
              .unit = "candidates",
              .flops = n * m * entry + 2 * m * static_cast<double>(c.sizes.fantasies),
              .bytes = rows + 2 * column * static_cast<double>(c.sizes.fantasies + 1),
              .limit = Limit::matern,
              .limit_work = n * m};
    case Job::design:
      return {.units = m,
              .unit = "candidates",
              .flops = 3 * d * m,
              .bytes = rows + 3 * column,  // distances read and written, costs read
              .limit = Limit::memory,
              .limit_work = rows + 3 * column};
    case Job::suggest:
      // Whose fits take far longer than the passes that it would be held against.
      if (c.variant == "with fit") return {.units = static_cast<double>(c.sizes.b), .unit = "picks"};
      [[fallthrough]];
    case Job::batch:
      return picks(static_cast<double>(c.sizes.b));
    default:
      return picks(1);
  }
}

}  // namespace carbo::bench
