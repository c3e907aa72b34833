#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "program/report/page_data.hpp"

namespace carbo::program {
namespace {

bool is_better(Goal goal, double a, double b) { return goal == Goal::minimize ? a < b : a > b; }

bool has_result(const Trial& trial) {
  return trial.state == TrialState::succeeded || trial.state == TrialState::failed ||
         trial.state == TrialState::timed_out;
}

/// Positions of results of this run, in the order in which they were told.
std::vector<std::size_t> results_in_order(std::span<const Trial> trials) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].origin == Origin::this_run && has_result(trials[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return trials[i].sequence.value_or(trials[i].number); });
  return order;
}

/// At most `most` of them, evenly, with the first and the last.
std::vector<std::size_t> even_share(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i)
    some.push_back(all[i * (all.size() - 1) / std::max<std::size_t>(most - 1, 1)]);
  return some;
}

std::vector<std::size_t> improvements(std::span<const Trial> trials, Goal goal) {
  std::vector<std::size_t> steps;
  for (const std::size_t i : results_in_order(trials)) {
    if (trials[i].state != TrialState::succeeded) continue;
    if (steps.empty() || is_better(goal, *trials[i].objective, *trials[steps.back()].objective)) steps.push_back(i);
  }
  return steps;
}

/// Successes that no other one beats in both objective and cost, the cheapest first.
std::vector<std::size_t> front_of(std::span<const Trial> trials, Goal goal) {
  std::vector<std::size_t> order, front;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].state == TrialState::succeeded && trials[i].cost) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (*trials[a].cost != *trials[b].cost) return *trials[a].cost < *trials[b].cost;
    return is_better(goal, *trials[a].objective, *trials[b].objective);
  });
  for (const std::size_t i : order)
    if (front.empty() || is_better(goal, *trials[i].objective, *trials[front.back()].objective)) front.push_back(i);
  return front;
}

/// Position in a list of names, added where it is new.
class Names {
 public:
  std::size_t operator()(const std::string& name) {
    const auto [found, added] = places_.emplace(name, list_.size());
    if (added) list_.push_back(name);
    return found->second;
  }
  Json json() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  Json list_ = Json::array();
};

template <class T>
Json whole_or_null(const std::optional<T>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json metric_columns(std::span<const Trial> trials, std::span<const std::size_t> shown) {
  std::set<std::string> names;
  for (const std::size_t i : shown)
    for (const auto& metric : trials[i].metrics) names.insert(metric.first);
  Json columns = Json::array();
  for (const std::string& name : names) {
    Json values = Json::array();
    for (const std::size_t i : shown) {
      const auto found = trials[i].metrics.find(name);
      values.push_back(found == trials[i].metrics.end() ? Json(nullptr) : json_of(std::optional(found->second)));
    }
    columns.push_back({{"name", name}, {"values", std::move(values)}});
  }
  return columns;
}

}  // namespace

std::vector<std::size_t> shown_trials(std::span<const Trial> trials, Goal goal, std::size_t most) {
  std::set<std::size_t> chosen;
  if (trials.size() > most) {
    for (const std::size_t i : even_share(improvements(trials, goal), most / 5)) chosen.insert(i);
    for (const std::size_t i : even_share(front_of(trials, goal), most / 5)) chosen.insert(i);
    for (std::size_t i = trials.size() - most / 10; i < trials.size(); ++i) chosen.insert(i);
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (!chosen.contains(i)) others.push_back(i);
  for (const std::size_t i : even_share(others, most - chosen.size())) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

Json trial_columns(const Study& study, std::span<const Trial> trials, std::span<const std::size_t> shown) {
  Json columns = Json::object();
  for (const char* const name : {"number", "id", "state", "phase", "prior", "objective", "cost", "started", "ended",
                                 "batch", "slot", "worker", "owner", "order", "reason"})
    columns[name] = Json::array();
  Names names, reasons;
  for (const std::size_t i : shown) {
    const Trial& trial = trials[i];
    columns["number"].push_back(trial.number);
    columns["id"].push_back(whole_or_null(trial.id));
    columns["state"].push_back(to_string(trial.state));
    columns["phase"].push_back(trial.phase ? Json(to_string(*trial.phase)) : Json(nullptr));
    columns["prior"].push_back(trial.origin == Origin::prior ? 1 : 0);
    columns["objective"].push_back(json_of(trial.objective));
    columns["cost"].push_back(json_of(trial.cost));
    columns["started"].push_back(json_of(trial.started));
    columns["ended"].push_back(json_of(trial.ended));
    columns["batch"].push_back(whole_or_null(trial.batch));
    columns["slot"].push_back(whole_or_null(trial.slot));
    columns["worker"].push_back(trial.worker.empty() ? Json(nullptr) : Json(names(trial.worker)));
    columns["owner"].push_back(trial.owner.empty() ? Json(nullptr) : Json(names(trial.owner)));
    columns["order"].push_back(whole_or_null(trial.sequence));
    columns["reason"].push_back(trial.reason.empty() ? Json(nullptr) : Json(reasons(trial.reason)));
  }
  Json values = Json::array();
  for (std::size_t p = 0; p < study.space().parameters().size(); ++p) {
    Json column = Json::array();
    for (const std::size_t i : shown) column.push_back(trials[i].configuration.numbers()[p]);
    values.push_back(std::move(column));
  }
  columns["values"] = std::move(values);
  columns["metrics"] = metric_columns(trials, shown);
  columns["names"] = names.json();
  columns["reasons"] = reasons.json();
  return columns;
}

Json cost_shares(std::span<const Trial> trials) {
  struct Share {
    double cost = 0;
    std::size_t count = 0, without_cost = 0;
  };
  std::map<std::pair<std::string, std::string>, Share> shares;
  for (const Trial& trial : trials) {
    if (trial.origin == Origin::prior || !has_result(trial)) continue;
    Share& share = shares[{trial.phase ? to_string(*trial.phase) : "told", to_string(trial.state)}];
    share.cost += trial.cost.value_or(0);
    ++share.count;
    if (!trial.cost) ++share.without_cost;
  }
  Json list = Json::array();
  for (const auto& [key, share] : shares)
    list.push_back({{"phase", key.first},
                    {"state", key.second},
                    {"cost", share.cost},
                    {"count", share.count},
                    {"without_cost", share.without_cost}});
  return list;
}

Json best_steps(std::span<const Trial> trials, Goal goal, std::size_t most) {
  const std::vector<std::size_t> order = results_in_order(trials);
  const std::vector<std::size_t> wanted = even_share(improvements(trials, goal), most);
  const std::set<std::size_t> steps(wanted.begin(), wanted.end());
  std::optional<double> first, prior;
  for (const Trial& trial : trials) {
    if (trial.origin == Origin::this_run && trial.started && (!first || *trial.started < *first))
      first = trial.started;
    if (trial.origin == Origin::prior && trial.objective && (!prior || is_better(goal, *trial.objective, *prior)))
      prior = trial.objective;
  }
  Json list = Json::array();
  double spent = 0, latest = 0;
  std::size_t count = 0;
  for (const std::size_t i : order) {
    spent += trials[i].cost.value_or(0);
    ++count;
    if (first && trials[i].ended) latest = std::max(latest, *trials[i].ended - *first);
    if (steps.contains(i)) list.push_back({trials[i].number, *trials[i].objective, spent, count, latest});
  }
  return {{"columns", {"number", "objective", "cost", "count", "seconds"}},
          {"steps", std::move(list)},
          {"end", {spent, count, latest}},
          {"first", json_of(first)},
          {"prior", json_of(prior)}};
}

}  // namespace carbo::program
