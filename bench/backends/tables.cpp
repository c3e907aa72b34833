#include "bench/backends/tables.hpp"

#include <algorithm>
#include <cmath>

#include "bench/backends/crossover.hpp"
#include "bench/support/markdown.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using internal::text;

constexpr double rounds_up_to_1000 = 999.5;  // with three digits

bool has_backend(const Report& report, const std::string& backend) {
  return std::any_of(report.measurements.begin(), report.measurements.end(),
                     [&](const Measurement& m) { return m.backend == backend; });
}

/// Whole numbers above 0; blank where the job has no such size.
std::string cell(std::size_t size) { return size == 0 ? "" : grouped(static_cast<double>(size)); }

std::vector<std::string> size_cells(const Case& c) {
  const bool batches = c.job == Job::batch || c.job == Job::suggest;
  const bool fantasises = batches || c.job == Job::append;
  return {label(c),
          cell(c.sizes.n),
          cell(c.sizes.m),
          cell(c.sizes.d),
          cell(batches ? c.sizes.b : 0),
          cell(fantasises ? c.sizes.fantasies : 0)};
}

/// "1.23 ms (1.20 to 1.30)": median and quartiles.
std::string time_cell(const Measurement* m) {
  if (m == nullptr) return "–";
  return text(seconds_text(m->seconds.median), " (", seconds_text(m->seconds.lower), " to ",
              seconds_text(m->seconds.upper), ")");
}

std::string rate_cell(const Measurement* m) {
  if (m == nullptr) return "–";
  const char* const gap = m->rate() < rounds_up_to_1000 ? "" : " ";  // between a prefix and a word
  return text(quantity_text(m->rate(), gap), m->work.unit, "/s");
}

std::string share_cell(const Measurement* m) {
  if (m == nullptr || !m->share) return "–";
  return format("%.2f of ", m->share->median) + name_of(m->work.limit);
}

std::string memory_cell(const Measurement* m) {
  if (m == nullptr || m->peak_bytes == 0) return "–";
  const double mebibytes = static_cast<double>(m->peak_bytes) / 1048576;
  return format(mebibytes < 10 ? "%.1f MiB" : "%.0f MiB", mebibytes);
}

std::string number_cell(double value, const char* unit) { return value == 0 ? "–" : quantity_text(value, unit); }

std::string limits_text(const MachineLimits& limits, const std::string& gemm, const char* memory) {
  const std::string fma = text("multiply-adds ", quantity_text(limits.fma_flops, "flop/s"), ", ");
  return text(limits.fma_flops > 0 ? fma : "", "GEMM (", gemm, ") ", quantity_text(limits.gemm_flops, "flop/s"),
              ", memory (", memory, ") ", quantity_text(limits.memory_bytes, "B/s"), ", Matérn pass at d = 6 ",
              quantity_text(limits.matern_entries, " entries/s"));
}

}  // namespace

std::string grouped(double whole) {
  std::string digits = format("%.0f", std::round(whole));
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string seconds_text(double seconds) {
  if (seconds < rounds_up_to_1000 * 1e-6) return format("%.3g µs", seconds * 1e6);
  if (seconds < rounds_up_to_1000 * 1e-3) return format("%.3g ms", seconds * 1e3);
  return format(seconds < rounds_up_to_1000 ? "%.3g s" : "%.0f s", seconds);
}

std::string quantity_text(double value, const char* symbol) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T"};
  std::size_t power = 0;
  for (; value >= rounds_up_to_1000 && power + 1 < std::size(prefixes); ++power) value /= 1000;
  return format(value < rounds_up_to_1000 ? "%.3g " : "%.0f ", value) + prefixes[power] + symbol;
}

std::string label(const Case& c) {
  return c.variant.empty() ? name_of(c.job) : text(name_of(c.job), ", ", c.variant);
}

std::string sizes_text(const Case& c) {
  const std::vector<std::string> cells = size_cells(c);
  constexpr const char* names[] = {"", "n", "m", "d", "b", "n_f"};
  std::string result;
  for (std::size_t i = 1; i < cells.size(); ++i)
    if (!cells[i].empty()) result += text(result.empty() ? "" : ", ", names[i], " = ", cells[i]);
  return result;
}

std::string environment_text(const Report& report) {
  const auto line = [&](const char* what, const std::string& value) { return text("- ", what, ": ", value, "\n"); };
  return line("CPU", text(fact(report, "cpu"), ", ", fact(report, "cores"), " cores, ", fact(report, "cpu_clock"),
                          ", governor ", fact(report, "cpu_governor"))) +
         line("load when it began", fact(report, "load_average")) + line("device", fact(report, "device")) +
         line("nvidia-smi lists", text(fact(report, "cards"), ", driver ", fact(report, "driver"), ", clocks ",
                                       fact(report, "device_clocks"))) +
         line("backends", text(fact(report, "cpu_reason"), "; ", fact(report, "cuda_reason"))) +
         line("compiler", fact(report, "flags")) +
         line("Carbo",
              text(fact(report, "version"), ", commit ", fact(report, "commit"), ", ", fact(report, "date"))) +
         line("limits of this machine", limits_text(report.limits, fact(report, "cpu_gemm"), "triad")) +
         (report.device_limits ? line("limits of the device", limits_text(*report.device_limits, "cuBLAS", "copy"))
                               : "");
}

std::string results_table(const Report& report) {
  const bool both = has_backend(report, "cpu") && has_backend(report, "cuda");
  TextTable table{{"job", "n", "m", "d", "b", "n_f"}};
  const std::string first = has_backend(report, "cpu") ? "cpu" : "cuda";
  for (const char* title : {"time (quartiles)", "rate", "flops", "bytes", "of the limit", "peak"})
    table.front().push_back(first + ": " + title);
  if (both)
    for (const char* title : {"cuda: time (quartiles)", "cuda: rate", "cuda: of the limit", "cpu / cuda"})
      table.front().push_back(title);
  for (const Measurement& m : report.measurements) {
    const Measurement* const here = find(report, m.of, first);
    if (here != nullptr && here != &m) continue;  // has its row
    std::vector<std::string> row = size_cells(m.of);
    row.insert(row.end(), {time_cell(here), rate_cell(here), number_cell(m.work.flops, "flop"),
                           number_cell(m.work.bytes, "B"), share_cell(here), memory_cell(here)});
    if (both) {
      const Measurement* const cuda = find(report, m.of, "cuda");
      const bool compared = here != nullptr && cuda != nullptr;
      row.insert(row.end(), {time_cell(cuda), rate_cell(cuda), share_cell(cuda),
                             compared ? format("%.2f", here->seconds.median / cuda->seconds.median) : "–"});
    }
    table.push_back(row);
  }
  return table.size() == 1 ? "" : markdown(table);
}

std::string crossover_table(const Report& report) {
  const std::vector<CrossoverLine> lines = crossovers(report);
  if (lines.empty()) return "";
  TextTable table{{"job", "with", "the GPU is faster from"}};
  for (const CrossoverLine& line : lines)
    table.push_back({label(line.of), sizes_text(line.of), text(line.varies, " ", describe(line.crossover))});
  return markdown(table);
}

std::string failures_text(const Report& report) {
  std::string result;
  for (const Failure& failure : report.failures)
    result += text("- ", label(failure.of), " on ", failure.backend, ", ", sizes_text(failure.of), ": ",
                   failure.reason, "\n");
  return result;
}

}  // namespace carbo::bench
