#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <numeric>
#include <string>

#include <carbo/carbo.hpp>

#include "acquisition/choose.hpp"
#include "engine/history.hpp"
#include "engine/validate_options.hpp"
#include "support/models_of.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"

namespace carbo {
namespace {

using internal::Draw;
using internal::Field;

Space plane() { return Space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)}; }

Evaluation evaluate(const Configuration& c) {
  const double x = c.real("x"), y = c.real("y");
  return {std::sin(5 * x) + (y - 0.3) * (y - 0.3) + 0.2 * std::cos(9 * y * x),
          (0.5 + 20 * x * y + 3 * x) * std::exp(0.4 * std::sin(7 * y))};
}

std::vector<double> pool_numbers(std::size_t rows) {
  std::vector<double> numbers(rows * 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = internal::uniform(3, Draw::uniform_configuration, i);
  return numbers;
}

std::vector<double> column(const std::vector<double>& numbers, double (*of)(double, double)) {
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) values.push_back(of(numbers[i], numbers[i + 1]));
  return values;
}

double product(double x, double y) { return x * y; }
double one_and_x(double x, double) { return 1.0 + x; }

struct NamedCost {
  std::string name;
  CostOptions cost;
};

/// Every model, with its features given in the three ways, with and without a known part.
std::vector<NamedCost> costs(const std::vector<double>& numbers) {
  using enum CostModelKind;
  const std::vector<CostFeature> text{work("x * y"), feature("x")};
  const std::vector<CostFeature> functions{work([](const Configuration& c) { return c.real("x") * c.real("y"); }),
                                           feature([](const Configuration& c) { return c.real("x"); })};
  const std::vector<CostFeature> columns{work("product", Quantity::pool_column(column(numbers, product))),
                                         feature("x")};
  const Quantity part = "1 + x", part_column = Quantity::pool_column(column(numbers, one_and_x));
  return {
      {"log_gp", {.model = log_gp}},
      {"log_gp times a part", {.model = log_gp, .known_part = part}},
      {"linear", {.model = linear, .features = text}},
      {"linear by function, absolute", {.model = linear, .features = functions, .error = CostError::absolute}},
      {"linear by column times a part", {.model = linear, .features = columns, .known_part = part_column}},
      {"linear_mean_gp", {.model = linear_mean_gp, .features = functions}},
      {"linear_mean_gp by column times a part", {.model = linear_mean_gp, .features = columns, .known_part = part}},
      {"linear_mean_gp robust", {.model = linear_mean_gp, .features = text, .robust = true}},
      {"automatic", {.features = text}},
      {"automatic without features", {}},
      {"known by text", {.known = "0.5 + 20 * x * y + 3 * x"}},
      {"known by function", {.known = [](const Configuration& c) { return evaluate(c).cost; }}},
      {"known by column", {.model = known, .known = part_column}},
  };
}

constexpr CostWeight weights[] = {CostWeight::median, CostWeight::mean, CostWeight::moment};

/// Log EI-cool straight from its definition. Usable where EI does not underflow.
double plain_score(double mean, double s, double best, const internal::LogCost& cost, CostWeight weight,
                   double alpha) {
  const double u = (best - mean) / s;
  const double density = std::exp(-0.5 * u * u) / std::sqrt(2 * std::numbers::pi);
  const double improvement = s * (u * 0.5 * std::erfc(-u / std::numbers::sqrt2) + density);
  double log_cost = alpha * cost.mean;
  if (weight == CostWeight::mean) log_cost += 0.5 * alpha * cost.variance;
  if (weight == CostWeight::moment) log_cost -= 0.5 * alpha * alpha * cost.variance;
  return std::log(improvement) - log_cost;
}

/// Both models as an optimizer has them after the same prior data, and every candidate of the pool scored.
class Dense {
 public:
  Dense(Options options, std::span<const std::size_t> told)
      : options_(internal::validated(space_, std::move(options))),
        backend_(internal::make_backend(options_.backend)),
        history_(space_),
        models_(test::models_of(space_, options_, *backend_, options_.candidates.pool->size())),
        table_(internal::make_candidate_table(space_, options_.candidates, options_.seed, 0, {})),
        set_(backend_->make_candidates({table_.encoded.data(), table_.rows, table_.columns})) {
    for (const std::size_t row : told) {
      const Configuration c = space_.configuration(options_.candidates.pool->row(row));
      const Evaluation result = evaluate(c);
      history_.record(
          {std::nullopt, c, ObservationStatus::succeeded, Origin::prior, result.objective, result.cost, ""}, row);
      set_->exclude(row);
    }
    history_.learn_new();
    test::learn(*backend_, models_, history_.learned());
  }

  std::vector<double> scores(double alpha) {
    const auto objective = backend_->sweep(models_.objective().factor(), *set_, true);
    const auto lean = models_.cost().field(table_, *set_);
    const auto cost = with_variance(*lean);
    internal::Member member{&models_.objective().factor(), objective.get()};
    const double incumbent = models_.incumbent();
    internal::ScoreRequest request;
    request.objective = {&member, 1};
    request.incumbents = {&incumbent, 1};
    request.log_cost = cost.get();
    request.acquisition.parameter = alpha;
    request.acquisition.moment = internal::moment_of(options_.cost.weight);
    std::vector<double> scores(table_.rows);
    backend_->scores(*set_, request, scores);
    return scores;
  }
  /// The search by bounds over the same models.
  std::vector<internal::Scored> searched(double alpha, std::size_t count,
                                         internal::Precision precision = internal::Precision::automatic) {
    const auto cost = models_.cost().field(table_, *set_, internal::FieldUse::search);
    const auto posterior = models_.cost().posterior();
    internal::GpFactor* factor = &models_.objective().factor();
    internal::SearchSetup setup;
    setup.factors = {&factor, 1};
    setup.log_cost = cost.get();
    setup.precision = precision;
    if (posterior && options_.cost.weight != CostWeight::median) {
      setup.log_cost_factor = posterior->factor;
      setup.log_cost_units = posterior->units;
    }
    const double incumbent = models_.incumbent();
    internal::SearchRequest request;
    request.incumbents = {&incumbent, 1};
    request.acquisition.parameter = alpha;
    request.acquisition.moment = internal::moment_of(options_.cost.weight);
    return backend_->make_search(*set_, setup)->top(request, count);
  }
  /// The definition at one row, from predictions of single points. Objectives are in standardised units.
  double plain(std::size_t row, double alpha) {
    double mean = 0, variance = 0;
    const auto at = table_.encoded_of(row);
    models_.objective().factor().predict({at.data(), 1, at.size()}, {&mean, 1}, {&variance, 1});
    return plain_score(mean, std::sqrt(variance), models_.incumbent(),
                       models_.cost().predict({at, table_.numbers_of(row), row}), options_.cost.weight, alpha);
  }

 private:
  std::shared_ptr<const Field> with_variance(const Field& lean) {
    const auto posterior = models_.cost().posterior();
    std::vector<double> means, variances;
    std::unique_ptr<Field> swept;
    if (posterior) swept = backend_->sweep(*posterior->factor, *set_, true, posterior->units);
    for (std::size_t row = 0; row < table_.rows; ++row) {
      means.push_back(lean.mean(row));
      if (swept) variances.push_back(swept->variance(row));
      if (!swept && lean.has_variance()) variances.push_back(lean.variance(row));
    }
    if (variances.empty()) variances.assign(means.size(), 0.0);
    return backend_->make_field(means, variances);
  }

  const Space space_ = plane();
  Options options_;
  std::unique_ptr<internal::Backend> backend_;
  internal::History history_;
  internal::ModelPair models_;
  internal::CandidateTable table_;
  std::unique_ptr<internal::CandidateSet> set_;
};

Options options_for(const CostOptions& cost, const std::shared_ptr<const Pool>& pool, std::size_t memory = 0) {
  Options options{.budget = 1000.0, .batch_size = 2, .seed = 11};
  options.acquisition = Acquisition::ei_per_cost;
  options.incumbent = Incumbent::lowest_observed;
  options.initial_design = InitialDesign::uniform;
  options.candidates.pool = pool;
  options.cost = cost;
  options.fantasies.count = 4;
  options.backend.threads = 2;
  options.backend.memory_bytes = memory;
  return options;
}

void teach(Optimizer& optimizer, const Pool& pool, std::span<const std::size_t> rows) {
  for (const std::size_t row : rows) {
    const Configuration c = optimizer.space().configuration(pool.row(row));
    optimizer.tell(c, evaluate(c));
  }
}

std::vector<std::size_t> told_rows(std::size_t count, std::size_t rows) {
  std::vector<std::size_t> told;
  for (std::size_t i = 0; i < count; ++i) told.push_back((i * 97 + 5) % rows);
  return told;
}

/// Rows by score; ties go to the lowest.
std::vector<std::size_t> best_first(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

TEST(CostSearch, RanksAsDenseScoresDoForEveryModelAndWeight) {
  constexpr std::size_t rows = 2500, wanted = 12;
  const std::vector<double> numbers = pool_numbers(rows);
  const auto pool = std::make_shared<const Pool>(plane(), numbers, rows);
  const std::vector<std::size_t> told = told_rows(26, rows);
  std::size_t turn = 0;
  for (NamedCost& one : costs(numbers)) {
    const CostWeight only = weights[turn++ % 3];
    for (const CostWeight weight : weights) {
      if (test::sanitized && weight != only) continue;
      SCOPED_TRACE(one.name + ", weight " + std::to_string(static_cast<int>(weight)));
      one.cost.weight = weight;
      const Options options = options_for(one.cost, pool);
      Dense dense(options, told);
      const std::vector<double> scores = dense.scores(1.0);
      const std::vector<std::size_t> order = best_first(scores);
      Optimizer optimizer(plane(), options);
      teach(optimizer, *pool, told);
      const auto ranked = optimizer.rank(wanted);
      ASSERT_EQ(ranked.size(), wanted);
      for (std::size_t i = 0; i < wanted; ++i) {
        EXPECT_EQ(ranked[i].pool_index, order[i]) << i;
        EXPECT_EQ(ranked[i].log_score, scores[order[i]]) << i;
        // Means and variances of single points agree with panels to 1e-9; the scores of the best candidates are a few
        // nats, and their slopes in mean and deviation below 1e3.
        EXPECT_NEAR(dense.plain(order[i], 1.0), scores[order[i]], 1e-6) << i;
      }
      const auto asked = optimizer.ask(1);
      ASSERT_EQ(asked.size(), 1u);
      EXPECT_EQ(asked[0].pool_index, order[0]);
      EXPECT_EQ(asked[0].receipt.log_score, scores[order[0]]);
    }
  }
}

TEST(CostSearch, BoundsAgreeWithDenseScoresAtEveryExponent) {
  constexpr std::size_t rows = 1025;  // a panel and one more
  const std::vector<double> numbers = pool_numbers(rows);
  const auto pool = std::make_shared<const Pool>(plane(), numbers, rows);
  for (NamedCost& one : costs(numbers)) {
    for (const CostWeight weight : weights) {
      one.cost.weight = weight;
      Dense dense(options_for(one.cost, pool), told_rows(9, rows));
      for (const double alpha : {0.0, 0.37, 1.0}) {
        SCOPED_TRACE(one.name + ", exponent " + std::to_string(alpha));
        const std::vector<double> scores = dense.scores(alpha);
        const std::vector<std::size_t> order = best_first(scores);
        const auto found = dense.searched(alpha, 5);
        ASSERT_EQ(found.size(), 5u);
        for (std::size_t i = 0; i < 5; ++i) {
          EXPECT_EQ(found[i].index, order[i]);
          EXPECT_EQ(found[i].score, scores[order[i]]);
          EXPECT_NEAR(dense.plain(order[i], alpha), scores[order[i]], 1e-6);
        }
      }
    }
  }
}

/// Room for a tile of 4,096 candidates and no more.
std::size_t one_tile(const CostOptions& cost) {
  MemoryRequest sizes;
  sizes.candidates = 4096;
  sizes.parameters = sizes.columns = 2;
  sizes.observations = 30;
  sizes.fantasies = 4;
  sizes.cost_factors = internal::cost_factors(cost);
  sizes.features = internal::cost_features(plane(), cost);
  sizes.batch = 4;
  sizes.threads = 2;
  sizes.budget = std::size_t{1} << 40;
  return plan_memory(sizes).total_bytes();
}

TEST(CostSearch, TilesAndWholePoolsGiveTheSamePicks) {
  constexpr std::size_t rows = 9000;
  const Space space = plane();
  const std::vector<double> numbers = pool_numbers(rows);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "carbo_cost_pool.bin";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  const auto in_memory = std::make_shared<const Pool>(space, numbers, rows);
  const auto mapped = std::make_shared<const Pool>(Pool::map(space, file));
  const std::vector<std::size_t> told = told_rows(14, rows);
  std::size_t turn = 0;
  for (NamedCost& one : costs(numbers)) {
    SCOPED_TRACE(one.name);
    one.cost.weight = weights[turn++ % 3];
    Optimizer whole(space, options_for(one.cost, in_memory));
    Optimizer tiles(space, options_for(one.cost, turn % 2 == 0 ? in_memory : mapped, one_tile(one.cost)));
    ASSERT_FALSE(whole.memory_plan().streamed);
    teach(whole, *in_memory, told);
    teach(tiles, *in_memory, told);
    ASSERT_TRUE(tiles.memory_plan().streamed);
    ASSERT_LT(tiles.memory_plan().tile, rows);
    for (int round = 0; round < 2; ++round) {
      const auto expected = whole.ask(), found = tiles.ask();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].pool_index, expected[i].pool_index);
        EXPECT_EQ(found[i].receipt.log_score, expected[i].receipt.log_score);
        EXPECT_EQ(found[i].receipt.runner_up_log_score, expected[i].receipt.runner_up_log_score);
        EXPECT_EQ(found[i].receipt.predicted_cost, expected[i].receipt.predicted_cost);
        EXPECT_EQ(found[i].receipt.cost_model, expected[i].receipt.cost_model);
        if (i == 0 && round == 0) continue;  // stays pending
        whole.tell(expected[i].id, evaluate(expected[i].configuration));
        tiles.tell(found[i].id, evaluate(found[i].configuration));
      }
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace carbo
