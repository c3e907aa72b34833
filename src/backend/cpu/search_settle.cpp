#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/search.hpp"

namespace carbo::internal {
namespace {

/// Rows by which a bound on the variance is tightened before a candidate is brought up to date, and what share of all
/// they may be: that helps in all later picks, too, and costs less.
constexpr std::size_t most_tightened_rows = 256;
constexpr std::size_t least_tightened_share = 3;
/// Finished candidates that the next pick looks at first; more would not raise its first threshold.
constexpr std::size_t most_known = 4096;
/// Variances are finished instead once bringing candidates up to date has cost as much as that would: a covariance a
/// row each time, against a product a pair of rows, of which so many take as long. In a large batch every later pick
/// gains by it, and of few rows at once.
constexpr std::size_t rows_a_refresh = 100;
constexpr std::size_t least_refreshes = 3;
/// A bound on a response costs a covariance, and is made of few of those that bringing up to date would take.
constexpr std::size_t rows_a_bound = 16;
/// No more responses are bounded where, of so many candidates, not one in so many was dropped for it.
constexpr std::size_t least_bounded = 4096;
constexpr std::size_t drops_a_bound = 8;
/// Contenders a thread that are settled before the threshold rises for the others, and by how much more the next ones
/// are: smaller chunks would wait for each other more often than they save.
constexpr std::size_t settled_at_once = 4 * panel_width;
constexpr std::size_t chunk_growth = 4;
/// Contenders a thread that are finished at once, before others are tightened.
constexpr std::size_t finished_at_once = narrow_multiple;

/// At once, for few of those that miss fantasised points are dropped by fewer rows than that.
std::size_t tightened_rows(std::size_t all) {
  std::size_t rows = most_tightened_rows;
  while (least_tightened_share * rows > all) rows /= 2;
  return rows;
}

void keep_reaching(std::vector<Contender>& contenders, double threshold) {
  std::erase_if(contenders, [&](const Contender& one) { return one.score < threshold; });
}

std::vector<std::uint32_t> candidates_of(std::span<const Contender> contenders) {
  std::vector<std::uint32_t> candidates(contenders.size());
  std::transform(contenders.begin(), contenders.end(), candidates.begin(),
                 [](const Contender& one) { return static_cast<std::uint32_t>(one.index); });
  return candidates;
}

}  // namespace

bool CpuSearch::finished(std::size_t candidate) const {
  return std::all_of(fields_.begin(), fields_.end(), [&](const auto& field) { return field->finished(candidate); });
}

std::size_t CpuSearch::lanes_per_thread(std::size_t candidates) const {
  return lanes_for((candidates + pool_->threads() - 1) / pool_->threads());
}

template <class Body>
void CpuSearch::for_each_gathered(std::span<const std::uint32_t> candidates, const Body& body) const {
  const std::size_t width = lanes_per_thread(candidates.size());
  const std::size_t groups = candidates.empty() ? 0 : (candidates.size() + width - 1) / width;
  pool_->parallel_for(groups, [&](std::size_t g) {
    body(candidates.subspan(g * width, std::min(width, candidates.size() - g * width)));
  });
}

void CpuSearch::settle(const ScoreRequest& request, std::vector<Contender> contenders, Ranking& ranking) {
  std::vector<Contender> fresh;
  for (std::size_t chunk = settled_at_once * pool_->threads(); !contenders.empty(); chunk *= chunk_growth) {
    select_highest(contenders, chunk);
    const auto end = contenders.begin() + static_cast<std::ptrdiff_t>(std::min(contenders.size(), chunk));
    std::vector<Contender> part(contenders.begin(), end);
    contenders.erase(contenders.begin(), end);
    tighten(request, part, ranking.threshold());
    refresh(part);
    update_ceilings(request, part, ranking.threshold());
    keep_reaching(part, ranking.threshold());
    const auto unfinished =
        std::partition(part.begin(), part.end(), [&](const Contender& one) { return finished(one.index); });
    finish(request, {part.begin(), unfinished}, ranking);
    fresh.insert(fresh.end(), unfinished, part.end());
    keep_reaching(fresh, ranking.threshold());
    if (fresh.size() >= panel_width) refine(request, fresh, ranking);
    keep_reaching(contenders, ranking.threshold());
  }
  refine(request, fresh, ranking);
}

void CpuSearch::tighten(const ScoreRequest& request, std::vector<Contender>& contenders, double threshold) {
  const std::size_t now = fantasised();
  const std::size_t all = fields_.front()->all_rows();
  bound_responses(request, contenders, threshold);
  const std::size_t refreshes = std::max(least_refreshes, all / rows_a_refresh);
  const bool to_the_end = picks_left_ >= refreshes && work_.refreshed > refreshes * candidates_.size();
  for (const std::size_t rows : {tightened_rows(all), to_the_end ? all : 0}) {
    const auto first = std::partition(contenders.begin(), contenders.end(), [&](const Contender& one) {
      return versions_[one.index] == now || fields_.front()->solved_rows(one.index) >= rows;
    });
    const std::span<Contender> loose(first, contenders.end());
    if (loose.empty()) continue;
    solve(loose, rows);
    update_ceilings(request, loose, threshold);
    keep_reaching(contenders, threshold);
  }
}

void CpuSearch::bound_responses(const ScoreRequest& request, std::vector<Contender>& contenders, double threshold) {
  const bool helps = bounded_ < least_bounded || drops_a_bound * dropped_ >= bounded_;
  const auto bounded = [](const auto& field) { return field->bounds_responses(); };
  if (!helps || !std::all_of(fields_.begin(), fields_.end(), bounded)) return;
  const std::size_t now = fantasised();
  const std::size_t rows = fields_.front()->factor().observed();
  const auto first = std::partition(contenders.begin(), contenders.end(), [&](const Contender& one) {
    const std::size_t missed = now - versions_[one.index];
    return missed == 0 || rows < rows_a_bound * missed;
  });
  const std::span<Contender> stale(first, contenders.end());
  if (stale.empty()) return;
  const std::vector<std::uint32_t> candidates = candidates_of(stale);
  for_each_gathered(candidates, [&](Gathered gathered) {
    for (const auto& field : fields_) field->bound_responses(scratch_, gathered, versions_);
  });
  const std::size_t before = contenders.size();
  bounded_ += stale.size();
  update_ceilings(request, stale, threshold);
  keep_reaching(contenders, threshold);
  dropped_ += before - contenders.size();
}

/// Candidates of one group are brought up to date from its oldest version on, so those that miss less than half as
/// many points begin a new one. `stale` is sorted by version.
std::vector<Gathered> CpuSearch::groups_of_like_age(Gathered stale, std::size_t most) const {
  const auto missed = [&](std::size_t i) { return fantasised() - versions_[stale[i]]; };
  std::vector<Gathered> groups;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= stale.size(); ++i) {
    const bool younger = i < stale.size() && i - first >= narrow_multiple && 2 * missed(i) < missed(first);
    if (i < stale.size() && i - first < most && !younger) continue;
    groups.push_back(stale.subspan(first, i - first));
    first = i;
  }
  return groups;
}

void CpuSearch::refresh(std::span<const Contender> contenders) {
  const std::size_t now = fantasised();
  std::vector<std::uint32_t> stale;
  for (const Contender& one : contenders)
    if (versions_[one.index] < now) stale.push_back(static_cast<std::uint32_t>(one.index));
  const auto bounded = std::partition(stale.begin(), stale.end(), [&](std::uint32_t one) {
    return !std::all_of(fields_.begin(), fields_.end(),
                        [&](const auto& field) { return field->lowers(one, versions_[one]); });
  });
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    return versions_[a] != versions_[b] ? versions_[a] < versions_[b] : a < b;
  };
  std::sort(stale.begin(), bounded, older);
  std::sort(bounded, stale.end(), older);
  const std::vector<Gathered> exact = groups_of_like_age({stale.begin(), bounded}, lanes_per_thread(stale.size()));
  const std::vector<Gathered> lowered = groups_of_like_age({bounded, stale.end()}, lanes_per_thread(stale.size()));
  pool_->parallel_for(exact.size() + lowered.size(), [&](std::size_t g) {
    const bool lowers = g >= exact.size();
    const Gathered group = lowers ? lowered[g - exact.size()] : exact[g];
    for (const auto& field : fields_)
      lowers ? field->lower(scratch_, group, versions_) : field->refresh(scratch_, group, versions_);
    for (const std::uint32_t candidate : group) versions_[candidate] = static_cast<std::uint32_t>(now);
  });
  work_.refreshed += stale.size();
}

void CpuSearch::solve(std::span<const Contender> contenders, std::size_t rows) {
  std::vector<std::uint32_t> unfinished = candidates_of(contenders);
  std::erase_if(unfinished, [&](std::uint32_t one) { return finished(one); });
  // Whoever is finished under one GP is under all: means that become exact have seen no fantasised point.
  for (const auto& field : fields_)
    if (rows >= field->all_rows()) rows = std::numeric_limits<std::size_t>::max();
  for (const auto& field : fields_) {
    const std::size_t wanted = std::min(rows, field->all_rows());
    std::vector<std::uint32_t> candidates = unfinished;
    std::erase_if(candidates, [&](std::uint32_t one) { return field->has_rows(one, wanted); });
    for_each_gathered(candidates, [&](Gathered gathered) { field->solve(scratch_, gathered, wanted); });
    const double share = static_cast<double>(wanted) / static_cast<double>(field->all_rows());
    work_.rows += share * share * static_cast<double>(candidates.size()) /
                  static_cast<double>(candidates_.size() * fields_.size());
  }
  if (rows < std::numeric_limits<std::size_t>::max()) return;  // nobody was finished
  const bool screened = fields_.front()->screens();
  for (const std::uint32_t candidate : unfinished) {
    if (!finished(candidate)) continue;
    if (screened) versions_[candidate] = 0;
    ++work_.finished;
    if (known_.size() < most_known) known_.push_back(candidate);
  }
}

void CpuSearch::finish(const ScoreRequest& request, std::span<const Contender> contenders, Ranking& ranking) {
  solve(contenders, std::numeric_limits<std::size_t>::max());
  if (cost_) {
    std::vector<std::uint32_t> candidates = candidates_of(contenders);
    std::erase_if(candidates, [&](std::uint32_t one) { return cost_->finished(one); });
    for_each_gathered(candidates, [&](Gathered gathered) { cost_->solve(scratch_, gathered, cost_->all_rows()); });
  }
  refresh(contenders);
  std::vector<double> scores(contenders.size());
  pool_->parallel_for((contenders.size() + panel_width - 1) / panel_width, [&](std::size_t task) {
    const std::size_t end = std::min(contenders.size(), (task + 1) * panel_width);
    for (std::size_t i = task * panel_width; i < end; ++i) {
      const std::size_t candidate = contenders[i].index;
      const std::size_t p = candidate / panel_width, j = candidate % panel_width;
      // The limit of the cost is known to hold only now.
      scores[i] = may_be_picked(candidates_, request, p, j) ? score_at(request, p, j)
                                                            : std::numeric_limits<double>::quiet_NaN();
    }
  });
  for (std::size_t i = 0; i < contenders.size(); ++i) ranking.offer(contenders[i].index, scores[i]);
}

void CpuSearch::refine(const ScoreRequest& request, std::vector<Contender>& contenders, Ranking& ranking) {
  const std::size_t promising = finished_at_once * pool_->threads();
  const auto share_of = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  for (;;) {
    keep_reaching(contenders, ranking.threshold());
    select_highest(contenders, promising);
    const std::size_t count = std::min(promising, contenders.size());
    finish(request, {contenders.data(), count}, ranking);
    contenders.erase(contenders.begin(), contenders.begin() + static_cast<std::ptrdiff_t>(count));
    keep_reaching(contenders, ranking.threshold());
    if (contenders.empty()) return;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t all = 0;
    for (const auto& field : fields_) {
      all = std::max(all, field->all_rows());
      for (const Contender& one : contenders) least = std::min(least, field->solved_rows(one.index));
    }
    const std::size_t before = contenders.size(), rows = 2 * least;
    if (2 * rows <= all) {
      solve(contenders, rows);
      update_ceilings(request, contenders, ranking.threshold());
      keep_reaching(contenders, ranking.threshold());
    }
    // More rows cost their share of all, squared: they are worth it where they drop as many.
    const double dropped = share_of(before - contenders.size(), before);
    if (2 * rows > all || dropped < share_of(2 * rows, all) * share_of(2 * rows, all)) {
      finish(request, contenders, ranking);
      contenders.clear();
      return;
    }
  }
}

}  // namespace carbo::internal
