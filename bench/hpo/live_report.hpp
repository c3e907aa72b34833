#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/live.hpp"

namespace carbo::hpo {

/// Whether a live study says what the replay says, a row a problem, as Markdown.
std::string live_text(const std::vector<LiveComparison>& comparisons);

/// Writes live.md.
void write_live_report(const std::filesystem::path& folder, const std::vector<LiveComparison>& comparisons);

}  // namespace carbo::hpo
