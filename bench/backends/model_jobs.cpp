#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bench/backends/model.hpp"
#include "bench/backends/model_kernels.hpp"

namespace carbo::bench {

namespace {

using namespace device_work;

StageWork stage(const char* name, std::initializer_list<StageWork> parts) {
  StageWork sum{.stage = name};
  for (const StageWork& part : parts) sum += part;
  return sum;
}

Shape shape_of(const JobSizes& sizes) {
  return {static_cast<double>(sizes.n), static_cast<double>(sizes.m), static_cast<double>(sizes.d)};
}

double aligned(double bytes) { return std::ceil(bytes / 256) * 256; }

// Likelihoods of all restarts of both GPs, as one chunk: each GP has points and targets of its own.
std::vector<StageWork> fit_stages(const JobSizes& sizes) {
  constexpr double gps = 2, panel = 128, task = 104, gram_task = 72, scale_task = 40, result_head = 7;
  const auto [n, m, d] = shape_of(sizes);
  const double count = gps * static_cast<double>(sizes.restarts), panels = std::ceil(n / panel);
  const double tables = aligned(count * task) + aligned(count * gram_task) + aligned(count * scale_task) +
                        aligned(count * (1 + 2 * panels) * sizeof(double*));
  const double data =
      gps * (aligned(number_bytes * n * d) + aligned(number_bytes * n)) + count * aligned(number_bytes * d);
  StageWork inverse = stage("inverses of L", {right_sides(n, count)});
  StageWork product = stage("inverses of K", {whitened(n, count)});
  for (double first = 0; first < n; first += panel) {
    const double width = std::min(panel, n - first);
    inverse += triangle_solved(n - first, width + (first == 0 ? 2 : 0), count);
    product += multiplied(width, 1 + first + width, n - first, count);
  }
  return {stage("kernel matrices", {uploaded(tables + data), scaled_points(n, d, count), gram(n, d, count)}),
          stage("Cholesky", {factorised(n, count)}), std::move(inverse), std::move(product),
          stage("gradients", {gradient(n, d, count), downloaded(number_bytes * count * (result_head + d))})};
}

/// Tables of a pass over all candidates.
StageWork sweep_tables(bool with_variance) { return uploaded(with_variance ? 304 : 168); }

std::vector<StageWork> dense_stages(const JobSizes& sizes) {
  const Shape s = shape_of(sizes);
  constexpr double member = 48, scores_at_once = 1 << 20;
  const double parts = std::ceil(s.m / scores_at_once);
  StageWork all = stage("scores", {uploaded(member + number_bytes), scores(s.m, {})});
  all.launches = parts;
  for (double first = 0; first < s.m; first += scores_at_once)
    all += downloaded(number_bytes * std::min(scores_at_once, s.m - first));
  return {stage("objective's means", {sweep_tables(true), mean_pass(s)}),
          stage("objective's variances",
                {inverse_blocks(s.n), substitution(s, s.n, std::ceil(s.m / tile), s.m, {1, blocks_of_list(s.m, 1)})}),
          stage("log cost's means", {sweep_tables(false), mean_pass(s)}), std::move(all)};
}

constexpr double least_tightened_rows = 64, first_tightened_rows = 128, most_tightened_rows = 256, round_growth = 4;
// Contenders that are settled before the others, where there are more candidates.
constexpr double first_chunk = 512;
// The most promising of every block of candidates, of which a search finishes the best so many before it prunes.
constexpr double seed_block = 128, first_seeds = 256, later_seeds = 64;

/// Picks of one search, with what it found.
struct BatchSizes {
  Shape shape;
  double picks = 1;
  double members = 1;
  double fantasies = 1;  ///< over all members
  double finished = 0;   ///< candidates, in all picks
  double refreshed = 0;  ///< candidates, in all picks
  double rows = 0;       ///< Σ rows² of substitution

  double later() const { return picks - 1; }
  double blocks() const { return std::ceil(shape.m / seed_block); }
  double chunks() const { return shape.m > first_chunk ? 2 : 1; }
  double blocks_of_lists() const { return blocks_of_list(shape.m, members); }
  Scoring later_scoring() const { return {members, fantasies / members}; }
};

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

/// Lists that such rounds work on in a pick: only the last chunk has those of many rows.
double round_lists_of(const BatchSizes& b) {
  return rounds(b.shape.n) + (b.chunks() - 1) * tightening_rounds(b.shape.n);
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
  return b;
}

/// Lists of candidates end in a tile that is half empty on average.
double tiles_of(double candidates, double lists) { return candidates / tile + lists / 2; }

/// Finished candidates, and those that rounds of few rows were enough for: what is left of Σ rows², as if all rounds
/// were as short as the first. After the first pick seeds are finished already, and one of the two chunks, mostly,
/// finds nobody that is not.
StageWork variance_stage(const BatchSizes& b) {
  const double& n = b.shape.n;
  const double rows = first_round_rows(n);
  const double lists = (1 + b.chunks()) * b.picks, round_lists = round_lists_of(b) * b.picks;
  const double with_work = 1 + b.chunks() + b.later();
  const double in_rounds = round_lists == 0 ? 0 : std::max(0.0, b.rows - b.finished * n * n) / (rows * rows);
  StageWork work = stage("variances of contenders", {});
  work +=
      b.members * substitution(b.shape, n, tiles_of(b.finished, with_work), b.finished, {lists, b.blocks_of_lists()});
  work += b.members * substitution(b.shape, rows, tiles_of(in_rounds, round_lists), in_rounds,
                                   {round_lists, b.blocks_of_lists()});
  work.launches = lists + round_lists;
  work.longest_slots /= b.members;  // GPs are blocks beside each other
  return work;
}

/// The oldest candidate of a tile has missed most of the points that there are: about three quarters, as seen on the
/// emulated device. In a long batch it is the one that waited longest: where a share r of the candidates is brought
/// up to date at each pick, each waits 1/r picks on average, and in a tile of like age none twice as long as another.
Missed missed_by_contenders(double later, double refreshed_share) {
  if (later == 0) return {.fantasised = 0, .points = 0, .passes = 0, .at_once = 0};
  constexpr double share = 0.75, longest_wait = 1.5;
  Missed mean{.fantasised = (later + 1) / 2, .points = 0, .passes = 0, .at_once = 0};
  for (double points = 1; points <= later; ++points) {
    const double missed = std::max(1.0, std::min(share * points, longest_wait / refreshed_share));
    mean.points += missed / later;
    const double passes = std::ceil(missed / tile);
    mean.passes += passes / later;
    mean.at_once += (missed <= 8 ? 8 : missed <= 16 ? 16 : tile * passes) / later;
  }
  return mean;
}

StageWork refresh_stage(const BatchSizes& b) {
  const double lists = b.picks + b.chunks() * b.later();
  StageWork work = stage("contenders brought up to date", {});
  const double share = b.later() == 0 ? 0 : b.refreshed / (b.later() * b.shape.m);
  work += b.members * responses(b.shape, missed_by_contenders(b.later(), share), tiles_of(b.refreshed, lists - 1),
                                b.refreshed, b.later_scoring().means, {lists, b.blocks_of_lists()});
  work.launches = lists;
  work.longest_slots /= b.members;  // GPs are blocks beside each other
  return work;
}

/// What every pick does with lists.
StageWork list_stage(const BatchSizes& b) {
  constexpr double table = 536;
  const double& m = b.shape.m;
  const Scoring later = b.later_scoring();
  const double seeds = std::min(first_seeds, b.blocks()) + b.later() * std::min(later_seeds, b.blocks());
  const double scored_lists = 1 + b.chunks(), bounded_lists = b.chunks() * b.later() + round_lists_of(b) * b.picks;
  StageWork one =
      stage("", {uploaded(b.members * table), seeds_selected(b.blocks()), reduced_best(b.blocks()),
                 scored_lists * reduced_best(b.blocks_of_lists()), contenders_gathered(m, b.chunks() > 1)});
  if (b.chunks() > 1) {
    one += contenders_gathered(m, false);
    one += contenders_gathered(std::min(m, first_chunk), true);
  }
  StageWork work = stage("lists and scores", {b.picks * one});
  StageWork of_lists = scores(b.finished + seeds, b.picks > 1 ? later : Scoring{b.members, 1});
  of_lists += ceilings(b.refreshed, later);
  // Ceilings taken again and a list compacted.
  of_lists.launches = scored_lists * b.picks + 2 * bounded_lists;
  work += of_lists;
  return work;
}

/// The passes over all candidates and what lists need.
std::vector<StageWork> search_stages(const BatchSizes& b) {
  StageWork set_up =
      stage("set-up of the search", {b.members * inverse_blocks(b.shape.n), uploaded(number_bytes * b.fantasies)});
  return {stage("log cost's means", {sweep_tables(false), mean_pass(b.shape)}),
          std::move(set_up),
          stage("first pass", {first_pass(b.shape, b.members)}),
          refresh_stage(b),
          variance_stage(b),
          list_stage(b)};
}

std::vector<StageWork> pick_stages(const BatchSizes& b) {
  constexpr double state = 56;
  std::vector<StageWork> stages = search_stages(b);
  stages.push_back(stage("result", {uploaded(number_bytes), downloaded(state)}));
  return stages;
}

/// Picks in one sequence, whose points are fantasised, taken out and followed by the incumbents on the device, and
/// read back at its end.
std::vector<StageWork> batch_stages(const BatchSizes& b) {
  constexpr double record = 64;
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
  // Incumbents followed, a pick taken, and the same told to the set of candidates.
  picks += b.picks * StageWork{.stage = {}, .launches = 3, .bytes_to_device = number_bytes};
  stages.push_back(std::move(picks));
  return stages;
}

std::vector<StageWork> append_stages(const JobSizes& sizes) {
  constexpr double task = 136;
  const Shape s = shape_of(sizes);
  const double means = static_cast<double>(sizes.fantasies);
  StageWork respond = responses(s, {}, std::ceil(s.m / tile), s.m, means, {1, std::ceil(s.m / tile)});
  return {stage("fantasised row", {uploaded(number_bytes * s.d), fantasy_tables(1, {1, means}),
                                   fantasised_rows(s, {1, means}), downloaded(number_bytes * means)}),
          stage("responses of all", {uploaded(task), respond, downloaded(number_bytes), downloaded(number_bytes)})};
}

std::vector<StageWork> design_stages(const JobSizes& sizes) {
  const Shape s = shape_of(sizes);
  const auto kernel = [](double bytes) {
    return StageWork{.stage = {}, .bytes = bytes, .launches = 1, .requested_bytes = bytes};
  };
  const StageWork entrants = kernel((2 + number_bytes) * s.m),
                  keys = kernel((number_bytes + 4 + 4 + number_bytes) * s.m);
  const StageWork ranks = kernel(4 * s.m), inverse = kernel(8 * s.m), places = kernel(20 * s.m);
  StageWork orders =
      stage("orders by cost and by distance", {2 * ranks, 4 * keys, 4 * sorted(s.m), 2 * inverse, 2 * places});
  orders.flops += 4 * s.m;
  orders.slots += 4 * s.m;
  return {stage("distances", {uploaded(number_bytes * s.d), nearest(s.m, s.d)}),
          stage("entrants", {entrants, selected(s.m, s.m), downloaded(number_bytes)}), std::move(orders),
          stage("places to the host",
                {downloaded(number_bytes * s.m), downloaded(4), uploaded(number_bytes), kernel(9)})};
}

/// The best candidate by EI per cost, which says whether going on pays: one more look before the first pick, whose
/// own has finished most of what this one finds.
StageWork worth_stage(const JobSizes& sizes) {
  JobSizes one = sizes;
  one.fantasies = 1;
  const BatchSizes look = batch_of(one, {}, 1);
  StageWork work = stage("what going on is worth", {ceilings(look.shape.m, look.later_scoring()), refresh_stage(look),
                                                    variance_stage(look), list_stage(look)});
  ++work.launches;  // what was found is kept
  return work;
}

/// Candidates as `CandidateOptions` has them by default: a share of them round the best, made on the host.
StageWork candidate_stage(const Shape& s) {
  constexpr double local_share = 0.4, axis = 216, part_elements = 1 << 17;
  const double local = std::floor(local_share * s.m + 0.5), points = s.m - local;
  const double parts = std::ceil(local / std::floor(part_elements / s.d));
  StageWork work = stage("candidates", {uploaded(axis * s.d + number_bytes * local * s.d)});
  work.flops = points * s.d * (8 + operations_per_division);
  work.slots = points * s.d * (8 + operations_per_division / 2);
  work.bytes = number_bytes * (points * s.d + 2 * local * s.d + s.m) + s.m;
  work.requested_bytes = (number_bytes + 88) * points * s.d + number_bytes * (2 * local * s.d + s.m);
  work.launches = 2 + parts;  // Sobol points, distances, rows turned into columns
  work.waits = parts;
  return work;
}

/// Both models' predictions of the batch, for its receipts.
StageWork receipt_stage(const Shape& s, double b) {
  constexpr double gps = 2;
  StageWork one =
      stage("", {uploaded(number_bytes * b * s.d), triangle_solved(s.n, b, 1), downloaded(2 * number_bytes * b)});
  one.flops += b * s.n * (3 * s.d + 42 + 14);
  one.slots += b * s.n * (2 * s.d + 35);
  one.bytes += number_bytes * 3 * b * s.n;
  one.requested_bytes += number_bytes * b * s.n * (s.d + 5);
  one.launches += 2;
  return stage("receipts", {gps * one});
}

}  // namespace

PickShares usual_shares(Job job, const JobSizes& sizes) {
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
  return shares;
}

std::vector<StageWork> modelled_work(Job job, const JobSizes& sizes, const PickShares& shares) {
  const double b = static_cast<double>(sizes.b);
  JobSizes shared = sizes;
  shared.batched = false;
  switch (job) {
    case Job::fit:
      return fit_stages(sizes);
    case Job::dense:
      return dense_stages(sizes);
    case Job::pick:
      shared.fantasies = 1;
      return pick_stages(batch_of(shared, shares, 1));
    case Job::batch:
      return batch_stages(batch_of(sizes, shares, b));
    case Job::append:
      return append_stages(sizes);
    case Job::design:
      return design_stages(sizes);
    case Job::suggest: {
      std::vector<StageWork> stages = batch_stages(batch_of(shared, shares, b));
      stages.insert(stages.begin(), candidate_stage(shape_of(sizes)));
      stages.push_back(worth_stage(shared));
      stages.push_back(receipt_stage(shape_of(sizes), b));
      return stages;
    }
  }
  throw std::logic_error("a job without a model");
}

}  // namespace carbo::bench
