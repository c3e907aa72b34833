#include "cost/quantity_tree.hpp"

#include <utility>

#include "cost/features.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr const char* to_string(SumOfProducts::Range range) {
  switch (range) {
    case SumOfProducts::Range::size:
      return "size";
    case SumOfProducts::Range::share:
      return "share";
    case SumOfProducts::Range::divisor:
      return "divisor";
  }
  return "unknown";
}

SumOfProducts::Range read_range(const TreeReader& reader) {
  for (const auto range : {SumOfProducts::Range::size, SumOfProducts::Range::share, SumOfProducts::Range::divisor})
    if (reader.text() == to_string(range)) return range;
  reader.refuse(text("'", reader.text(), "' is none of size, share, divisor"));
}

/// Of the parts, those that occur; each is read as a quantity of its own.
Tree tree_of(const SumOfProducts& sum) {
  Tree::Array parts, terms;
  std::vector<std::optional<std::size_t>> kept(sum.parts->size());
  for (const SumOfProducts::Term& term : sum.terms) {
    Tree::Array factors;
    for (const SumOfProducts::Factor& factor : term) {
      std::optional<std::size_t>& position = kept[factor.part];
      if (!position) {
        position = parts.size();
        const SumOfProducts::Part& part = (*sum.parts)[factor.part];
        Tree one = Tree::object();
        one.set("name", part.name);
        one.set("range", to_string(part.range));
        one.set("value", internal::tree_of(part.value));
        parts.push_back(std::move(one));
      }
      factors.push_back(Tree::Array{Tree(*position), Tree(static_cast<double>(factor.power))});
    }
    terms.push_back(std::move(factors));
  }
  Tree tree = Tree::object();
  tree.set("parts", std::move(parts));
  tree.set("terms", std::move(terms));
  return tree;
}

Quantity read_sum(const TreeReader& reader, const std::string& name, GivenAgain& given) {
  auto parts = std::make_shared<std::vector<SumOfProducts::Part>>();
  for (const TreeReader& one : reader.at("parts").elements()) {
    const auto part_name = one.get<std::string>("name");
    parts->push_back(
        {part_name, read_quantity(one.at("value"), text(name, ", ", part_name), given), read_range(one.at("range"))});
  }
  SumOfProducts sum{parts, {}};
  for (const TreeReader& term : reader.at("terms").elements()) {
    SumOfProducts::Term& factors = sum.terms.emplace_back();
    for (const TreeReader& factor : term.elements()) {
      const auto pair = factor.elements();
      factor.require(pair.size() == 2, "expected the number of a part and its power");
      factors.push_back({pair[0].as<std::uint64_t>(), pair[1].as<int>()});
      factor.require(factors.back().part < parts->size(), "there is no such part");
      const int power = factors.back().power;
      const bool divides = (*parts)[factors.back().part].range == SumOfProducts::Range::divisor;
      factor.require(power == 1 || power == 2 || (power == -1 && divides), "a power is 1, 2, or -1 of a divisor");
    }
  }
  return Quantity::sum(std::make_shared<const SumOfProducts>(std::move(sum)));
}

Tree tree_of(const std::vector<double>& column) {
  Tree tree = Tree::object();
  tree.set("values", column.size());
  tree.set("hash", content_hash(column));
  if (column.size() <= most_numbers_kept) tree.set("numbers", column);
  return tree;
}

Quantity given_quantity(const std::string& name, const char* what, GivenAgain& given) {
  const auto found = given.options.quantities.find(name);
  given.used.push_back(name);
  if (found != given.options.quantities.end()) return found->second;
  given.missing.push_back(text("the ", what, " that ", name, " is (quantities)"));
  return 1.0;
}

Quantity read_column(const TreeReader& reader, const std::string& name, GivenAgain& given) {
  std::vector<double> numbers;
  reader.read("numbers", numbers);
  const auto size = reader.get<std::uint64_t>("values");
  const auto hash = reader.get<std::uint64_t>("hash");
  const std::size_t missing = given.missing.size();
  Quantity quantity =
      numbers.empty() ? given_quantity(name, "column of the pool", given) : Quantity::pool_column(std::move(numbers));
  if (given.missing.size() > missing) return quantity;
  const auto* const column = std::get_if<Quantity::Column>(&quantity.source());
  if (column == nullptr || (*column)->size() != size || content_hash(**column) != hash)
    reader.refuse(text(name, " is not the column of ", size, " values that the state has the hash of"));
  return quantity;
}

}  // namespace

Tree tree_of(const Quantity& quantity) {
  struct Source {
    Tree operator()(double constant) const { return named("constant", constant); }
    Tree operator()(const Quantity::Expression& expression) const { return named("expression", expression.text); }
    Tree operator()(const Quantity::Function&) const { return named("function", true); }
    Tree operator()(const Quantity::Column& column) const { return named("column", tree_of(*column)); }
    Tree operator()(const Quantity::Sum& sum) const { return named("sum", tree_of(*sum)); }
    static Tree named(const char* kind, Tree value) {
      Tree tree = Tree::object();
      tree.set(kind, std::move(value));
      return tree;
    }
  };
  return std::visit(Source{}, quantity.source());
}

Quantity read_quantity(const TreeReader& reader, const std::string& name, GivenAgain& given) {
  if (const auto constant = reader.find("constant")) return constant->as<double>();
  if (const auto expression = reader.find("expression")) return Quantity(expression->text());
  if (const auto column = reader.find("column")) return read_column(*column, name, given);
  if (const auto sum = reader.find("sum")) return read_sum(*sum, name, given);
  reader.require(reader.get<bool>("function"), "expected a constant, an expression, a function, a column or a sum");
  return given_quantity(name, "function", given);
}

Tree tree_of(const CostFeature& feature) {
  Tree tree = Tree::object();
  tree.set("name", feature.name);
  tree.set("value", tree_of(feature.value));
  tree.set("work", feature.work);
  return tree;
}

CostFeature read_feature(const TreeReader& reader, const std::string& name, GivenAgain& given) {
  return {reader.get<std::string>("name"), read_quantity(reader.at("value"), name, given), reader.get<bool>("work")};
}

}  // namespace carbo::internal
