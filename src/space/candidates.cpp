#include "space/candidates.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "space/axis.hpp"
#include "space/local.hpp"
#include "space/row_source.hpp"
#include "space/table_builder.hpp"
#include "support/random.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::uint64_t indices_per_candidate = 64;
constexpr std::uint32_t local_attempts = 8;
constexpr std::uint32_t uniform_attempts = 10000;

std::string power_of_two(std::uint64_t power) { return text("2^", std::countr_zero(power)); }

bool enumerable(const Space& space, const CandidateOptions& options, std::uint64_t most_rows) {
  const std::uint64_t size = space.cardinality();
  return size > 0 && size <= std::min<std::uint64_t>(options.enumeration_limit, most_rows);
}

void check_enumeration(const Space& space, const CandidateOptions& options, std::uint64_t most_rows) {
  if (enumerable(space, options, most_rows)) return;
  if (!space.finite()) {
    throw InvalidOptions(
        "candidates.source is enumeration, but a real parameter has no finite number of values; use "
        "CandidateSource::sobol or automatic");
  }
  const std::string size = space.cardinality() == 0 ? "more than 2^63" : text(space.cardinality());
  throw InvalidOptions(text("candidates.source is enumeration, but the space has ", size,
                            " configurations and candidates.enumeration_limit is ", options.enumeration_limit,
                            "; raise the limit (to ", power_of_two(most_rows),
                            " at most) or use CandidateSource::sobol"));
}

/// Offers the rows of a source in order until `wanted` rows are held; `taken(row)` for each that is kept.
template <typename Taken>
void offer_rows(TableBuilder& builder, const RowSource& source, std::uint64_t wanted, const Taken& taken) {
  const std::size_t parameters = builder.axes().size();
  std::vector<double> chunk(std::min<std::uint64_t>(rows_at_once, source.size()) * parameters);
  for (std::uint64_t first = 0; first < source.size() && builder.rows() < wanted; first += rows_at_once) {
    const std::size_t rows = std::min<std::uint64_t>(rows_at_once, source.size() - first);
    const std::span<double> numbers(chunk.data(), rows * parameters);
    source.read(first, numbers);
    for (std::size_t row = 0; row < rows && builder.rows() < wanted; ++row) {
      if (builder.offer(numbers.subspan(row * parameters, parameters))) taken(first + row);
    }
  }
}

CandidateTable pool_table(const Space& space, const std::shared_ptr<const Pool>& pool) {
  if (pool->size() > most_table_rows) {
    throw InvalidPool(text("the pool has ", pool->size(), " rows; one that is held whole has at most ",
                           power_of_two(most_table_rows)));
  }
  const auto source = pool_rows(space, pool);
  TableBuilder builder(space, source->size(), Repeats::possible);
  std::vector<std::size_t> kept;
  offer_rows(builder, *source, source->size(), [&](std::uint64_t row) { kept.push_back(row); });
  CandidateTable table = std::move(builder).finish("no row of the pool");
  table.pool_index = std::move(kept);
  return table;
}

CandidateTable enumerated_table(const Space& space) {
  const auto source = enumerated_rows(space);
  TableBuilder builder(space, source->size(), Repeats::impossible);
  offer_rows(builder, *source, source->size(), [](std::uint64_t) {});
  return std::move(builder).finish("no configuration of the space");
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
  const std::size_t local = local_count(space, options, centres);
  std::size_t wanted = options.count - local;
  if (space.cardinality() > 0) wanted = std::min<std::uint64_t>(wanted, space.cardinality());
  const std::uint64_t tried = std::min(indices_per_candidate * options.count, most_stream_rows);
  TableBuilder builder(space, options.count, Repeats::possible);
  SobolShare sobol;
  sobol.recipe = make_sobol_recipe(space, seed, round);
  offer_rows(builder, *sobol_rows(space, tried, sobol.recipe), wanted,
             [&](std::uint64_t row) { sobol.indices.push_back(static_cast<std::uint32_t>(row)); });
  sobol.rows = builder.rows();
  if (sobol.rows > 0 && sobol.indices.back() == sobol.rows - 1) sobol.indices = {};
  offer_local(builder, local, centres, seed, round);
  return std::move(builder).finish(text("none of ", tried, " Sobol points"), std::move(sobol));
}

}  // namespace

void check_candidate_options(const CandidateOptions& options, std::uint64_t most_rows) {
  if (options.count < 1 || options.count > most_rows) {
    throw InvalidOptions(text("candidates.count is ", options.count, "; give 1 to ", power_of_two(most_rows)));
  }
  if (!(options.local_share >= 0 && options.local_share <= 1)) {
    throw InvalidOptions(text("candidates.local_share is ", options.local_share, "; give a share from 0 to 1"));
  }
}

bool fixed_candidates(const Space& space, const CandidateOptions& options, std::uint64_t most_rows) {
  if (options.pool || options.source == CandidateSource::enumeration) return true;
  return options.source == CandidateSource::automatic && enumerable(space, options, most_rows);
}

CandidateKind candidate_kind(const Space& space, const CandidateOptions& options, std::uint64_t most_rows) {
  check_candidate_options(options, most_rows);
  if (options.pool) return CandidateKind::pool;
  if (options.source == CandidateSource::enumeration) check_enumeration(space, options, most_rows);
  return fixed_candidates(space, options, most_rows) ? CandidateKind::enumeration : CandidateKind::sample;
}

std::size_t local_count(const Space& space, const CandidateOptions& options, const LocalCentres& centres) {
  for (const auto& centre : centres.numbers) space.configuration(centre);
  const double share = centres.numbers.empty() ? 0.0 : options.local_share;
  // One Sobol point is always wanted: it is what is left where no centre has an allowed neighbour.
  return std::min(static_cast<std::size_t>(share * static_cast<double>(options.count)), options.count - 1);
}

CandidateTable make_candidate_table(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                                    std::uint64_t round, const LocalCentres& centres) {
  switch (candidate_kind(space, options, most_table_rows)) {
    case CandidateKind::pool:
      return pool_table(space, options.pool);
    case CandidateKind::enumeration:
      return enumerated_table(space);
    default:
      return sampled_table(space, options, seed, round, centres);
  }
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
