#include "space/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "sobol.hpp"
#include "space/axis.hpp"
#include "space/checks.hpp"
#include "space/local.hpp"
#include "space/table_builder.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::uint64_t indices_per_candidate = 64;
constexpr std::uint32_t local_attempts = 8;
constexpr std::uint32_t uniform_attempts = 10000;
constexpr std::size_t most_candidates = std::size_t{1} << 31;

bool enumerable(const Space& space, const CandidateOptions& options) {
  const std::uint64_t size = space.cardinality();
  return size > 0 && size <= std::min(options.enumeration_limit, most_candidates);
}

void check_enumeration(const Space& space, const CandidateOptions& options) {
  if (enumerable(space, options)) return;
  if (!space.finite()) {
    throw InvalidOptions(
        "candidates.source is enumeration, but a real parameter has no finite number of values; use "
        "CandidateSource::sobol or automatic");
  }
  const std::string size = space.cardinality() == 0 ? "more than 2^63" : text(space.cardinality());
  throw InvalidOptions(text("candidates.source is enumeration, but the space has ", size,
                            " configurations and candidates.enumeration_limit is ", options.enumeration_limit,
                            "; raise the limit (to 2^31 at most) or use CandidateSource::sobol"));
}

CandidateTable pool_table(const Space& space, const Pool& pool) {
  const std::size_t parameters = space.parameters().size();
  if (pool.numbers().size() != pool.size() * parameters) {
    throw InvalidPool(text("the pool was made for a space of ", pool.numbers().size() / pool.size(),
                           " parameters, this one has ", parameters, "; make the pool with this space"));
  }
  TableBuilder builder(space, pool.size(), Repeats::possible);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < pool.size(); ++row) {
    const auto numbers = pool.row(row);
    for (std::size_t i = 0; i < parameters; ++i) {
      const std::string fault = number_fault(space.parameters()[i], numbers[i]);
      if (fault.empty()) continue;
      throw InvalidPool(text("pool row ", row, ", parameter '", space.parameters()[i].name(), "': ", fault,
                             " (the pool was made for another space)"));
    }
    if (builder.offer(numbers)) kept.push_back(row);
  }
  CandidateTable table = std::move(builder).finish("no row of the pool");
  table.pool_index = std::move(kept);
  return table;
}

/// Mixed radix, the last parameter fastest.
CandidateTable enumerated_table(const Space& space) {
  const std::vector<Axis> axes = axes_of(space);
  const std::uint64_t size = space.cardinality();
  TableBuilder builder(space, size, Repeats::impossible);
  std::vector<double> numbers(axes.size());
  for (std::uint64_t index = 0; index < size; ++index) {
    std::uint64_t rest = index;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const std::uint64_t levels = axes[i].parameter().cardinality();
      numbers[i] = axes[i].level(rest % levels);
      rest /= levels;
    }
    builder.offer(numbers);
  }
  return std::move(builder).finish("no configuration of the space");
}

/// Offers scrambled Sobol points until `wanted` rows are held or `indices` points were tried.
void offer_sobol(TableBuilder& builder, std::size_t wanted, std::uint64_t indices, std::uint64_t seed,
                 std::uint64_t round) {
  const std::span<const Axis> axes = builder.axes();
  std::vector<kernels::PhiloxBlock> keys(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    keys[i] = kernels::philox(seed, round, (static_cast<std::uint64_t>(Draw::sobol_scramble) << 32) | i);
  }
  std::vector<double> numbers(axes.size());
  for (std::uint64_t index = 0; index < indices && builder.rows() < wanted; ++index) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::uint32_t word =
          kernels::sobol_word(kernels::sobol_directions.word[i], static_cast<std::uint32_t>(index));
      numbers[i] = axes[i].quantile(kernels::sobol_unit(kernels::owen_scramble(word, keys[i])));
    }
    builder.offer(numbers);
  }
}

/// Offers `count` perturbations of the centres; one that is refused `local_attempts` times is left out.
void offer_local(TableBuilder& builder, std::size_t count, const LocalCentres& centres, std::uint64_t seed,
                 std::uint64_t round) {
  std::vector<double> numbers(builder.axes().size());
  for (std::size_t row = 0; row < count; ++row) {
    const auto& centre = centres.numbers[centre_of(row, centres.numbers.size())];
    for (std::uint32_t attempt = 0; attempt < local_attempts; ++attempt) {
      perturb(builder.axes(), centre, {seed, round, row, attempt}, numbers);
      if (builder.offer(numbers)) break;
    }
  }
}

CandidateTable sampled_table(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                             std::uint64_t round, const LocalCentres& centres) {
  for (const auto& centre : centres.numbers) space.configuration(centre);
  const double local_share = centres.numbers.empty() ? 0.0 : options.local_share;
  // One Sobol point is always wanted: it is what is left where no centre has an allowed neighbour.
  const std::size_t local =
      std::min(static_cast<std::size_t>(local_share * static_cast<double>(options.count)), options.count - 1);
  std::size_t wanted = options.count - local;
  if (space.cardinality() > 0) wanted = std::min<std::uint64_t>(wanted, space.cardinality());
  const std::uint64_t indices = std::min(indices_per_candidate * options.count, std::uint64_t{1} << 32);
  TableBuilder builder(space, options.count, Repeats::possible);
  offer_sobol(builder, wanted, indices, seed, round);
  offer_local(builder, local, centres, seed, round);
  return std::move(builder).finish(text("none of ", indices, " Sobol points"));
}

}  // namespace

void check_candidate_options(const CandidateOptions& options) {
  if (options.count < 1 || options.count > most_candidates) {
    throw InvalidOptions(text("candidates.count is ", options.count, "; give 1 to 2^31"));
  }
  if (!(options.local_share >= 0 && options.local_share <= 1)) {
    throw InvalidOptions(text("candidates.local_share is ", options.local_share, "; give a share from 0 to 1"));
  }
}

bool fixed_candidates(const Space& space, const CandidateOptions& options) {
  if (options.pool || options.source == CandidateSource::enumeration) return true;
  return options.source == CandidateSource::automatic && enumerable(space, options);
}

CandidateTable make_candidate_table(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                                    std::uint64_t round, const LocalCentres& centres) {
  check_candidate_options(options);
  if (options.pool) return pool_table(space, *options.pool);
  if (options.source == CandidateSource::enumeration) check_enumeration(space, options);
  if (fixed_candidates(space, options)) return enumerated_table(space);
  return sampled_table(space, options, seed, round, centres);
}

std::optional<std::vector<double>> uniform_draw(const Space& space, std::uint64_t seed, std::uint64_t draw) {
  const std::vector<Axis> axes = axes_of(space);
  std::vector<double> numbers(axes.size());
  for (std::uint32_t attempt = 0; attempt < uniform_attempts; ++attempt) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto lane = attempt * static_cast<std::uint32_t>(axes.size()) + static_cast<std::uint32_t>(i);
      numbers[i] = axes[i].quantile(uniform(seed, Draw::uniform_configuration, draw, lane));
    }
    if (!space.constrained() || space.allows(space.configuration(numbers))) return numbers;
  }
  return std::nullopt;
}

}  // namespace carbo::internal
