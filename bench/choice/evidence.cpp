#include "bench/choice/evidence.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "replay/curves.hpp"
#include "replay/statistics.hpp"

namespace carbo::choice {

namespace {

std::vector<double> savings_by_row(const replay::Traces& ours, const replay::Traces& rival) {
  std::vector<double> savings;
  for (std::size_t r = 0; r < ours.size(); ++r) savings.push_back(replay::savings(ours[r], rival[r]));
  return savings;
}

/// Fills the savings of all variants in cell `c`. Draws of seeds are those of the cell's problem.
void compare(Evidence& evidence, std::size_t c, std::size_t problem, std::size_t problems) {
  const Measured& cell = *evidence.cells[c];
  std::vector<const replay::MethodSummary*> rivals;
  std::vector<replay::Traces> rival_draws;
  std::vector<std::vector<double>> medians;
  for (const Rival& rival : evidence.rivals.list) {
    rivals.push_back(&cell.of(rival.name));
    rival_draws.push_back(replay::resampled_medians(rivals.back()->traces, problem, problems));
    medians.push_back(rivals.back()->middle);
  }
  for (VariantEvidence& variant : evidence.variants) {
    const replay::MethodSummary& ours = cell.of(variant.name);
    const replay::Traces draws = replay::resampled_medians(ours.traces, problem, problems);
    std::vector<CellSavings>& against = variant.cells[c];
    for (std::size_t i = 0; i < rivals.size(); ++i)
      against.push_back({replay::savings(ours.middle, medians[i]), savings_by_row(draws, rival_draws[i])});
    if (rivals.size() > 1) against.push_back(against[replay::best_final(medians)]);
  }
}

}  // namespace

const replay::MethodSummary& Measured::of(const std::string& method) const {
  if (const replay::MethodSummary* found = summary.find(method)) return *found;
  throw std::invalid_argument(problem() + ", batch " + std::to_string(summary.cell.batch) +
                              ": there are no runs of " + method);
}

std::vector<std::string> Evidence::against() const {
  std::vector<std::string> titles;
  for (const Rival& rival : rivals.list) titles.push_back(rival.title);
  if (titles.size() > 1) titles.push_back(titles.size() == 2 ? "better of both" : "best of them");
  return titles;
}

const VariantEvidence& Evidence::of(const std::string& name) const {
  for (const VariantEvidence& variant : variants)
    if (variant.name == name) return variant;
  throw std::invalid_argument("variant " + name + " was not compared");
}

std::vector<std::string> Evidence::problems() const {
  std::vector<std::string> names;
  for (const Measured* cell : cells)
    if (std::find(names.begin(), names.end(), cell->problem()) == names.end()) names.push_back(cell->problem());
  return names;
}

std::vector<std::size_t> Evidence::budgets() const {
  std::set<std::size_t> budgets;
  for (const Measured* cell : cells) budgets.insert(cell->mean_costs);
  return {budgets.begin(), budgets.end()};
}

Evidence gather(const std::vector<Measured>& cells, std::size_t batch, const Rivals& rivals,
                const std::vector<Variant>& variants, std::size_t threads) {
  Evidence evidence{.rivals = rivals};
  for (const Measured& cell : cells)
    if (cell.summary.cell.batch == batch) evidence.cells.push_back(&cell);
  if (evidence.cells.empty()) throw std::invalid_argument("no cell has batches of " + std::to_string(batch));
  const std::vector<std::string> problems = evidence.problems();
  for (const Variant& variant : variants) {
    for (const Measured* cell : evidence.cells) cell->of(variant.name);
    evidence.variants.push_back({variant.name, variant.title, {}});
    evidence.variants.back().cells.resize(evidence.cells.size());
  }
  for (const Measured* cell : evidence.cells)
    for (const Rival& rival : rivals.list) cell->of(rival.name);

  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t c = next++; c < evidence.cells.size(); c = next++) {
      const auto place = std::find(problems.begin(), problems.end(), evidence.cells[c]->problem());
      compare(evidence, c, static_cast<std::size_t>(place - problems.begin()), problems.size());
    }
  };
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < (threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())); ++i)
    running.emplace_back(work);
  running.clear();
  return evidence;
}

replay::NetSavings net_savings(const Evidence& evidence, const VariantEvidence& variant, std::size_t against,
                               std::optional<std::size_t> budget) {
  std::vector<double> single;
  std::vector<replay::ProblemSavings> drawn;
  for (const std::string& problem : evidence.problems()) {
    replay::ProblemSavings rows;
    for (std::size_t c = 0; c < evidence.cells.size(); ++c) {
      const Measured& cell = *evidence.cells[c];
      if (cell.problem() != problem || (budget && cell.mean_costs != *budget)) continue;
      const CellSavings& savings = variant.cells[c][against];
      single.push_back(savings.share);
      rows.push_back(savings.resampled);
    }
    if (!rows.empty()) drawn.push_back(std::move(rows));
  }
  return replay::net_savings(single, replay::resampled_means(drawn));
}

double problem_savings(const Evidence& evidence, const VariantEvidence& variant, std::size_t against,
                       const std::string& problem) {
  std::vector<double> shares;
  for (std::size_t c = 0; c < evidence.cells.size(); ++c)
    if (evidence.cells[c]->problem() == problem) shares.push_back(variant.cells[c][against].share);
  return replay::mean(shares);
}

}  // namespace carbo::choice
