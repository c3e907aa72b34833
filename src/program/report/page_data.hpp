#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/study.hpp>

#include "program/file/open_study.hpp"
#include "program/support/json.hpp"

namespace carbo::program {

/// What of a study is put on a page.
struct PageSettings {
  bool models = true;                ///< whether the models are asked, too
  std::size_t most_trials = 2500;    ///< shown one by one; of more, a choice
  std::size_t most_modelled = 2000;  ///< results that the models learn from; of more, a choice
  std::size_t most_values = 100000;  ///< of parameters of trials: with many parameters, fewer trials
  std::filesystem::path folder{};    ///< that the page will lie in, for links to logs; empty: none
};

/// Everything that the page draws of one study. Nothing is written to the study, and no suggestion is taken from it.
Json study_data(OpenedStudy& opened, const PageSettings& settings);

/// Positions of those trials that are shown one by one, ascending: what was best when it came, the front of objective
/// and cost, the latest, and of the others an even share.
std::vector<std::size_t> shown_trials(std::span<const Trial> trials, Goal goal, std::size_t most);

/// One column a member, a number or null a trial; `values` has a column a parameter.
Json trial_columns(const Study& study, std::span<const Trial> trials, std::span<const std::size_t> shown);

/// Totals over all trials: costs by phase and outcome, and the steps of the best value so far.
Json cost_shares(std::span<const Trial> trials);
Json best_steps(std::span<const Trial> trials, Goal goal, std::size_t most);

/// An optimizer that knows what a study knows, or a part of it.
struct ModelCopy {
  Optimizer optimizer;
  std::size_t used = 0, known = 0;  ///< results
};
/// Restored from the study's state or, where it has more than `most` results, made of so many (`modelled_trials`).
ModelCopy copy_to_ask(OpenedStudy& opened, std::span<const Trial> trials, std::size_t most);
/// Positions of at most so many results, ascending: a quarter of them the best ones, the others an even share.
std::vector<std::size_t> modelled_trials(std::span<const Trial> trials, Goal goal, std::size_t most);

/// What the models say, asked of a copy: importance, slices, contours, what would come next. Why not, where they
/// cannot be asked.
Json model_data(OpenedStudy& opened, std::span<const Trial> trials, std::size_t most);

/// A line for a shell that evaluates a configuration as the study does; empty where the study has no command.
std::string command_line_of(const OpenedStudy& opened, const Trial& trial);

}  // namespace carbo::program
