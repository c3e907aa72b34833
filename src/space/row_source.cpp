#include "space/row_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <carbo/error.hpp>

#include "formulas/sobol.hpp"
#include "space/checks.hpp"
#include "space/local.hpp"
#include "space/pool_storage.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// Whether the same numbers are values of both lists of parameters.
bool same_domains(std::span<const Parameter> a, std::span<const Parameter> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Parameter& x, const Parameter& y) {
    return x.kind() == y.kind() && x.lower() == y.lower() && x.upper() == y.upper() && x.labels() == y.labels() &&
           x.values() == y.values();
  });
}

class PoolRows final : public RowSource {
 public:
  PoolRows(const Space& space, std::shared_ptr<const Pool> pool)
      : space_(space), pool_(std::move(pool)), parameters_(space.parameters().size()) {}

  std::uint64_t size() const override { return pool_->size(); }

  void read(std::uint64_t first, std::span<double> numbers) const override {
    const std::size_t begin = first * parameters_;
    const auto source = pool_->numbers().subspan(begin, numbers.size());
    std::transform(source.begin(), source.end(), numbers.begin(), [](double number) { return number + 0.0; });
    pool_->storage().release(begin, numbers.size());
    if (pool_->storage().file) check_unchanged(first, numbers);
  }

 private:
  /// Of what was copied, so that it cannot change between this look and its use.
  void check_unchanged(std::uint64_t first, std::span<const double> numbers) const {
    const std::size_t bad = first_foreign(space_.parameters(), numbers);
    if (bad == numbers.size()) return;
    const Parameter& parameter = space_.parameters()[bad % parameters_];
    throw InvalidPool(text("pool row ", first + bad / parameters_, ", parameter '", parameter.name(),
                           "': ", number_fault(parameter, numbers[bad]),
                           " (the file has changed since it was mapped; leave it as it is while a pool is alive)"));
  }

  Space space_;
  std::shared_ptr<const Pool> pool_;
  std::size_t parameters_;
};

class EnumeratedRows final : public RowSource {
 public:
  explicit EnumeratedRows(const Space& space) : axes_(axes_of(space)), size_(space.cardinality()) {}

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t first, std::span<double> numbers) const override {
    std::uint64_t index = first;
    for (std::size_t begin = 0; begin < numbers.size(); begin += axes_.size(), ++index) {
      std::uint64_t rest = index;
      for (std::size_t i = axes_.size(); i-- > 0;) {
        const std::uint64_t levels = axes_[i].parameter().cardinality();
        numbers[begin + i] = axes_[i].level(rest % levels);
        rest /= levels;
      }
    }
  }

 private:
  std::vector<Axis> axes_;
  std::uint64_t size_;
};

class SobolSource final : public RowSource {
 public:
  SobolSource(const Space& space, std::uint64_t size, const SobolRecipe& recipe)
      : axes_(axes_of(space)), size_(size), sobol_(recipe.axes), low_words_(axes_.size()) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      for (std::uint32_t low = 0; low < block; ++low) {
        low_words_[i][low] = kernels::sobol_word(sobol_[i].directions, low);
      }
    }
  }

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t first, std::span<double> numbers) const override {
    const std::uint64_t end = first + numbers.size() / axes_.size();
    for (std::uint64_t begin = first / block * block; begin < end; begin += block) {
      const std::uint64_t from = std::max(begin, first);
      const std::uint64_t to = std::min(begin + block, end);
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        std::array<double, block> column;
        read_block(i, static_cast<std::uint32_t>(begin), column);
        double* const target = numbers.data() + (from - first) * axes_.size() + i;
        for (std::uint64_t row = from; row < to; ++row) target[(row - from) * axes_.size()] = column[row - begin];
      }
    }
  }

 private:
  /// Aligned rows whose indices differ in the low bits alone: a point is the exclusive or of the block's first point
  /// and a word that all blocks share. A block is always computed whole, so that its bits do not depend on the read.
  static constexpr std::uint32_t block = 64;

  void read_block(std::size_t axis, std::uint32_t first, std::array<double, block>& numbers) const {
    const std::uint32_t high_word = kernels::sobol_word(sobol_[axis].directions, first);
    const kernels::PhiloxBlock key = sobol_[axis].key;
    std::array<double, block> units;
    for (std::uint32_t low = 0; low < block; ++low) {
      units[low] = kernels::sobol_unit(kernels::owen_scramble(high_word ^ low_words_[axis][low], key));
    }
    axes_[axis].quantiles(units, numbers);
  }

  std::vector<Axis> axes_;
  std::uint64_t size_;
  std::vector<kernels::SobolAxis> sobol_;  ///< one an axis
  std::vector<std::array<std::uint32_t, block>>
      low_words_;  ///< Sobol words of indices below `block`, one set an axis
};

class LocalRows final : public RowSource {
 public:
  LocalRows(const Space& space, std::uint64_t size, LocalCentres centres, std::uint64_t seed, std::uint64_t round)
      : axes_(axes_of(space)), size_(size), centres_(std::move(centres)), seed_(seed), round_(round) {}

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t first, std::span<double> numbers) const override {
    std::uint64_t row = first;
    for (std::size_t begin = 0; begin < numbers.size(); begin += axes_.size(), ++row) {
      const auto& centre = centres_.numbers[centre_of(row, centres_.numbers.size())];
      perturb(axes_, centre, {seed_, round_, row, 0}, numbers.subspan(begin, axes_.size()));
    }
  }

 private:
  std::vector<Axis> axes_;
  std::uint64_t size_;
  LocalCentres centres_;
  std::uint64_t seed_;
  std::uint64_t round_;
};

class JoinedRows final : public RowSource {
 public:
  JoinedRows(std::size_t parameters, std::unique_ptr<const RowSource> head, std::unique_ptr<const RowSource> tail)
      : parameters_(parameters), head_(std::move(head)), tail_(std::move(tail)) {}

  std::uint64_t size() const override { return head_->size() + tail_->size(); }

  void read(std::uint64_t first, std::span<double> numbers) const override {
    const std::uint64_t rows = numbers.size() / parameters_;
    const std::uint64_t of_head = std::min(rows, head_->size() - std::min(first, head_->size()));
    if (of_head > 0) head_->read(first, numbers.first(of_head * parameters_));
    if (of_head < rows) tail_->read(first + of_head - head_->size(), numbers.subspan(of_head * parameters_));
  }

 private:
  std::size_t parameters_;
  std::unique_ptr<const RowSource> head_;
  std::unique_ptr<const RowSource> tail_;
};

}  // namespace

std::unique_ptr<const RowSource> pool_rows(const Space& space, std::shared_ptr<const Pool> pool) {
  const std::vector<Parameter>& made_for = pool->storage().parameters;
  if (made_for.size() != space.parameters().size()) {
    throw InvalidPool(text("the pool was made for a space of ", made_for.size(), " parameters, this one has ",
                           space.parameters().size(), "; make the pool with this space"));
  }
  if (!same_domains(made_for, space.parameters())) {
    const std::string fault = pool->storage().fault(space.parameters());
    if (!fault.empty()) throw InvalidPool(text("pool ", fault, " (the pool was made for another space)"));
  }
  return std::make_unique<PoolRows>(space, std::move(pool));
}

std::unique_ptr<const RowSource> enumerated_rows(const Space& space) {
  return std::make_unique<EnumeratedRows>(space);
}

std::unique_ptr<const RowSource> sobol_rows(const Space& space, std::uint64_t size, const SobolRecipe& recipe) {
  return std::make_unique<SobolSource>(space, size, recipe);
}

std::unique_ptr<const RowSource> local_rows(const Space& space, std::uint64_t size, LocalCentres centres,
                                            std::uint64_t seed, std::uint64_t round) {
  return std::make_unique<LocalRows>(space, size, std::move(centres), seed, round);
}

std::unique_ptr<const RowSource> joined_rows(std::size_t parameters, std::unique_ptr<const RowSource> head,
                                             std::unique_ptr<const RowSource> tail) {
  return std::make_unique<JoinedRows>(parameters, std::move(head), std::move(tail));
}

}  // namespace carbo::internal
