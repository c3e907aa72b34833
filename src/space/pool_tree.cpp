#include <algorithm>
#include <bit>

#include <carbo/error.hpp>

#include "space/pool_storage.hpp"
#include "space/space_tree.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::uint64_t first_hash = 0x9e3779b97f4a7c15u;

std::uint64_t mixed(std::uint64_t hash, std::span<const double> numbers) {
  for (const double number : numbers) {
    hash ^= std::bit_cast<std::uint64_t>(number + 0.0);
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
  }
  return hash;
}

}  // namespace

std::uint64_t content_hash(std::span<const double> numbers) { return mixed(first_hash, numbers); }

std::uint64_t content_hash(const Pool& pool) {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  const std::span<const double> numbers = pool.numbers();
  std::uint64_t hash = first_hash;
  for (std::size_t first = 0; first < numbers.size(); first += at_once) {
    const std::size_t count = std::min(at_once, numbers.size() - first);
    hash = mixed(hash, numbers.subspan(first, count));
    pool.storage().release(first, count);
  }
  return hash;
}

Tree tree_of(const Pool& pool, std::uint64_t hash) {
  Tree tree = Tree::object();
  tree.set("rows", pool.size());
  tree.set("hash", hash);
  const std::span<const double> numbers = pool.numbers();
  if (!pool.storage().file && numbers.size() <= most_numbers_kept)
    tree.set("numbers", std::vector<double>(numbers.begin(), numbers.end()));
  return tree;
}

std::shared_ptr<const Pool> read_pool(const TreeReader& reader, const Space& space, GivenAgain& given) {
  const auto rows = reader.get<std::uint64_t>("rows");
  const auto hash = reader.get<std::uint64_t>("hash");
  std::vector<double> numbers;
  reader.read("numbers", numbers);
  std::shared_ptr<const Pool> pool = given.options.pool;
  try {
    if (!pool && !numbers.empty()) pool = std::make_shared<const Pool>(space, numbers, rows);
  } catch (const InvalidPool& error) {
    reader.refuse(error.what());
  }
  if (!pool) {
    given.missing.push_back(text("the pool of ", rows, " rows (pool)"));
    return nullptr;
  }
  if (pool->size() != rows)
    reader.refuse(text("the pool that was given has ", pool->size(), " rows; the state's has ", rows));
  if (content_hash(*pool) != hash)
    reader.refuse(
        "the numbers of the pool are others than those of the state's; give the same rows in the same order");
  return pool;
}

}  // namespace carbo::internal
