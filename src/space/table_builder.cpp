#include "space/table_builder.hpp"

#include <utility>

#include <carbo/error.hpp>

#include "space/encoding.hpp"
#include "support/text.hpp"

namespace carbo::internal {

TableBuilder::TableBuilder(const Space& space, std::size_t most_rows, Repeats repeats)
    : space_(space), axes_(axes_of(space)) {
  if (repeats == Repeats::possible) present_.emplace(most_rows);
  numbers_.reserve(most_rows * axes_.size());
}

bool TableBuilder::allowed(std::span<const double> numbers) {
  if (!space_.constrained()) return true;
  std::string violated = space_.violated(space_.configuration(numbers));
  if (violated.empty()) return true;
  last_violated_ = std::move(violated);
  return false;
}

bool TableBuilder::offer(std::span<const double> numbers) {
  const std::size_t slot = present_ ? present_->find(numbers_, numbers) : 0;
  if ((present_ && present_->holds(slot)) || !allowed(numbers)) return false;
  if (present_) present_->insert(slot, rows_);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  ++rows_;
  return true;
}

CandidateTable TableBuilder::finish(const std::string& nothing, SobolShare sobol) && {
  if (rows_ == 0) {
    throw InvalidSpace(text(nothing, " satisfies the constraints ('", last_violated_,
                            "' was violated last); widen the space or loosen the constraints"));
  }
  CandidateTable table;
  table.rows = rows_;
  table.parameters = axes_.size();
  table.columns = space_.encoded_columns();
  numbers_.shrink_to_fit();
  table.numbers = std::move(numbers_);
  table.sobol = std::move(sobol);
  table.encoded.resize((table.rows - table.sobol.rows) * table.columns);
  encode_rows(axes_, std::span<const double>(table.numbers).subspan(table.sobol.rows * table.parameters),
              table.encoded);
  return table;
}

}  // namespace carbo::internal
