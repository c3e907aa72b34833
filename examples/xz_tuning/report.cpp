#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace xz_tuning {
namespace {

std::size_t bytes_of(double log_bytes) { return static_cast<std::size_t>(std::llround(std::exp(log_bytes))); }

std::string bar(double share) {
  constexpr int width = 24;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(width - filled), '.');
}

std::string optional_number(const std::optional<double>& value, const char* format) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

}  // namespace

std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (int i = static_cast<int>(text.size()) - 3; i > 0; i -= 3) text.insert(static_cast<std::size_t>(i), ",");
  return text;
}

std::string against(std::size_t bytes, std::size_t reference) {
  const double percent = 100.0 * (1.0 - static_cast<double>(bytes) / static_cast<double>(reference));
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %% %s", std::abs(percent), percent < 0 ? "larger" : "smaller");
  return text;
}

ProgressLine::ProgressLine(std::size_t baseline) : baseline_(baseline), terminal_(::isatty(STDOUT_FILENO) == 1) {}

void ProgressLine::show(const carbo::Progress& progress) {
  const double share = progress.spent / progress.budget;
  const int tenths = std::min(10, static_cast<int>(share * 10.0));
  if (!terminal_ && (tenths == tenths_shown_ || progress.last == nullptr)) return;
  tenths_shown_ = tenths;
  std::string best = "none yet";
  if (progress.best_objective) {
    const std::size_t bytes = bytes_of(*progress.best_objective);
    best = grouped(bytes) + " B (" + against(bytes, baseline_) + ")";
  }
  std::printf("%s[%s] %5.1f/%.1f CPU s, %3zu evaluations, best %s, %s%s", terminal_ ? "\r" : "", bar(share).c_str(),
              progress.spent, progress.budget, progress.evaluations, best.c_str(), carbo::to_string(progress.phase),
              terminal_ ? "\x1b[K" : "\n");
  std::fflush(stdout);
}

void ProgressLine::finish() {
  if (terminal_) std::printf("\n");
}

void print_receipts(const carbo::Result& result) {
  std::map<std::uint64_t, const carbo::Observation*> outcomes;
  for (const carbo::Observation& observation : result.observations) {
    if (observation.id) outcomes[*observation.id] = &observation;
  }
  std::printf("%4s %-10s %5s %6s %9s %9s %9s %9s %8s  %s\n", "id", "phase", "alpha", "spent", "cost (s)", "predicted",
              "bytes", "predicted", "score", "configuration");
  for (const carbo::Suggestion& suggestion : result.suggestions) {
    const carbo::Receipt& receipt = suggestion.receipt;
    const auto found = outcomes.find(suggestion.id);
    const bool told = found != outcomes.end();
    const bool succeeded = told && found->second->status == carbo::ObservationStatus::succeeded;
    const std::string cost = told ? optional_number(found->second->cost, "%.3f") : "-";
    const std::string bytes = succeeded ? grouped(bytes_of(found->second->objective)) : told ? "failed" : "-";
    const std::string predicted =
        receipt.predicted_objective ? grouped(bytes_of(*receipt.predicted_objective)) : std::string("-");
    std::printf("%4llu %-10s %5s %6.2f %9s %9s %9s %9s %8s  %s\n", static_cast<unsigned long long>(suggestion.id),
                carbo::to_string(receipt.phase), optional_number(receipt.alpha, "%.2f").c_str(), receipt.spent,
                cost.c_str(), optional_number(receipt.predicted_cost, "%.3f").c_str(), bytes.c_str(),
                predicted.c_str(), optional_number(receipt.log_score, "%.2f").c_str(),
                suggestion.configuration.to_string().c_str());
  }
}

void print_comparison(const carbo::Result& result, const Compression& baseline, const std::string& file) {
  const carbo::Observation& best = *result.best;
  const std::size_t bytes = bytes_of(best.objective);
  std::printf("\n%-12s %12s %14s\n", "", "bytes", "CPU seconds");
  std::printf("%-12s %12s %14.2f\n", "xz -9e", grouped(baseline.bytes).c_str(), baseline.cpu_seconds);
  std::printf("%-12s %12s %14.2f  (%s)\n", "best found", grouped(bytes).c_str(), best.cost,
              against(bytes, baseline.bytes).c_str());
  std::printf("\n  %s\n\n", shell_command(filter_arguments(best.configuration), file, "best.xz").c_str());
}

}  // namespace xz_tuning
