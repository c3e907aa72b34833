#include "space/candidate_stream.hpp"

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

#include "space/encoding.hpp"
#include "space/table_builder.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

void check_size(const char* what, std::size_t given, std::size_t needed) {
  if (given == needed) return;
  throw InvalidOptions(text("candidate stream: ", given, " ", what, " given, ", needed, " needed"));
}

CandidateStream sampled_stream(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                               std::uint64_t round, const LocalCentres& centres) {
  const std::size_t local = local_count(space, options, centres);
  SobolShare sobol;
  sobol.recipe = make_sobol_recipe(space, seed, round);
  sobol.rows = options.count - local;
  auto rows = sobol_rows(space, sobol.rows, sobol.recipe);
  if (local > 0) {
    rows = joined_rows(space.parameters().size(), std::move(rows), local_rows(space, local, centres, seed, round));
  }
  return {space, std::move(rows), std::move(sobol), false};
}

}  // namespace

CandidateStream::CandidateStream(const Space& space, std::unique_ptr<const RowSource> source, SobolShare sobol,
                                 bool pool)
    : space_(space), axes_(axes_of(space_)), source_(std::move(source)), sobol_(std::move(sobol)), pool_(pool) {}

void CandidateStream::fill(std::uint64_t first, std::span<double> numbers, std::span<double> encoded,
                           std::span<std::uint8_t> allowed) const {
  check_size("numbers", numbers.size(), allowed.size() * parameters());
  const std::size_t wanted = encoded.empty() ? 0 : columns();
  check_size("encoded values", encoded.size(), allowed.size() * wanted);
  if (first > size() || allowed.size() > size() - first) {
    throw InvalidOptions(text("candidate stream: ", allowed.size(), " rows from row ", first, " on were asked of ",
                              size(), "; rows count from 0"));
  }
  for (std::size_t done = 0; done < allowed.size(); done += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, allowed.size() - done);
    fill_chunk(first + done, numbers.subspan(done * parameters(), rows * parameters()),
               encoded.subspan(done * wanted, rows * wanted), allowed.subspan(done, rows));
  }
}

void CandidateStream::fill_chunk(std::uint64_t first, std::span<double> numbers, std::span<double> encoded,
                                 std::span<std::uint8_t> allowed) const {
  source_->read(first, numbers);
  if (!encoded.empty()) encode_rows(axes_, numbers, encoded);
  std::fill(allowed.begin(), allowed.end(), std::uint8_t{1});
  if (!space_.constrained()) return;
  for (std::size_t row = 0; row < allowed.size(); ++row) {
    const auto configuration = space_.configuration(numbers.subspan(row * parameters(), parameters()));
    allowed[row] = space_.allows(configuration) ? 1 : 0;
  }
}

CandidateStream make_candidate_stream(const Space& space, const CandidateOptions& options, std::uint64_t seed,
                                      std::uint64_t round, const LocalCentres& centres) {
  switch (candidate_kind(space, options, most_stream_rows)) {
    case CandidateKind::pool:
      return {space, pool_rows(space, options.pool), {}, true};
    case CandidateKind::enumeration:
      return {space, enumerated_rows(space), {}, false};
    default:
      return sampled_stream(space, options, seed, round, centres);
  }
}

CandidateTable sampled_table(const Space& space, const CandidateStream& stream, std::size_t rows) {
  // Short runs: neighbouring rows of an enumeration or of a sorted pool are alike.
  constexpr std::size_t run = 16;
  const std::uint64_t runs = std::max<std::uint64_t>(1, std::min<std::uint64_t>(rows, stream.size()) / run);
  TableBuilder builder(space, runs * run, Repeats::possible);
  std::vector<std::size_t> kept;
  std::vector<double> numbers;
  std::vector<std::uint8_t> allowed;
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t first = stream.size() / runs * i + std::min(i, stream.size() % runs);
    allowed.assign(std::min<std::uint64_t>(run, stream.size() - first), 0);
    numbers.resize(allowed.size() * stream.parameters());
    stream.fill(first, numbers, {}, allowed);
    for (std::size_t row = 0; row < allowed.size(); ++row) {
      const auto own = std::span(numbers).subspan(row * stream.parameters(), stream.parameters());
      if (builder.offer(own) && stream.pool()) kept.push_back(static_cast<std::size_t>(first) + row);
    }
  }
  CandidateTable table =
      std::move(builder).finish(text("none of ", runs * run, " rows, evenly spaced among ", stream.size(), ","));
  table.pool_index = std::move(kept);
  return table;
}

}  // namespace carbo::internal
