#include "gp/transform_tree.hpp"

#include <cmath>
#include <utility>

#include <carbo/to_string.hpp>

namespace carbo::internal {

Tree tree_of(const TransformScore& score) {
  Tree tree = Tree::object();
  tree.set("transform", score.transform);
  tree.set("log_score", score.log_score);
  return tree;
}

TransformScore read_transform_score(const TreeReader& reader) {
  return {reader.get<Transform>("transform"), reader.get<double>("log_score")};
}

Tree tree_of(const TransformChoice& choice) {
  Tree tree = Tree::object();
  tree.set("kind", choice.kind);
  tree.set_all("scores", choice.scores, tree_of);
  tree.set("chosen_at", choice.chosen_at);
  tree.set("scale", choice.scale);
  return tree;
}

TransformChoice read_transform_choice(const TreeReader& reader) {
  TransformChoice choice;
  choice.kind = reader.get<Transform>("kind");
  reader.require(
      choice.kind != Transform::automatic && choice.kind != Transform::log && choice.kind != Transform::rank,
      "kind is none that is chosen between");
  for (const TreeReader& score : reader.elements("scores")) choice.scores.push_back(read_transform_score(score));
  choice.chosen_at = reader.get<std::uint64_t>("chosen_at");
  choice.scale = reader.get<double>("scale");
  reader.require(std::isfinite(choice.scale) && choice.scale >= 0, "scale is not finite, or below 0");
  return choice;
}

}  // namespace carbo::internal
