#include <algorithm>
#include <cmath>

#include "backend/cuda/launch_parts.hpp"
#include "backend/cuda/search.hpp"

// Work on lists of candidates that may be all of them: in parts that a display's watchdog lets pass, with the same
// bits. A launch for each part is made without knowing whether the list goes so far.
namespace carbo::internal {
namespace {

/// Slots of a thread, a candidate: its correlations with so many rows, and their products with as many rows of L⁻¹.
double variance_slots(double rows, int columns) { return rows * correlation_slots(columns) + 0.5 * rows * rows; }
/// Its correlations with all rows once for every block of points, and the responses to these.
double response_slots(double rows, double points, int columns) {
  constexpr double at_once = kernels::substitution_block;
  return std::ceil(points / at_once) * rows * (correlation_slots(columns) + at_once);
}

template <class Work>
void by_parts(const Context& context, const kernels::CandidateList& list, double slots, const Work& work) {
  in_parts(list.size, context.launch_part(slots / longer_lists), [&](std::size_t first, std::size_t count) {
    kernels::CandidateList part = list;
    part.first = first;
    part.size = count;
    work(part);
  });
}

}  // namespace

void CudaSearch::refresh(const Tables& tables, const kernels::CandidateList& list) {
  const double slots = response_slots(static_cast<double>(observed() + fantasised()),
                                      static_cast<double>(fantasised()), candidates_.view().columns);
  by_parts(*context_, list, members() * slots, [&](const kernels::CandidateList& part) {
    if (screens_objective_)
      context_->check(
          kernels::launch_screen_responses(context_->stream(), candidates_.view(), part, tables.responses,
                                           tables.screens, members(), room_.resident(), &state_.data()->work),
          "bounds brought up to date");
    context_->check(kernels::launch_responses(context_->stream(), candidates_.view(), part, tables.responses,
                                              members(), room_.resident(), &state_.data()->work),
                    "bringing candidates up to date");
  });
}

void CudaSearch::solve(const Tables& tables, const kernels::CandidateList& list, std::size_t rows) {
  const double slots = variance_slots(static_cast<double>(rows), candidates_.view().columns);
  by_parts(*context_, list, members() * slots, [&](const kernels::CandidateList& part) {
    if (rows == float_variance_rows()) {
      context_->check(kernels::launch_tighten(context_->stream(), candidates_.view(), part, tables.substitutions,
                                              tables.screens.tasks, members(), static_cast<int>(rows), room_.view(),
                                              &state_.data()->work),
                      "bounds on variances");
      return;
    }
    context_->check(
        kernels::launch_substitution(context_->stream(), candidates_.view(), part, tables.substitutions, members(),
                                     static_cast<int>(rows), room_.view(), &state_.data()->work),
        "variances of candidates");
  });
}

void CudaSearch::solve_cost(const Tables& tables, const kernels::CandidateList& list) {
  if (cost_factor_ == nullptr) return;
  const std::size_t rows = cost_factor_->observed();
  const double slots = variance_slots(static_cast<double>(rows), candidates_.view().columns);
  by_parts(*context_, list, slots, [&](const kernels::CandidateList& part) {
    context_->check(
        kernels::launch_substitution(context_->stream(), candidates_.view(), part, tables.cost_substitution, 1,
                                     static_cast<int>(rows), room_.view(), nullptr),
        "variances of the log cost");
  });
}

void CudaSearch::settle(const Tables& tables, const kernels::CandidateList& list) {
  if (!screens()) return solve(tables, list, observed());
  const int columns = candidates_.view().columns;
  const double rows = static_cast<double>(observed()), points = static_cast<double>(fantasised());
  const double means = tables.exact_count * response_slots(rows + points, points + 1, columns);
  by_parts(*context_, list, members() * variance_slots(rows, columns) + means,
           [&](const kernels::CandidateList& part) {
             context_->check(
                 kernels::launch_finish(context_->stream(), candidates_.view(), part,
                                        {tables.responses, tables.exact_count}, tables.substitutions, members(),
                                        static_cast<int>(observed()), room_.view(), &state_.data()->work),
                 "exact means and variances of candidates");
           });
}

}  // namespace carbo::internal
