#include "bench/backends/crossover.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/backends/tables.hpp"

namespace carbo::bench {

std::optional<Crossover> find_crossover(std::vector<SizeTimes> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end(), [](const SizeTimes& a, const SizeTimes& b) { return a.size < b.size; });
  const auto advantage = [](const SizeTimes& t) { return std::log(t.cpu / t.cuda); };  // of the GPU
  std::size_t first = times.size();  // of the sizes from which on the GPU is faster
  while (first > 0 && advantage(times[first - 1]) > 0) --first;
  if (first == 0) return Crossover{CrossoverKind::below, times.front().size};
  if (first == times.size()) return Crossover{CrossoverKind::above, times.back().size};
  const double before = advantage(times[first - 1]);
  const double after = advantage(times[first]);
  const double share = before / (before - after);  // before ≤ 0 < after
  const double low = std::log(times[first - 1].size);
  return Crossover{CrossoverKind::at, std::exp(low + share * (std::log(times[first].size) - low))};
}

const char* name_of(CrossoverKind kind) {
  constexpr std::array names{"at", "below_smallest", "above_largest"};
  return names[static_cast<std::size_t>(kind)];
}

std::string describe(const Crossover& crossover) {
  const std::string size = grouped(crossover.size);
  if (crossover.kind == CrossoverKind::below) return "below " + size;
  if (crossover.kind == CrossoverKind::above) return "not up to " + size;
  return size;
}

std::vector<CrossoverLine> crossovers(const Report& report) {
  std::vector<CrossoverLine> lines;
  std::vector<std::vector<SizeTimes>> times;
  for (const Measurement& cpu : report.measurements) {
    const Measurement* const cuda = cpu.backend == "cpu" ? find(report, cpu.of, "cuda") : nullptr;
    if (cuda == nullptr) continue;
    CrossoverLine line{.of = cpu.of, .varies = cpu.of.job == Job::fit ? "n" : "m"};
    std::size_t& varying = line.varies == "n" ? line.of.sizes.n : line.of.sizes.m;
    const auto size = static_cast<double>(varying);
    varying = 0;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.of == line.of; });
    const auto place = static_cast<std::size_t>(same - lines.begin());
    if (same == lines.end()) {
      lines.push_back(line);
      times.emplace_back();
    }
    times[place].push_back({size, cpu.seconds.median, cuda->seconds.median});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].crossover = *find_crossover(times[i]);
  return lines;
}

}  // namespace carbo::bench
