#include "faults/faulted_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <typeinfo>

namespace carbo::test {
namespace {

/// Every bit of it.
std::string exact(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%a", value);
  return digits;
}

std::string exact(std::span<const double> values) {
  std::string all;
  for (const double value : values) all += exact(value) + " ";
  return all;
}

std::string described(const Suggestion& suggestion) {
  const Receipt& receipt = suggestion.receipt;
  std::string all = std::to_string(suggestion.id) + " in " + std::to_string(suggestion.slot) + "/" +
                    std::to_string(suggestion.order) + " " + to_string(receipt.phase) + " at " +
                    exact(suggestion.configuration.numbers());
  for (const auto& field : {receipt.alpha, receipt.predicted_cost, receipt.predicted_objective, receipt.log_score,
                            receipt.runner_up_log_score, receipt.fill})
    all += field ? exact(*field) + " " : "- ";
  return all + exact(receipt.spent) + " " + exact(receipt.committed);
}

}  // namespace

Options quick(Options options) {
  options.surrogate.restarts = 1;
  options.cost.surrogate.restarts = 1;
  options.cost.unit = "credits";
  options.fantasies.count = 2;
  options.backend.kind = BackendKind::cpu;
  options.backend.threads = 1;
  options.backend.memory_bytes = std::size_t{1} << 30;
  return options;
}

Evaluation evaluate(const Configuration& configuration) {
  double sum = 0.3, product = 1;
  for (const double number : configuration.numbers()) {
    sum += std::sin(3.0 * number + sum);
    product += std::abs(std::cos(2.0 * number * product));
  }
  return {sum, 0.25 + 0.5 * product};
}

template <class Action>
auto FaultedStudy::call(const char* name, const Action& action) {
  const std::string before = visible();
  for (int attempt = 0;; ++attempt) {
    try {
      const allocations::Window window;
      return action(attempt);
    } catch (const OutOfMemory& error) {
      EXPECT_TRUE(attempt == 0 && allocations::struck()) << name << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("host memory"), std::string::npos) << error.what();
      if (attempt > 0) throw;
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ", call " << attempt << ": " << typeid(error).name() << ": " << error.what();
      throw;
    }
    EXPECT_EQ(visible(), before) << name << " threw, and changed something";
    if (restored_ && optimizer_) *optimizer_ = Optimizer::restore(optimizer_->save());
  }
}

std::string FaultedStudy::visible() const {
  if (!optimizer_) return "";
  std::ostringstream all;
  all << to_string(optimizer_->phase()) << ", " << to_string(optimizer_->stop_reason()) << ", spent "
      << exact(optimizer_->spent()) << ", pending";
  for (const std::uint64_t id : optimizer_->pending()) all << " " << id;
  for (const Configuration& one : optimizer_->enqueued()) all << ", enqueued " << exact(one.numbers());
  all << ", " << optimizer_->observations().size() << " observations";
  for (const Observation& seen : optimizer_->observations())
    all << "\n" << exact(seen.configuration.numbers()) << exact(seen.objective) << exact(seen.cost) << seen.reason;
  return all.str();
}

FaultedStudy::FaultedStudy(const Maker& make, bool restored) : restored_(restored) {
  std::vector<std::pair<Space, Options>> given = {make(), make()};
  call("the constructor", [&](int attempt) {
    auto& [space, options] = given[static_cast<std::size_t>(attempt)];
    optimizer_.emplace(std::move(space), std::move(options));
  });
}

void FaultedStudy::round(std::size_t count) {
  const std::size_t number = costs_of_rounds_.size();
  costs_of_rounds_.emplace_back();
  std::vector<Suggestion> suggestions = call("ask", [&](int) { return optimizer_->ask(count); });
  for (Suggestion& suggestion : suggestions) {
    note(described(suggestion));
    const auto numbers = suggestion.configuration.numbers();
    EXPECT_TRUE(handed_out_.emplace(suggestion.id, std::vector(numbers.begin(), numbers.end())).second)
        << "id " << suggestion.id << " was handed out twice";
    round_of_[suggestion.id] = number;
    pending_.emplace(suggestion.id, std::move(suggestion));
  }
  const auto ranked = call("rank", [&](int) { return optimizer_->rank(2); });
  for (const RankedCandidate& one : ranked)
    note("ranked " + exact(one.configuration.numbers()) + exact(one.log_score));
  // Every fifth suggestion stays pending for a round.
  std::vector<std::uint64_t> due;
  for (const auto& [id, suggestion] : pending_)
    if (id % 5 != 4 || round_of_[id] < number) due.push_back(id);
  for (const std::uint64_t id : due) settle(pending_.at(id));
  call("the plan of memory", [&](int) { return optimizer_->memory_plan(); });
  const auto best = call("best", [&](int) { return optimizer_->best(); });
  if (best) note("best " + exact(best->objective));
}

void FaultedStudy::settle(const Suggestion& suggestion) {
  const std::uint64_t id = suggestion.id;
  const Evaluation evaluation = evaluate(suggestion.configuration);
  Record record{handed_out_.at(id), id, ObservationStatus::succeeded, evaluation.objective, evaluation.cost, ""};
  if (id % 7 == 6) {
    call("withdraw", [&](int) { optimizer_->withdraw(id); });
    pending_.erase(id);
    return;
  }
  if (id % 7 == 3) {
    const bool timed_out = id % 2 == 1;
    record.status = timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
    record.objective = std::numeric_limits<double>::quiet_NaN();
    record.reason = "a reason that is too long to be kept without an allocation";
    std::vector<std::string> reasons(2, record.reason);
    call("fail", [&](int attempt) {
      optimizer_->fail(id, evaluation.cost, std::move(reasons[static_cast<std::size_t>(attempt)]), timed_out);
    });
  } else {
    call("tell", [&](int) { optimizer_->tell(id, evaluation); });
  }
  costs_of_rounds_[round_of_.at(id)][suggestion.slot] += evaluation.cost;
  records_.push_back(std::move(record));
  pending_.erase(id);
}

void FaultedStudy::tell_unsuggested(const Configuration& prior, const Configuration& own) {
  for (const Configuration* const configuration : {&prior, &own}) {
    const Evaluation evaluation = evaluate(*configuration);
    const Origin origin = configuration == &own ? Origin::this_run : Origin::prior;
    call("tell of a configuration", [&](int) { optimizer_->tell(*configuration, evaluation, origin); });
    const auto numbers = configuration->numbers();
    records_.push_back({std::vector(numbers.begin(), numbers.end()), std::nullopt, ObservationStatus::succeeded,
                        evaluation.objective, evaluation.cost, ""});
    if (origin == Origin::this_run) costs_of_others_.push_back(evaluation.cost);
  }
}

void FaultedStudy::decide(const Configuration& adopted, const Configuration& enqueued) {
  const std::uint64_t id = call("adopt", [&](int) { return optimizer_->adopt(adopted); });
  EXPECT_TRUE(handed_out_.emplace(id, std::vector(adopted.numbers().begin(), adopted.numbers().end())).second);
  round_of_[id] = costs_of_rounds_.size();
  costs_of_rounds_.emplace_back();
  pending_.emplace(id, Suggestion{id, adopted, std::nullopt, {}});
  for (const Configuration* const one : {&enqueued, &adopted, &enqueued})
    call("enqueue", [&](int) { optimizer_->enqueue(*one); });
  EXPECT_TRUE(call("dequeue", [&](int) { return optimizer_->dequeue(adopted); }));
  const std::vector<Configuration> both{adopted, enqueued};
  for (const Prediction& one : call("predict", [&](int) { return optimizer_->predict(both); })) {
    if (one.objective) note("predicted " + exact(one.objective->median) + exact(one.objective->upper));
    if (one.cost) note("predicted cost " + exact(one.cost->median) + exact(one.cost->log_standard_deviation));
  }
  const auto best = call("recommend", [&](int) { return optimizer_->recommend(); });
  if (best) note("recommended " + exact(best->configuration.numbers()));
  const ImportanceOptions small{.points = 16, .sequences = 2};
  const auto shares = call("importance", [&](int) { return optimizer_->importance(Modelled::objective, small); });
  for (std::size_t p = 0; shares && p < shares->parameters.size(); ++p)
    note("share " + exact(shares->parameters[p].total) + exact(shares->parameters[p].total_spread));
  const FittedModels models = call("hyperparameters", [&](int) { return optimizer_->hyperparameters(); });
  if (models.objective) note("noise " + exact(models.objective->hyperparameters.noise_variance));
}

double FaultedStudy::reckoned_spent() const {
  double spent = std::accumulate(costs_of_others_.begin(), costs_of_others_.end(), 0.0);
  for (const std::map<std::size_t, double>& slots : costs_of_rounds_) {
    double sum = 0, busiest = 0;
    for (const auto& [slot, cost] : slots) {
      sum += cost;
      busiest = std::max(busiest, cost);
    }
    spent += optimizer_->accounting() == Accounting::longest ? busiest : sum;
  }
  return spent;
}

void FaultedStudy::check_records() const {
  ASSERT_EQ(optimizer_->observations().size(), records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Observation& seen = optimizer_->observations()[i];
    const Record& record = records_[i];
    EXPECT_EQ(exact(seen.configuration.numbers()), exact(record.numbers)) << "observation " << i;
    EXPECT_EQ(seen.id, record.id);
    EXPECT_EQ(seen.status, record.status);
    EXPECT_EQ(exact(seen.objective), exact(record.objective));
    EXPECT_EQ(seen.cost, record.cost);
    EXPECT_EQ(seen.reason, record.reason);
  }
  const std::vector<std::uint64_t> pending = optimizer_->pending();
  EXPECT_TRUE(std::ranges::equal(pending, pending_, {}, {}, &decltype(pending_)::value_type::first));
  // Sums of fewer than 100 costs, each below 10, in another order.
  EXPECT_NEAR(optimizer_->spent(), reckoned_spent(), 1e-12);
}

}  // namespace carbo::test
