#include <algorithm>

#include <carbo/to_string.hpp>

#include "engine/observation_tree.hpp"
#include "engine/optimizer_state.hpp"
#include "engine/options_tree.hpp"
#include "engine/state_format.hpp"
#include "space/space_tree.hpp"

namespace carbo {

using internal::Tree;

std::string Optimizer::State::save() const {
  Options options = options_;
  options.backend.kind = backend_choice_.on_device ? BackendKind::cuda : BackendKind::cpu;
  Tree tree = Tree::object();
  tree.set("format", internal::state_format);
  tree.set("version", internal::state_version);
  tree.set("build", internal::build_text());
  tree.set("machine", backend_choice_.machine);
  tree.set("space", internal::tree_of(space_));
  tree.set("options", internal::tree_of(options));
  if (const auto& pool = options_.candidates.pool) {
    if (!pool_hash_) pool_hash_ = internal::content_hash(*pool);
    tree.set("pool", internal::tree_of(*pool, *pool_hash_));
  }
  tree.set("run", run_tree());
  tree.set("history", history_tree());
  tree.set("ledger", internal::tree_of(ledger_.state()));
  if (options_.accounting == Accounting::wall_clock) tree.set("saved_at", internal::calendar_seconds());
  tree.set("design", internal::tree_of(plan_.state()));
  tree.set("candidates", internal::tree_of(store_.state()));
  tree.set("models", internal::tree_of(models_.state()));
  return internal::to_text(tree) + "\n";
}

Tree Optimizer::State::run_tree() const {
  Tree tree = Tree::object();
  tree.set("accounting_automatic", accounting_automatic_);
  tree.set("next_id", next_id_);
  tree.set("draws", draws_);
  tree.set("rounds", rounds_);
  tree.set("blocked", blocked_);
  if (told_batch_) {
    Tree told = Tree::object();
    told.set("number", told_batch_->number);
    told.set("used", told_batch_->used);
    told.set("owed", told_batch_->owed);
    told.set("searchable", told_batch_->searchable);
    told.set("design_over", told_batch_->design_over);
    told.set("told", told_batch_->told);
    tree.set("told_batch", std::move(told));
  }
  if (last_search_) {
    Tree search = Tree::object();
    search.set("parameter", last_search_->parameter);
    search.set("score", last_search_->score);
    search.set("incumbent", last_search_->incumbent);
    tree.set("last_search", std::move(search));
  }
  return tree;
}

Tree Optimizer::State::history_tree() const {
  const internal::HistoryState history = history_.state();
  Tree tree = Tree::object();
  tree.set("observations", Tree::array(history.observations, internal::tree_of));
  const auto& rows = history.pool_rows;
  if (std::ranges::any_of(rows, [](const auto& row) { return row.has_value(); }))
    tree.set("pool_rows", Tree::array(rows, [](const auto& row) { return row ? Tree(*row) : Tree(); }));
  tree.set("learned", history.learned);
  tree.set("pending", Tree::array(history.pending, internal::tree_of));
  tree.set_all("enqueued", queue_, [](const QueuedPoint& point) {
    Tree one = Tree::object();
    one.set("configuration", internal::tree_of(point.configuration));
    one.set("pool_index", point.pool_row);
    return one;
  });
  return tree;
}

}  // namespace carbo
