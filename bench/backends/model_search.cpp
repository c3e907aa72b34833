#include "bench/backends/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carbo::bench {

namespace device_work {

namespace {

constexpr double least_tightened_rows = 64, first_tightened_rows = 128, most_tightened_rows = 256, round_growth = 4;
// Contenders that are settled before the others, where there are more candidates.
constexpr double first_chunk = 512;
// The most promising of every block of candidates, of which a search finishes the best so many before it prunes.
constexpr double seed_block = 128, first_seeds = 256, later_seeds = 64;

/// Rounds of substitution that drop candidates before the rest is finished.
double first_round_rows(double n) {
  return 3 * first_tightened_rows < n ? first_tightened_rows : least_tightened_rows;
}
/// Of these, those before contenders are brought up to date.
double tightening_rounds(double n) {
  double count = 0;
  for (double rows = first_round_rows(n); 3 * rows < n && rows <= most_tightened_rows; rows *= 2) ++count;
  return count;
}
double rounds(double n) {
  double count = 0;
  for (double rows = first_round_rows(n); 3 * rows < n; rows *= rows <= most_tightened_rows ? 2 : round_growth)
    ++count;
  return count;
}
/// The one round where float32 may be chosen: as many rows as the last of these; 0 where there is none.
double float_round_rows(const BatchSizes& b) {
  const double count = b.screened.possible ? tightening_rounds(b.shape.n) : 0;
  return count == 0 ? 0 : first_round_rows(b.shape.n) * std::exp2(count - 1);
}

/// Lists that such rounds work on in a pick: only the last chunk has those of many rows.
double round_lists_of(const BatchSizes& b) {
  const double tightening = tightening_rounds(b.shape.n), further = rounds(b.shape.n) - tightening;
  return b.chunks() * (float_round_rows(b) > 0 ? 1 : tightening) + further;
}

/// Lists of candidates end in a tile that is half empty on average.
double tiles_of(double candidates, double lists) { return candidates / tile + lists / 2; }

/// Finished candidates, and those that rounds of few rows were enough for: what is left of Σ rows², as if all rounds
/// were as short as the first. After the first pick seeds are finished already, and one of the two chunks, mostly,
/// finds nobody that is not.
StageWork variance_stage(const BatchSizes& b) {
  const double& n = b.shape.n;
  const double rows = float_round_rows(b) > 0 ? float_round_rows(b) : first_round_rows(n);
  const double lists = (1 + b.chunks()) * b.picks, round_lists = round_lists_of(b) * b.picks;
  const double with_work = 1 + b.chunks() + b.later();
  const double in_rounds = round_lists == 0 ? 0 : std::max(0.0, b.rows - b.finished * n * n) / (rows * rows);
  StageWork work = stage("variances of contenders", {});
  work +=
      b.members * substitution(b.shape, n, tiles_of(b.finished, with_work), b.finished, {lists, b.blocks_of_lists()});
  const Grid grid{round_lists, b.blocks_of_lists()};
  if (float_round_rows(b) > 0 && b.in_float32())
    work += b.members * float_variances(b.shape, rows, in_rounds, grid);
  else
    work += b.members * substitution(b.shape, rows, tiles_of(in_rounds, round_lists), in_rounds, grid);
  work.launches = lists + round_lists;
  work.longest_slots /= b.members;  // GPs are blocks beside each other
  work.longest_float32_slots /= b.members;
  return work;
}

/// The oldest candidate of a tile has missed most of the points that there are: about three quarters, as seen on the
/// emulated device. In a long batch it is the one that waited longest: where a share r of the candidates is brought
/// up to date at each pick, each waits 1/r picks on average, and in a tile of like age none twice as long as another.
Missed missed_by_contenders(double later, double refreshed_share, double lanes, double means = 0) {
  const double of_warp = tile / lanes;
  if (later == 0) return {.fantasised = 0, .points = 0, .passes = 0, .at_once = of_warp * means};
  constexpr double share = 0.75, longest_wait = 1.5;
  Missed mean{.fantasised = (later + 1) / 2, .points = 0, .passes = 0, .at_once = 0};
  for (double points = 1; points <= later; ++points) {
    const double missed = std::max(1.0, std::min(share * points, longest_wait / refreshed_share));
    mean.points += missed / later;
    const double passes = std::ceil(missed / tile);
    mean.passes += passes / later;
    mean.at_once += of_warp * std::ceil((missed + means) / of_warp) / later;
  }
  return mean;
}

/// Candidates that are brought up to date exactly where means are screened: seeds, and whoever is finished.
double settled_of(const BatchSizes& b) {
  return b.later() * std::min(later_seeds, b.blocks()) + b.finished * b.later() / b.picks;
}

StageWork refresh_stage(const BatchSizes& b) {
  const double lists = b.screened.possible ? b.chunks() * b.later() : b.picks + b.chunks() * b.later();
  StageWork work = stage("contenders brought up to date", {});
  const double share = b.later() == 0 ? 0 : b.refreshed / (b.later() * b.shape.m);
  const Missed missed = missed_by_contenders(b.later(), share, response_lanes);
  const double means = b.later_scoring().means;
  const Grid grid{lists, b.blocks_of_lists()};
  const double with_work = std::max(0.0, lists - (b.screened.possible ? 0 : 1));
  if (b.screened.objective) {
    work += b.members * screened_responses(b.shape, missed, std::max(0.0, b.refreshed - settled_of(b)), means, grid,
                                           b.screened.in_pairs);
    work += b.members * responses(b.shape, {0, 0, 0, 0, 0}, 0, 0, means, grid);
  } else {
    work += b.members *
            responses(b.shape, missed, b.refreshed / response_lanes + with_work / 2, b.refreshed, means, grid);
  }
  work.launches = lists * (1 + (b.screened.possible ? 1 : 0) + (b.screened.pairs_possible ? 1 : 0));
  work.longest_slots /= b.members;  // GPs are blocks beside each other
  work.longest_float32_slots /= b.members;
  return work;
}

/// Means that were bounds and become exact, of both GPs, with all responses of the objective's: in the launches that
/// finish variances.
StageWork settle_stage(const BatchSizes& b) {
  StageWork work = stage("exact means", {});
  if (!b.screened.possible) return work;
  const double lists = (1 + b.chunks()) * b.picks, tiles = b.finished / settled_lanes + lists / 2;
  const Grid grid{lists, 0};
  if (b.screened.objective) {
    Missed missed = missed_by_contenders(b.later(), 0.01, settled_lanes, 1);
    missed.passes = 1;
    missed.exact = 1;
    work +=
        b.members * responses(b.shape, missed, tiles + b.later() * std::min(later_seeds, b.blocks()) / settled_lanes,
                              settled_of(b), b.later_scoring().means, grid);
  }
  if (b.screened.cost) work += responses(b.shape, {0, 0, 1, tile / settled_lanes, 1}, tiles, 0, 1, grid);
  work.launches = 0;
  work.longest_slots /= b.members + (b.screened.cost ? 1 : 0);  // GPs are blocks beside each other
  return work;
}

/// What every pick does with lists.
StageWork list_stage(const BatchSizes& b) {
  // Tables: of a member and of the cost, and what screens add.
  constexpr double table = 696, cost_table = 176, response_table = 288, screen_table = 376, choices = 80;
  double tables = b.members * table + cost_table;
  if (b.screened.possible) tables += response_table + (b.members + 1) * screen_table + choices;
  const double& m = b.shape.m;
  const Scoring later = b.later_scoring();
  const double seeds = std::min(first_seeds, b.blocks()) + b.later() * std::min(later_seeds, b.blocks());
  const double scored_lists = 1 + b.chunks(), bounded_lists = b.chunks() * b.later() + round_lists_of(b) * b.picks;
  StageWork one =
      stage("", {uploaded(tables), seeds_selected(b.blocks()), reduced_best(b.blocks()),
                 scored_lists * reduced_best(b.blocks_of_lists()), contenders_gathered(m, b.chunks() > 1)});
  if (b.chunks() > 1) {
    one += contenders_gathered(m, false);
    one += highest_kept(std::min(m, first_chunk));
  }
  StageWork work = stage("lists and scores", {b.picks * one});
  StageWork of_lists = scores(b.finished + seeds, b.picks > 1 ? later : Scoring{b.members, 1});
  of_lists += ceilings(b.refreshed, later);
  // Scores with the best of them; ceilings taken again with the list that is left.
  of_lists.launches = scored_lists * b.picks + bounded_lists;
  work += of_lists;
  return work;
}

/// The passes over all candidates and what lists need.
std::vector<StageWork> search_stages(const BatchSizes& b) {
  StageWork set_up = stage("set-up of the search", {uploaded(number_bytes * b.fantasies)});
  std::vector<StageWork> stages = {std::move(set_up)};
  if (b.screened.possible) {
    constexpr double sample_table = 136;
    StageWork choice = stage(
        "choice of the precision",
        {uploaded(sample_table), screen_choice(b.shape, b.members, b.blocks_of_lists(), b.screened.pairs_possible)});
    if (const double rows = float_round_rows(b); rows > 0) choice += float_variance_choice(b.shape, rows, b.members);
    stages.push_back(std::move(choice));
  }
  for (StageWork& one : std::vector<StageWork>{stage("first pass", {first_pass(b.shape, b.members, b.screened)}),
                                               refresh_stage(b), settle_stage(b), variance_stage(b), list_stage(b)})
    stages.push_back(std::move(one));
  return stages;
}

}  // namespace

double BatchSizes::blocks() const { return std::ceil(shape.m / seed_block); }
double BatchSizes::chunks() const { return shape.m > first_chunk ? 2 : 1; }

bool is_screened(const Shape& s) {
  constexpr double least_candidates = 4096, least_correlations = 1 << 21;
  return s.n > tile && s.m >= least_candidates && s.n * s.m >= least_correlations;
}

BatchSizes batch_of(const JobSizes& sizes, const PickShares& shares, double picks) {
  BatchSizes b;
  b.shape = shape_of(sizes);
  b.picks = picks;
  b.fantasies = static_cast<double>(sizes.fantasies);
  b.members = sizes.batched ? b.fantasies : 1;
  b.finished = shares.finished * b.shape.m * picks;
  b.refreshed = shares.refreshed * b.shape.m * b.later();
  b.rows = shares.rows * b.shape.n * b.shape.n * b.shape.m * picks;
  b.screened.possible = b.shape.n > tile && (shares.screened > 0 || is_screened(b.shape));
  b.screened.pairs_possible = b.screened.possible && shares.pairs_possible;
  b.screened.in_pairs = b.screened.pairs_possible && shares.in_pairs;
  // Where one GP alone is screened it is the cost's, whose margin counts as it is.
  b.screened.objective = shares.screened >= b.members && (b.members > 1 || shares.screened > 1);
  b.screened.cost = shares.screened == 1 || shares.screened > b.members;
  return b;
}

std::vector<StageWork> pick_stages(const BatchSizes& b) {
  constexpr double look = 80;
  std::vector<StageWork> stages = search_stages(b);
  stages.push_back(stage("result", {uploaded(number_bytes), downloaded(look)}));
  return stages;
}

std::vector<StageWork> batch_stages(const BatchSizes& b) {
  constexpr double record = 72;
  const Scoring later = b.later_scoring();
  std::vector<StageWork> stages = search_stages(b);
  if (b.later() > 0) {
    // Rows that are fantasised lengthen the factor: half of them on average.
    Shape grown = b.shape;
    grown.n += (b.later() - 1) / 2;
    stages.push_back(stage("ceilings of all", {b.later() * ceilings(b.shape.m, later)}));
    stages.push_back(stage(
        "fantasies", {spread_means(b.shape.m, later.means - 1), uploaded(number_bytes * b.fantasies * b.later()),
                      fantasy_tables(b.later(), later), b.later() * fantasised_rows(grown, later)}));
  }
  StageWork picks =
      stage("picks", {uploaded(number_bytes * (b.members + b.fantasies)),
                      downloaded((b.picks + 1) * record + number_bytes * (b.picks * b.shape.d + b.fantasies))});
  ++picks.launches;  // what the first pick's improvement is measured from
  stages.push_back(std::move(picks));
  return stages;
}

StageWork worth_stage(const JobSizes& sizes) {
  JobSizes one = sizes;
  one.fantasies = 1;
  const BatchSizes look = batch_of(one, {}, 1);
  return stage("what going on is worth", {ceilings(look.shape.m, look.later_scoring()), refresh_stage(look),
                                          settle_stage(look), variance_stage(look), list_stage(look)});
}

}  // namespace device_work

PickShares usual_shares(Job job, const JobSizes& sizes) {
  using namespace device_work;
  const auto [n, m, d] = shape_of(sizes);
  const double b = static_cast<double>(sizes.b);
  PickShares shares;
  if (job == Job::pick) {
    const double seeds = std::min(first_seeds, std::ceil(m / seed_block)), contenders = 100 * n / m;
    shares.finished = std::min(1.0, (seeds + contenders) / m);
  } else if (job == Job::suggest) {
    shares = {.finished = 0.01, .refreshed = 0.05};
  } else {
    // A candidate is finished once in a batch, and most are where there are few of few rows.
    const double of_a_batch = 0.8 * std::min(1.0, std::pow(2.5e6 / (n * m), 2.0 / 3));
    // More rows bound variances better, and above 384 they are tightened to 128 before anybody is brought up to date.
    const double seen_by_rows = std::min(1.0, (3 * first_tightened_rows < n ? 100 : 180) / n);
    shares = {.finished = std::min(0.003 * b, of_a_batch / b),
              .refreshed = std::min(0.6, 0.0055 * d * d * std::max(0.5, 1 - 0.0025 * b) * seen_by_rows)};
  }
  shares.rows = shares.finished;
  if (job == Job::batch && 3 * most_tightened_rows < n) {
    // Rounds drop nearly all: most candidates are tightened once in a batch, to 128 rows and to 256 or, where float32
    // may be chosen, to 256 at once, and few beside the first pick's seeds are finished.
    const double seeds = std::min(first_seeds, std::ceil(m / seed_block));
    const double rounds = (is_screened(shape_of(sizes)) ? 0 : 1) + round_growth;
    shares.finished = std::min(shares.finished, (seeds + 6 * b) / (m * b));
    shares.rows = shares.finished + 0.8 * rounds * std::pow(first_tightened_rows / n, 2) / b;
  }
  if (is_screened(shape_of(sizes))) shares.screened = (sizes.batched ? static_cast<double>(sizes.fantasies) : 1) + 1;
  return shares;
}

}  // namespace carbo::bench
