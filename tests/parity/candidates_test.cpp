#include "support/cuda_pair.hpp"

// Candidates, their mask and their distances to the design: the CPU's against the device's.
namespace cuda_pair {
namespace {

using Sets = std::pair<std::unique_ptr<CandidateSet>, std::unique_ptr<CandidateSet>>;

Sets make_sets(Pair& pair, const Points& points) {
  const Rows rows(points);
  return pair.both([&](Backend& backend) { return backend.make_candidates(rows.view()); });
}

/// A squared distance is a sum of d squares of rounded differences: d + 2 roundings at most, half of them under the
/// root.
void expect_equal_fill(const Sets& sets, std::size_t d) {
  const double expected = sets.first->fill();
  if (std::isinf(expected)) {  // no design
    EXPECT_EQ(sets.second->fill(), expected);
    return;
  }
  EXPECT_NEAR(sets.second->fill(), expected, (static_cast<double>(d) + 2) * epsilon * expected);
}

void expect_equal_masks(const Sets& sets) {
  ASSERT_EQ(sets.second->size(), sets.first->size());
  EXPECT_EQ(sets.second->available(), sets.first->available());
  for (std::size_t i = 0; i < sets.first->size(); ++i)
    ASSERT_EQ(sets.second->is_available(i), sets.first->is_available(i)) << i;
}

void expect_equal_sets(Pair& pair, std::size_t m, std::size_t d) {
  SCOPED_TRACE(testing::Message() << m << " candidates, " << d << " columns");
  oracle::Uniform random(m + 1000 * d);
  const Sets sets = make_sets(pair, random.points(m, d));
  EXPECT_EQ(sets.second->fill(), infinity);
  for (const std::size_t index : {m - 1, std::size_t{0}, m / 2, m / 2}) {
    sets.first->exclude(index);
    sets.second->exclude(index);
  }
  const std::vector<std::size_t> several = {m / 3, m / 4, m - 1, m / 3};
  sets.first->exclude(several);
  sets.second->exclude(several);
  expect_equal_masks(sets);
  for (const std::size_t points : {1, 33, 0, 5}) {
    const Rows design(random.points(points, d));
    sets.first->set_design(design.view());
    sets.second->set_design(design.view());
    expect_equal_fill(sets, d);
  }
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> point = random.values(d, 0, 1);
    sets.first->add_design_point(point);
    sets.second->add_design_point(point);
    expect_equal_fill(sets, d);
  }
}

TEST(CudaCandidates, MasksAndDistancesAreTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t m : edges) expect_equal_sets(pair, m, 6);
  for (const std::size_t d : widths) expect_equal_sets(pair, 65, d);
  expect_equal_sets(pair, 5000, 6);
}

TEST(CudaCandidates, ManyAreExcludedAtOnce) {
  Pair pair;
  oracle::Uniform random(3);
  const Sets sets = make_sets(pair, random.points(3000, 2));
  std::vector<std::size_t> odd;
  for (std::size_t i = 1; i < 3000; i += 2) odd.push_back(i);
  sets.first->exclude(odd);
  sets.second->exclude(odd);
  expect_equal_masks(sets);
  sets.second->exclude(std::span<const std::size_t>());
  EXPECT_EQ(sets.second->available(), 1500u);
}

TEST(CudaCandidates, RowsComeBackAndCanBeRead) {
  Pair pair;
  oracle::Uniform random(4);
  const Points points = random.points(300, 5);
  const Sets sets = make_sets(pair, points);
  const std::vector<std::size_t> leaving = {0, 31, 32, 33, 299}, returning = {32, 299, 32, 7};
  const std::vector<std::size_t> wanted = {299, 0, 32, 299};
  for (CandidateSet* const set : {sets.first.get(), sets.second.get()}) {
    set->exclude(leaving);
    set->readmit(returning);
    EXPECT_EQ(set->available(), 297u);
    EXPECT_TRUE(set->is_available(32));
    EXPECT_TRUE(set->is_available(7));
    EXPECT_FALSE(set->is_available(31));
    EXPECT_THROW(set->readmit(std::vector<std::size_t>{300}), carbo::InvalidOptions);
    std::vector<double> rows(wanted.size() * 5, not_a_number);
    set->read(wanted, rows);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(rows[i * 5 + c], points[wanted[i]][c]);
    set->read({}, {});
    EXPECT_THROW(set->read(wanted, std::span(rows).first(5)), carbo::InvalidOptions);
    EXPECT_THROW(set->read(std::vector<std::size_t>{300}, std::span(rows).first(5)), carbo::InvalidOptions);
  }
  expect_equal_masks(sets);
}

TEST(CudaCandidates, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const std::vector<double> none;
  expect_same_error(pair, [&](Backend& b) { b.make_candidates(MatrixView{none.data(), 0, 3}); });
  expect_same_error(pair, [&](Backend& b) { b.make_candidates(MatrixView{none.data(), 3, 0}); });
  for (const double bad : {not_a_number, infinity, -infinity}) {
    Points points(70, std::vector<double>(3, 0.5));
    points[65][1] = bad;
    const Rows rows(points);
    expect_same_error(pair, [&](Backend& b) { b.make_candidates(rows.view()); });
  }
  const Sets sets = make_sets(pair, {{0.1, 0.2}, {0.3, 0.4}});
  const Rows wide({{0.1, 0.2, 0.3}}), bad_design({{0.1, not_a_number}});
  const std::vector<double> one = {0.5}, bad_point = {0.5, infinity};
  const std::vector<std::size_t> out_of_range = {0, 2};
  const auto refused = [&](const auto& action) {
    expect_same_error([&] { action(*sets.first); }, [&] { action(*sets.second); });
  };
  refused([&](CandidateSet& set) { set.set_design(wide.view()); });
  refused([&](CandidateSet& set) { set.set_design(bad_design.view()); });
  refused([&](CandidateSet& set) { set.add_design_point(one); });
  refused([&](CandidateSet& set) { set.add_design_point(bad_point); });
  refused([&](CandidateSet& set) { (void)set.is_available(2); });
  refused([&](CandidateSet& set) { set.exclude(2); });
  refused([&](CandidateSet& set) { set.exclude(out_of_range); });
}

/// A whole design on both, pick by pick.
void expect_equal_races(Pair& pair, const Points& points, const std::vector<double>& log_costs, double limit,
                        std::size_t picks) {
  const Sets sets = make_sets(pair, points);
  const auto costs = pair.both([&](Backend& backend) { return backend.make_field(log_costs, {}); });
  for (std::size_t pick = 0; pick < picks; ++pick) {
    const std::size_t expected = pair.cpu->race(*sets.first, *costs.first, limit);
    ASSERT_EQ(pair.cuda->race(*sets.second, *costs.second, limit), expected) << "pick " << pick;
    if (expected == Scored::none) break;
    for (CandidateSet* set : {sets.first.get(), sets.second.get()}) {
      set->exclude(expected);
      set->add_design_point(points[expected]);
    }
  }
}

TEST(CudaRace, DesignsAreTheCpus) {
  Pair pair;
  for (const std::size_t m : edges) {
    SCOPED_TRACE(testing::Message() << m << " candidates");
    oracle::Uniform random(m);
    const Points points = random.points(m, 3);
    expect_equal_races(pair, points, random.values(m, -2, 3), infinity, std::min<std::size_t>(m + 1, 6));
    expect_equal_races(pair, points, random.values(m, -2, 3), 0.5, 3);
    expect_equal_races(pair, points, std::vector<double>(m, 0.25), infinity, 6);
  }
  oracle::Uniform random(9);
  expect_equal_races(pair, random.points(5000, 6), random.values(5000, -2, 3), infinity, 5);
}

/// Coordinates and costs on coarse grids: differences and squares are exact, so ties are ties on both.
TEST(CudaRace, TiesAreBrokenAsOnTheCpu) {
  Pair pair;
  oracle::Uniform random(11);
  Points points = random.points(300, 2);
  for (auto& row : points)
    for (double& value : row) value = std::round(4 * value) / 4;
  std::vector<double> log_costs = random.values(300, -1, 1);
  for (double& cost : log_costs) cost = std::round(2 * cost) / 2;
  log_costs[17] = -0.0;
  expect_equal_races(pair, points, log_costs, infinity, 25);
  expect_equal_races(pair, Points(257, {0.5, 0.5}), std::vector<double>(257, 1.0), infinity, 5);
}

TEST(CudaRace, NothingBelowTheLimitIsNone) {
  Pair pair;
  expect_equal_races(pair, {{0.1}, {0.9}}, {1.0, 2.0}, 0.5, 1);
  expect_equal_races(pair, {{0.1}, {0.9}}, {1.0, 2.0}, infinity, 3);
  const Sets sets = make_sets(pair, {{0.1}, {0.9}});
  const std::vector<double> three = {1, 2, 3};
  const auto costs = pair.both([&](Backend& backend) { return backend.make_field(three, {}); });
  expect_same_error([&] { pair.cpu->race(*sets.first, *costs.first, infinity); },
                    [&] { pair.cuda->race(*sets.second, *costs.second, infinity); });
  expect_same_error([&] { pair.cpu->race(*sets.second, *costs.first, infinity); },
                    [&] { pair.cuda->race(*sets.first, *costs.second, infinity); });
}

}  // namespace
}  // namespace cuda_pair
