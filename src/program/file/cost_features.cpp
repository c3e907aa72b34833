#include "program/file/cost_features.hpp"

#include <algorithm>
#include <cmath>

#include "cost/quantity_tree.hpp"
#include "program/file/section.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using internal::Tree;

Tree only(const char* kind, Tree value) {
  Tree tree = Tree::object();
  tree.set(kind, std::move(value));
  return tree;
}

/// Of the shape of a network: a number or arithmetic.
Quantity quantity_of(const Document& document, const Node& node, const std::string& name) {
  if (const auto* const words = node.get<std::string>()) return Quantity(*words);
  return number_of(document, node, name);
}

/// Reads the shapes of the ready-made features.
class ShapeReader {
 public:
  ShapeReader(const Document& document, const Node& node, std::string name)
      : section_(document, node, name), name_(std::move(name)) {}

  std::vector<CostFeature> mlp() {
    MlpShape shape;
    shape.layers = list("layers");
    one("epochs", shape.epochs);
    optional_one("batch_size", shape.batch_size);
    section_.refuse_unread();
    return checked([&] { return mlp_features(shape); });
  }

  std::vector<CostFeature> cnn() {
    CnnShape shape{.image_size = 0, .kernel_size = 0, .channels = {}};
    one("image_size", shape.image_size, true);
    one("colours", shape.colours);
    one("kernel_size", shape.kernel_size, true);
    shape.channels = list("channels");
    shape.pooling = list("pooling");
    shape.dense = list("dense");
    one("epochs", shape.epochs);
    optional_one("batch_size", shape.batch_size);
    section_.refuse_unread();
    return checked([&] { return cnn_features(shape); });
  }

 private:
  std::vector<Quantity> list(const char* key) {
    std::vector<Quantity> all;
    const Node* const node = section_.find(key);
    if (node == nullptr) return all;
    const auto* const elements = node->get<Node::Array>();
    if (elements == nullptr)
      section_.document().refuse(node->place, text(name_, ".", key, " is ", kind_of(*node), "; give an array"));
    for (const Node& element : *elements)
      all.push_back(quantity_of(section_.document(), element, text("an element of ", name_, ".", key)));
    return all;
  }

  void one(const char* key, Quantity& value, bool required = false) {
    const Node* const node = section_.find(key);
    if (node != nullptr) value = quantity_of(section_.document(), *node, text(name_, ".", key));
    if (node == nullptr && required)
      section_.document().refuse(section_.node().place, text(name_, ": ", key, " is missing"));
  }

  void optional_one(const char* key, std::optional<Quantity>& value) {
    if (const Node* const node = section_.find(key))
      value = quantity_of(section_.document(), *node, text(name_, ".", key));
  }

  template <class Make>
  std::vector<CostFeature> checked(const Make& make) const {
    try {
      return make();
    } catch (const InvalidOptions& error) {
      section_.document().refuse(section_.node().place, text(name_, ": ", error.what()));
    }
  }

  Section section_;
  std::string name_;
};

Tree feature_tree(const Document& document, const Node& node, const std::string& name, const PoolTable& pool,
                  RestoreOptions& given) {
  Tree tree = Tree::object();
  if (const auto* const words = node.get<std::string>()) {
    tree.set("name", *words);
    tree.set("value", quantity_tree(document, node, name, pool, given));
    tree.set("work", false);
    return tree;
  }
  Section section(document, node, name);
  const Node* const work = section.find("work");
  const Node* const value = section.find("value");
  std::string title;
  section.read("name", title);
  section.find("mlp");  // known, and read elsewhere
  section.find("cnn");
  section.refuse_unread();
  if ((work == nullptr) == (value == nullptr))
    document.refuse(node.place, text(name,
                                     ": give one of work (more of it never costs less), value, mlp and cnn, such as "
                                     "{work = \"units * epochs\"}"));
  const Node& source = work != nullptr ? *work : *value;
  const auto* const words = source.get<std::string>();
  tree.set("name", title.empty() && words != nullptr ? *words : title);
  tree.set("value", quantity_tree(document, source, name, pool, given));
  tree.set("work", work != nullptr);
  return tree;
}

}  // namespace

Tree quantity_tree(const Document& document, const Node& node, const std::string& name, const PoolTable& pool,
                   RestoreOptions& given) {
  if (const auto* const words = node.get<std::string>()) return only("expression", *words);
  if (node.get<Node::Table>() == nullptr) return only("constant", number_of(document, node, name));
  Section section(document, node, name);
  std::string column;
  section.read("column", column);
  section.refuse_unread();
  const auto found = std::ranges::find(pool.columns, column);
  if (found == pool.columns.end())
    document.refuse(node.place, text(name, ": the pool has no further column '", column, "'",
                                     pool.columns.empty() ? std::string("; give the pool as CSV with that column")
                                                          : suggestion_for(column, pool.columns)));
  const std::vector<double>& values = pool.values[static_cast<std::size_t>(found - pool.columns.begin())];
  const auto fault = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (fault != values.end())
    document.refuse(node.place, text(name, ": column '", column, "' of the pool has no finite number in row ",
                                     fault - values.begin() + 1));
  given.quantities.insert_or_assign(name, Quantity::pool_column(values));
  return only("function", true);  // that is given again
}

Tree features_tree(const Document& document, const Node& node, const PoolTable& pool, RestoreOptions& given) {
  const auto* const elements = node.get<Node::Array>();
  if (elements == nullptr)
    document.refuse(node.place, text("cost.features is ", kind_of(node),
                                     "; give an array, such as [\"log(n)\", {work = \"units * epochs\"}]"));
  Tree::Array all;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const Node& element = (*elements)[i];
    const std::string name = text("cost.features[", i, "]");
    const Node* const mlp = element.find("mlp");
    const Node* const cnn = element.find("cnn");
    if (mlp == nullptr && cnn == nullptr) {
      all.push_back(feature_tree(document, element, text("cost.features[", all.size(), "]"), pool, given));
      continue;
    }
    if (element.get<Node::Table>()->size() > 1)
      document.refuse(element.place, text(name, ": a network stands alone in its braces"));
    const auto features = mlp != nullptr ? ShapeReader(document, *mlp, name + ".mlp").mlp()
                                         : ShapeReader(document, *cnn, name + ".cnn").cnn();
    for (const CostFeature& feature : features) all.push_back(internal::tree_of(feature));
  }
  return Tree(std::move(all));
}

}  // namespace carbo::program
