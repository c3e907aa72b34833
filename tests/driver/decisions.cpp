// What the random driver decides itself: points that others run, points to be suggested next, and questions to the
// models.

#include <algorithm>
#include <cmath>
#include <vector>

#include "driver/random_driver.hpp"

namespace carbo::test {
namespace {

std::vector<double> numbers_of(const std::optional<ObjectivePrediction>& one) {
  if (!one) return {};
  return {one->median, one->lower, one->upper, one->standardised_mean, one->standardised_deviation};
}

std::vector<double> numbers_of(const Prediction& one) {
  std::vector<double> all = numbers_of(one.objective);
  if (one.cost) all.insert(all.end(), {one.cost->median, one.cost->log_standard_deviation});
  return all;
}

std::vector<double> numbers_of(const std::optional<FittedModel>& one) {
  if (!one) return {};
  std::vector<double> all = one->hyperparameters.lengthscales;
  all.insert(all.end(), {one->hyperparameters.signal_variance, one->hyperparameters.noise_variance,
                         one->hyperparameters.mean.value(), one->shift, one->scale, one->jitter});
  return all;
}

}  // namespace

Configuration RandomDriver::some_candidate() {
  if (!options_.candidates.pool) return some_configuration();
  return space_.configuration(options_.candidates.pool->row(dice_.below(options_.candidates.pool->size())));
}

void RandomDriver::adopt() {
  ++operations_.adopted;
  const Configuration point = some_candidate();
  const std::uint64_t id = shadow_.next_id();
  for (Optimizer* const optimizer : {&alone_, &in_pair_})
    if (optimizer->adopt(point) != id) give_up("an adopted point has another id than the next");
  shadow_.suggested(std::vector<Suggestion>{{id, point, std::nullopt, {}}});
}

void RandomDriver::enqueue() {
  const Configuration point = some_candidate();
  if (!space_.allows(point))
    return expect_refused<InvalidConfiguration>("a point beyond a constraint",
                                                [&](Optimizer& one) { one.enqueue(point); });
  ++operations_.enqueued;
  const bool take_back = dice_.chance(0.3);
  const bool waits = take_back && shadow_.dequeued(point.numbers());
  if (!take_back) shadow_.enqueued(point.numbers());
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) {
    if (!take_back) optimizer->enqueue(point);
    if (take_back && optimizer->dequeue(point) != waits) give_up("dequeue does not know what waits");
  }
}

/// What is enqueued comes first and in order; without a strict budget nothing of it is passed over.
void RandomDriver::check_queue(const std::vector<Suggestion>& batch, std::size_t count) const {
  const auto first_own = std::ranges::find_if(batch, [](const Suggestion& one) { return !one.receipt.enqueued; });
  if (std::any_of(first_own, batch.end(), [](const Suggestion& one) { return one.receipt.enqueued; }))
    give_up("something enqueued comes after something else");
  auto next = shadow_.queue().begin();
  for (auto one = batch.begin(); one != first_own; ++one, ++next) {
    const auto same_point = [&](const std::vector<double>& waiting) {
      return std::ranges::equal(waiting, one->configuration.numbers());
    };
    next = std::find_if(next, shadow_.queue().end(), same_point);
    if (next == shadow_.queue().end()) give_up("what was enqueued is suggested out of order");
  }
  const auto served = static_cast<std::size_t>(first_own - batch.begin());
  if (!options_.strict && served < std::min({shadow_.queue().size(), count, batch.size()}))
    give_up("something enqueued was passed over");
}

void RandomDriver::know() {
  ++operations_.knowledge;
  const std::vector<Configuration> points{some_candidate(), some_configuration()};
  std::vector<std::vector<double>> found;
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) {
    std::vector<double>& all = found.emplace_back();
    const auto note = [&](const std::vector<double>& numbers) {
      all.insert(all.end(), numbers.begin(), numbers.end());
    };
    for (const Prediction& one : optimizer->predict(points)) note(numbers_of(one));
    const std::optional<Recommendation> best = optimizer->recommend();
    if (best.has_value() != shadow_.best().has_value()) give_up("a recommendation without a success, or none");
    if (best && !shadow_.known(best->configuration.numbers())) give_up("a point that is not known was recommended");
    if (best) note({best->configuration.numbers().begin(), best->configuration.numbers().end()});
    const FittedModels models = optimizer->hyperparameters();
    note(numbers_of(models.objective));
    note(numbers_of(models.cost));
    const auto shares = optimizer->importance(Modelled::objective, {.points = 16, .sequences = 2});
    for (std::size_t p = 0; shares && p < shares->parameters.size(); ++p)
      note({shares->parameters[p].first_order, shares->parameters[p].total, shares->parameters[p].total_spread});
  }
  if (!std::ranges::equal(found[0], found[1], [](double a, double b) { return same(a, b); }))
    give_up("the models know other things with two threads than with one");
  if (extremes_.finite_receipts && !std::ranges::all_of(found[0], [](double one) { return std::isfinite(one); }))
    give_up("what a model knows is not finite");
}

}  // namespace carbo::test
