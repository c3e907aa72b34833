#include "bench/choice/report.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/support/csv.hpp"
#include "bench/support/markdown.hpp"
#include "bench/support/statistics.hpp"

namespace carbo::choice {

namespace {

using bench::percent;
using bench::TextTable;

constexpr std::array<const char*, 3> against_titles = {"EI", "EIpu", "better of both"};
constexpr std::array<const char*, 3> against_names = {"ei", "eipu", "better"};

std::string with_range(const replay::NetSavings& net) {
  return percent(net.share) + " (" + percent(net.low) + " to " + percent(net.high) + ")";
}

std::size_t count_problems(const Evidence& evidence, const VariantEvidence& variant, Against against, auto accepts) {
  std::size_t count = 0;
  for (const std::string& problem : evidence.problems())
    count += accepts(problem_savings(evidence, variant, against, problem)) ? 1 : 0;
  return count;
}

std::string names_of_lost(const Evidence& evidence, const VariantEvidence& variant) {
  std::string names;
  for (const std::string& problem : evidence.problems())
    if (problem_savings(evidence, variant, Against::ei, problem) < loss)
      names += (names.empty() ? "" : " ") + problem;
  return names;
}

TextTable pooled_table(const Evidence& evidence) {
  TextTable table{{"variant", "against EI", "against EIpu", "against the better of both", "lost to EI", "ahead of EI",
                   "of EIpu", "of both", "s a run"}};
  const std::string problems = std::to_string(evidence.problems().size());
  for (const VariantEvidence& variant : evidence.variants) {
    auto& row = table.emplace_back();
    row.push_back(variant.name);
    for (const Against against : all_against) row.push_back(with_range(net_savings(evidence, variant, against)));
    row.push_back(
        std::to_string(count_problems(evidence, variant, Against::ei, [](double share) { return share < loss; })));
    for (const Against against : all_against)
      row.push_back(
          std::to_string(count_problems(evidence, variant, against, [](double share) { return share > 0; })) + "/" +
          problems);
    std::vector<double> seconds;
    for (const Measured* cell : evidence.cells) seconds.push_back(cell->of(variant.name).seconds);
    row.push_back(bench::format("%.2f", bench::mean(seconds)));
  }
  return table;
}

TextTable budget_table(const Evidence& evidence) {
  TextTable table{{"variant"}};
  for (const Against against : all_against)
    for (const std::size_t budget : evidence.budgets())
      table[0].push_back(std::string(against_titles[static_cast<std::size_t>(against)]) +
                         bench::format(", %zu", budget));
  for (const VariantEvidence& variant : evidence.variants) {
    auto& row = table.emplace_back();
    row.push_back(variant.name);
    for (const Against against : all_against)
      for (const std::size_t budget : evidence.budgets())
        row.push_back(with_range(net_savings(evidence, variant, against, budget)));
  }
  return table;
}

std::string lost_lines(const Evidence& evidence) {
  std::string lines;
  for (const VariantEvidence& variant : evidence.variants)
    if (const std::string lost = names_of_lost(evidence, variant); !lost.empty())
      lines += "- " + variant.name + ": " + lost + "\n";
  return lines.empty() ? "" : "Lost to EI by more than 10 %:\n\n" + lines + "\n";
}

const VariantEvidence& evidence_of(const Evidence& evidence, const std::string& name) {
  for (const VariantEvidence& variant : evidence.variants)
    if (variant.name == name) return variant;
  throw std::invalid_argument("variant " + name + " was not compared");
}

std::string batch_text(const Evidence& evidence) {
  const replay::Cell& cell = evidence.cells.front()->summary.cell;
  return bench::format("b = %zu, %zu seeds", cell.batch, cell.seeds);
}

}  // namespace

std::string variants_section(const Evidence& evidence) {
  return "## Against " + evidence.rivals.title + ", " + batch_text(evidence) + "\n\n" +
         "Mean savings over problems and budgets, with 5 to 95 % over resamples of problems and seeds. A problem is\n"
         "lost where the mean over its budgets is below -10 %.\n\n" +
         bench::markdown(pooled_table(evidence)) + "\nBy budget, in mean costs:\n\n" +
         bench::markdown(budget_table(evidence)) + "\n" + lost_lines(evidence);
}

std::string problems_section(const Evidence& evidence, const std::string& name) {
  const VariantEvidence& variant = evidence_of(evidence, name);
  TextTable table{{"problem"}};
  for (const Against against : {Against::ei, Against::eipu})
    for (const std::size_t budget : evidence.budgets())
      table[0].push_back(std::string(against_titles[static_cast<std::size_t>(against)]) +
                         bench::format(", %zu", budget));
  table[0].insert(table[0].end(), {"mean against EI", "mean against EIpu", "evaluations"});
  for (const std::string& problem : evidence.problems()) {
    auto& row = table.emplace_back();
    row.push_back(problem);
    std::string evaluations;
    for (const Against against : {Against::ei, Against::eipu})
      for (const std::size_t budget : evidence.budgets())
        for (std::size_t c = 0; c < evidence.cells.size(); ++c) {
          const Measured& cell = *evidence.cells[c];
          if (cell.problem() != problem || cell.mean_costs != budget) continue;
          row.push_back(percent(variant.cells[c][static_cast<std::size_t>(against)].share));
          if (against == Against::ei)
            evaluations += (evaluations.empty() ? "" : ", ") + bench::format("%.0f", cell.of(name).evaluations);
        }
    for (const Against against : {Against::ei, Against::eipu})
      row.push_back(percent(problem_savings(evidence, variant, against, problem)));
    row.push_back(evaluations);
  }
  return "## " + variant.title + " by problem, against " + evidence.rivals.title + ", " + batch_text(evidence) +
         "\n\n" + bench::markdown(table) + "\n";
}

std::string savings_csv(const std::vector<Evidence>& all) {
  std::vector<bench::CsvRow> rows;
  for (const Evidence& evidence : all)
    for (const VariantEvidence& variant : evidence.variants)
      for (std::size_t c = 0; c < evidence.cells.size(); ++c) {
        const Measured& cell = *evidence.cells[c];
        const replay::MethodSummary& ours = cell.of(variant.name);
        bench::CsvRow row = {variant.name,
                             evidence.rivals.ei,
                             evidence.rivals.eipu,
                             cell.problem(),
                             std::to_string(cell.summary.cell.batch),
                             std::to_string(cell.mean_costs),
                             std::to_string(cell.summary.cell.seeds)};
        for (const CellSavings& savings : variant.cells[c]) row.push_back(bench::exact(savings.share));
        for (const std::string& method : {variant.name, evidence.rivals.ei, evidence.rivals.eipu})
          row.push_back(bench::format("%.6g", cell.of(method).middle.back()));
        row.insert(row.end(), {bench::exact(ours.evaluations), std::to_string(ours.cut_short)});
        rows.push_back(std::move(row));
      }
  return bench::csv_text(
      {"variant", "rival_ei", "rival_eipu", "problem", "batch", "mean_costs", "seeds", "against_ei", "against_eipu",
       "against_better", "regret", "regret_ei", "regret_eipu", "evaluations", "cut_short"},
      rows);
}

std::string net_csv(const std::vector<Evidence>& all) {
  std::vector<bench::CsvRow> rows;
  for (const Evidence& evidence : all)
    for (const VariantEvidence& variant : evidence.variants) {
      const auto add = [&](const std::string& budget, std::optional<std::size_t> mean_costs) {
        for (const Against against : all_against) {
          const replay::NetSavings net = net_savings(evidence, variant, against, mean_costs);
          const replay::Cell& cell = evidence.cells.front()->summary.cell;
          rows.push_back({variant.name, evidence.rivals.ei, evidence.rivals.eipu, std::to_string(cell.batch), budget,
                          std::to_string(cell.seeds), against_names[static_cast<std::size_t>(against)],
                          bench::exact(net.share), bench::exact(net.low), bench::exact(net.high)});
        }
      };
      add("all", std::nullopt);
      for (const std::size_t budget : evidence.budgets()) add(std::to_string(budget), budget);
    }
  return bench::csv_text({"variant", "rival_ei", "rival_eipu", "batch", "mean_costs", "seeds", "against", "saving",
                          "saving_5", "saving_95"},
                         rows);
}

}  // namespace carbo::choice
