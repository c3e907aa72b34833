#include <limits>

#include <carbo/selector.hpp>

#include "c/scene.hpp"

// The C face does what the C++ face does.
namespace {

using namespace c_scene;
using carbo::Selector;

carbo::SelectorOptions same_options(const carbo_selector_options& options) {
  carbo::SelectorOptions same;
  same.columns = static_cast<std::size_t>(options.columns);
  same.seed = options.seed;
  same.backend.kind = carbo::BackendKind::cpu;
  same.backend.threads = 1;
  return same;
}

/// Both faces with the same pool and the same observations.
struct Both {
  explicit Both(const carbo_selector_options& options = some_options(3)) : Both(options, same_options(options)) {}
  Both(const carbo_selector_options& options, carbo::SelectorOptions same) : c(options, 12), cpp(std::move(same)) {
    const Problem& problem = c.problem;
    cpp.set_pool({carbo::host_rows(problem.pool.data(), problem.rows, problem.columns)});
    std::vector<std::int64_t> rows(12);
    std::iota(rows.begin(), rows.end(), 0);
    cpp.append({.rows = carbo::host_indices(rows.data(), 12),
                .objectives = carbo::host_values(problem.objectives.data(), 12),
                .costs = carbo::host_values(problem.costs.data(), 12)});
  }

  std::vector<std::int64_t> cpp_rows(std::size_t count, double alpha) {
    std::vector<std::int64_t> rows(count, -2);
    EXPECT_EQ(cpp.suggest({.count = count, .alpha = alpha}, {carbo::host_index_room(rows.data(), count)}), count);
    return rows;
  }
  void expect_same_picks() {
    for (const double alpha : {1.0, 0.5, 0.0}) EXPECT_EQ(c.suggest(4, alpha), cpp_rows(4, alpha)) << alpha;
  }

  Scene c;
  Selector cpp;
};

TEST(CPicks, AreThoseOfTheCppFace) { Both().expect_same_picks(); }

TEST(CPicks, OptionsReachTheSelector) {
  carbo_selector_options options = some_options(3);
  options.goal = CARBO_MAXIMIZE;
  options.seed = 11;
  options.transform = CARBO_TRANSFORM_RANK;
  options.incumbent = CARBO_POSTERIOR_MEAN;
  options.noise_floor = 1e-3;
  options.restarts = 2;
  options.allow_repeats = 1;
  options.cost_weight = CARBO_COST_MEAN;
  options.cost_robust = 1;
  options.cost_noise_floor = 1e-4;
  options.cost_restarts = 3;
  options.fantasies = 5;
  options.fantasy_mode = CARBO_FANTASIES_BATCHED;
  carbo::SelectorOptions same = same_options(options);
  same.goal = carbo::Goal::maximize;
  same.transform = carbo::Transform::rank;
  same.incumbent = carbo::Incumbent::posterior_mean;
  same.surrogate.noise_floor = 1e-3;
  same.surrogate.restarts = 2;
  same.allow_repeats = true;
  same.cost.weight = carbo::CostWeight::mean;
  same.cost.robust = true;
  same.cost.surrogate.noise_floor = 1e-4;
  same.cost.surrogate.restarts = 3;
  same.fantasies = {.count = 5, .mode = carbo::FantasyMode::batched};
  Both both(options, same);
  carbo_fit_report report{};
  report.struct_size = sizeof report;
  double lengthscales[3];
  report.lengthscales = lengthscales;
  report.lengthscale_room = 3;
  ASSERT_EQ(carbo_selector_fit(both.c.selector, &report), CARBO_OK) << thread_message();
  const carbo::SelectorFit fit = both.cpp.fit();
  EXPECT_EQ(std::vector<double>(lengthscales, lengthscales + 3), fit.objective.lengthscales);
  EXPECT_EQ(report.signal_variance, fit.objective.signal_variance);
  EXPECT_EQ(report.noise_variance, fit.objective.noise_variance);
  EXPECT_EQ(report.objective_jitter, fit.objective_jitter);
  EXPECT_EQ(report.cost_jitter, fit.cost_jitter);
  EXPECT_EQ(report.observations, 12);
  EXPECT_GT(report.seconds, 0);
  both.expect_same_picks();
}

TEST(CPicks, TheTransformThatWasChosenIsReported) {
  for (const carbo_transform transform :
       {CARBO_TRANSFORM_SHIFTED_LOG, CARBO_TRANSFORM_POWER, CARBO_TRANSFORM_HALF_RANK, CARBO_TRANSFORM_AUTOMATIC}) {
    carbo_selector_options options = some_options(3);
    options.transform = transform;
    carbo::SelectorOptions same = same_options(options);
    same.transform = static_cast<carbo::Transform>(transform);
    Both both(options, same);
    carbo_fit_report report{};
    report.struct_size = sizeof report;
    ASSERT_EQ(carbo_selector_fit(both.c.selector, &report), CARBO_OK) << thread_message();
    EXPECT_EQ(report.transform, static_cast<carbo_transform>(both.cpp.fit().transform));
    EXPECT_NE(report.transform, CARBO_TRANSFORM_AUTOMATIC);
    EXPECT_TRUE(transform == CARBO_TRANSFORM_AUTOMATIC || report.transform == transform);
    both.expect_same_picks();
  }
}

TEST(CPicks, TheGittinsIndexIsThatOfTheCppFace) {
  Both both;
  carbo_pick_request request = picks(4);
  EXPECT_EQ(request.acquisition, CARBO_EI_COOL);
  EXPECT_EQ(request.lambda_decay, 0.5);
  request.acquisition = CARBO_GITTINS;
  request.lambda = 0.02;
  carbo::PickRequest same{.count = 4, .acquisition = carbo::Acquisition::gittins};
  same.acquisition_parameters.lambda = 0.02;
  std::vector<std::int64_t> rows(4, -1), expected(4, -2);
  std::vector<double> scores(4), expected_scores(4);
  const carbo_index_room index_output = room(rows);
  const carbo_vector_room score_output = room(scores);
  std::int64_t written = 0;
  ASSERT_EQ(carbo_selector_suggest(both.c.selector, &request, &index_output, &score_output, &written), CARBO_OK)
      << thread_message();
  EXPECT_EQ(written, 4);
  EXPECT_EQ(both.cpp.suggest(
                same, {carbo::host_index_room(expected.data(), 4), carbo::host_room(expected_scores.data(), 4)}),
            4u);
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(scores, expected_scores);
}

TEST(CPicks, EntropySearchIsThatOfTheCppFace) {
  Both both;
  carbo_pick_request request = picks(3, 0.4);
  request.acquisition = CARBO_MES_COOL;
  const carbo::PickRequest same{.count = 3, .alpha = 0.4, .acquisition = carbo::Acquisition::mes_cool};
  std::vector<std::int64_t> rows(3, -1), expected(3, -2);
  std::vector<double> scores(3), expected_scores(3);
  const carbo_index_room index_output = room(rows);
  const carbo_vector_room score_output = room(scores);
  std::int64_t written = 0;
  ASSERT_EQ(carbo_selector_suggest(both.c.selector, &request, &index_output, &score_output, &written), CARBO_OK)
      << thread_message();
  EXPECT_EQ(both.cpp.suggest(
                same, {carbo::host_index_room(expected.data(), 3), carbo::host_room(expected_scores.data(), 3)}),
            3u);
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(scores, expected_scores);
}

TEST(CPicks, AnAcquisitionThatCannotBeTakenIsRefusedInCNames) {
  Both both;
  carbo_pick_request request = picks(1);
  std::vector<std::int64_t> rows(1, -1);
  const carbo_index_room output = room(rows);
  std::int64_t written = 0;
  const auto refused = [&](const std::vector<std::string>& parts) {
    expect_failure(carbo_selector_suggest(both.c.selector, &request, &output, nullptr, &written),
                   CARBO_INVALID_OPTIONS, parts);
  };
  request.acquisition = CARBO_GITTINS;
  refused({"gittins", "lambda above 0"});
  request.lambda = -1;
  refused({"lambda is -1"});
  EXPECT_EQ(thread_message().find("acquisition_parameters"), std::string::npos) << thread_message();
  request.lambda = 1;
  request.lambda_decay = 2;
  refused({"lambda_decay is 2"});
  request.acquisition = CARBO_RANDOM;
  request.lambda_decay = 0.5;
  refused({"random", "scores no row"});
  request.acquisition = CARBO_ACQUISITION_COUNT;
  refused({"acquisition is 6"});
  carbo_selector_options options = some_options(3);
  options.cost_weight = CARBO_COST_MOMENT;
  Scene moment(options, 12);
  request.acquisition = CARBO_GITTINS;
  expect_failure(carbo_selector_suggest(moment.selector, &request, &output, nullptr, &written), CARBO_INVALID_OPTIONS,
                 {"cost_weight is CARBO_COST_MOMENT", "CARBO_COST_MEAN"});
}

TEST(CPicks, ScoresAndDesignAreThoseOfTheCppFace) {
  Both both;
  const carbo_pick_request request = picks(5, 0.7);
  std::vector<double> scores(60), expected(60);
  std::vector<float> singles(60);
  const carbo_vector_room output = room(scores);
  const carbo_vector_room narrow = carbo_vector_room_of(singles.data(), CARBO_FLOAT32, CARBO_HOST, 60);
  ASSERT_EQ(carbo_selector_scores(both.c.selector, &request, &output), CARBO_OK) << thread_message();
  ASSERT_EQ(carbo_selector_scores(both.c.selector, &request, &narrow), CARBO_OK) << thread_message();
  both.cpp.scores({.alpha = 0.7}, carbo::host_room(expected.data(), 60));
  EXPECT_EQ(scores, expected);
  EXPECT_EQ(singles, std::vector<float>(expected.begin(), expected.end()));

  std::vector<std::int64_t> rows(5, -1), cpp_rows(5, -2);
  const carbo_index_room index_output = room(rows);
  std::int64_t written = 0;
  ASSERT_EQ(carbo_selector_design(both.c.selector, &request, &index_output, &written), CARBO_OK) << thread_message();
  EXPECT_EQ(written, 5);
  both.cpp.design({.count = 5}, {carbo::host_index_room(cpp_rows.data(), 5)});
  EXPECT_EQ(rows, cpp_rows);
}

TEST(CPicks, ScoresOfPicksFallAndTheCostLimitHolds) {
  Scene scene;
  carbo_pick_request request = picks(48);
  request.cost_limit = 2.5;
  std::vector<std::int64_t> rows(48, -1);
  std::vector<double> scores(48, std::numeric_limits<double>::quiet_NaN());
  const carbo_index_room row_room = room(rows);
  const carbo_vector_room score_room = room(scores);
  std::int64_t written = 0;
  ASSERT_EQ(carbo_selector_suggest(scene.selector, &request, &row_room, &score_room, &written), CARBO_OK);
  EXPECT_GT(written, 0);
  EXPECT_LT(written, 48) << "costs go from 1 to 6";
  for (std::size_t i = 0; i < 48; ++i) {
    const bool picked = i < static_cast<std::size_t>(written);
    EXPECT_EQ(rows[i] >= 0, picked) << i;
    EXPECT_EQ(std::isfinite(scores[i]), picked) << i;
    // Costs of the bowl are linear in one column, so twelve observations teach them to well within a tenth.
    if (picked) {
      EXPECT_LT(scene.problem.costs[static_cast<std::size_t>(rows[i])], 2.75);
    }
  }
  EXPECT_EQ(scene.info().running, written);
}

TEST(CPicks, LayoutsOfTheSamePoolGiveTheSameRows) {
  constexpr std::int64_t gap = 67, width = 5;
  const Problem problem;
  std::vector<double> by_column(3 * gap, -1), wide(60 * width, -1);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 3; ++j) by_column[j * gap + i] = wide[i * width + j] = problem.pool[i * 3 + j];
  const auto rows_of = [](const void* data, carbo_order order, std::int64_t leading_dimension) {
    Scene scene;
    carbo_matrix rows = carbo_matrix_of(data, CARBO_FLOAT64, CARBO_HOST, order, 60, 3);
    rows.leading_dimension = leading_dimension;
    EXPECT_EQ(carbo_selector_set_pool(scene.selector, &rows, nullptr), CARBO_OK) << thread_message();
    EXPECT_EQ(scene.info().available, 60) << "which rows were observed is forgotten with a pool";
    return scene.suggest(6);
  };
  const std::vector<std::int64_t> expected = rows_of(problem.pool.data(), CARBO_ROW_MAJOR, 0);
  EXPECT_EQ(rows_of(wide.data(), CARBO_ROW_MAJOR, width), expected);
  EXPECT_EQ(rows_of(by_column.data(), CARBO_COLUMN_MAJOR, gap), expected);
}

TEST(CPicks, KnownCostsOfThePoolNeedNotBeAppended) {
  Scene scene(0);
  const carbo_matrix rows = scene.pool();
  const carbo_vector costs = host(scene.problem.costs);
  ASSERT_EQ(carbo_selector_set_pool(scene.selector, &rows, &costs), CARBO_OK) << thread_message();
  const std::vector<std::int64_t> first = {3, 14, 15};
  const std::vector<double> objectives = {0.5, 0.25, 0.75};
  const carbo_indices which = host(first);
  const carbo_vector values = host(objectives);
  ASSERT_EQ(carbo_selector_append_rows(scene.selector, &which, &values, nullptr), CARBO_OK) << thread_message();
  EXPECT_EQ(scene.suggest(2).size(), 2u);
  EXPECT_EQ(scene.info().observations, 3);
}

TEST(CPicks, PointsOutsideThePoolAreLearnedFrom) {
  Scene by_rows, by_points(0);
  carbo_matrix points = by_points.pool();
  points.rows = 12;
  const carbo_vector objectives = carbo_vector_of(by_points.problem.objectives.data(), CARBO_FLOAT64, CARBO_HOST, 12);
  const carbo_vector costs = carbo_vector_of(by_points.problem.costs.data(), CARBO_FLOAT64, CARBO_HOST, 12);
  ASSERT_EQ(carbo_selector_append_points(by_points.selector, &points, &objectives, &costs), CARBO_OK);
  EXPECT_EQ(by_points.info().observations, 12);
  EXPECT_EQ(by_points.info().available, 60) << "points by coordinates close no rows";
  EXPECT_EQ(by_rows.info().available, 48);
}

/// Of so many points one in sixteen is left to those that come next.
TEST(CPicks, ModelsLearnFromNoMorePointsThanTheyMay) {
  carbo_selector_options options = some_options(3);
  options.max_points = 64;
  options.cost_max_points = 80;
  Scene scene(options, 0);
  const Problem many(100, 3);
  const carbo_matrix points = carbo_matrix_of(many.pool.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR, 100, 3);
  const carbo_vector objectives = host(many.objectives), costs = host(many.costs);
  ASSERT_EQ(carbo_selector_append_points(scene.selector, &points, &objectives, &costs), CARBO_OK) << thread_message();
  carbo_fit_report report{};
  report.struct_size = sizeof report;
  ASSERT_EQ(carbo_selector_fit(scene.selector, &report), CARBO_OK) << thread_message();
  EXPECT_EQ(report.observations, 100);
  EXPECT_EQ(report.points, 100);
  EXPECT_EQ(report.points_used, 60);
  EXPECT_EQ(report.cost_points, 100);
  EXPECT_EQ(report.cost_points_used, 75);
}

}  // namespace
