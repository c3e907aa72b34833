#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "support/backend_oracle.hpp"

/// Randomised problems on which the bounded search must equal the dense path.
namespace search_cases {

using namespace carbo::internal;

enum class Objective { smooth, noisy, stepped, constant };
/// Modelled: learned by a GP and swept with its variance, which the bounded search may also be left to compute.
enum class Cost { none, known, known_with_spread, modelled, modelled_late };
/// How y_best moves between picks: only down; with the posterior mean; up and down at random.
enum class IncumbentMoves { lowest_observed, fitted_mean, restless };
/// What a search is told of the normals to come: nothing, the next few, up to the end, past the end, or others.
enum class Ahead { nothing, few, all, too_many, wrong };

struct Shape {
  std::size_t n = 20;   ///< observed points
  std::size_t m = 300;  ///< candidates
  std::size_t batch = 4;
};

struct Case {
  std::uint64_t seed = 0;
  Shape shape;
  std::size_t dimensions = 1;
  std::vector<double> points;        ///< n × dimensions
  std::vector<double> targets;       ///< n
  std::vector<double> cost_targets;  ///< n, what a modelled cost is learned from
  std::vector<double> candidates;    ///< m × dimensions
  std::vector<GpParameters> gps;     ///< one (`shared`) or several (`batched`)
  std::size_t fantasies = 1;         ///< over all GPs
  Objective objective = Objective::smooth;
  Cost cost = Cost::none;
  carbo::CostWeight weight = carbo::CostWeight::median;
  std::vector<double> log_costs;       ///< m
  std::vector<double> cost_variances;  ///< m
  double log_cost_limit = std::numeric_limits<double>::infinity();
  double alpha = 0;
  carbo::Acquisition acquisition = carbo::Acquisition::ei_cool;
  std::vector<double> extremes;  ///< samples of the minimum; empty where the acquisition does not look at them
  bool alpha_changes = false;
  bool in_rounds = false;  ///< picks join a round, which now and then begins anew
  double round_log_cost = -std::numeric_limits<double>::infinity();  ///< of one that goes on, see AcquisitionSpec
  double waiting = 0;                                                ///< in that
  IncumbentMoves incumbents = IncumbentMoves::lowest_observed;
  double incumbent_offset = 0;  ///< added to every y_best
  Ahead ahead = Ahead::all;
  std::size_t pending = 0;     ///< points fantasised before the first pick
  bool pending_first = false;  ///< they are fantasised before the search begins
  bool repeats = false;        ///< a picked candidate may be picked again
  bool shrinks = false;        ///< others than the pick leave between picks, too
  std::size_t threads = 1;
  std::size_t tile = 0;
  Precision precision = Precision::automatic;  ///< of the first look at means
  double margin_share = 1;                     ///< see SearchSetup

  MatrixView observed() const { return {points.data(), shape.n, dimensions}; }
  MatrixView pool() const { return {candidates.data(), shape.m, dimensions}; }
  std::span<const double> candidate(std::size_t i) const { return pool().row(i); }
};

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << "seed " << c.seed << ": d " << c.dimensions << ", n " << c.shape.n << ", m " << c.shape.m
             << ", batch " << c.shape.batch << ", GPs " << c.gps.size() << ", fantasies " << c.fantasies << ", noise "
             << c.gps.front().noise_variance << ", objective " << static_cast<int>(c.objective) << ", cost "
             << static_cast<int>(c.cost) << ", alpha " << c.alpha << ", incumbents " << static_cast<int>(c.incumbents)
             << ", ahead " << static_cast<int>(c.ahead) << ", pending " << c.pending
             << (c.pending_first ? " at first" : "") << ", repeats " << c.repeats << ", shrinks " << c.shrinks
             << ", threads " << c.threads << ", tile " << c.tile;
}

/// Draws of one case, each a pure function of the seed and of the draws before.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : uniform_(seed + 1) {
    for (int i = 0; i < 8; ++i) uniform_();
  }
  double between(double low, double high) { return low + (high - low) * uniform_(); }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(uniform_() * static_cast<double>(count)); }
  bool chance(double probability) { return uniform_() < probability; }
  /// About normal: a sum of twelve uniforms.
  double bell() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform_();
    return sum;
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  oracle::Uniform uniform_;
};

/// Rows of which a share lies round a centre, as late in a run; the rest is spread over the unit cube.
inline std::vector<double> clustered(Dice& dice, std::size_t rows, const std::vector<double>& centre, double share,
                                     double width) {
  std::vector<double> points;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool near = dice.chance(share);
    for (const double c : centre)
      points.push_back(near ? std::clamp(c + width * dice.bell(), 0.0, 1.0) : dice.between(0, 1));
  }
  return points;
}

inline void copy_row(const double* from, double* to, std::size_t columns) { std::copy_n(from, columns, to); }

/// A bowl with ripples round the centre, standardised by its rough size.
inline double bowl(std::span<const double> x, const std::vector<double>& centre) {
  double value = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    const double d = x[c] - centre[c];
    value += 4 * d * d - 0.3 * std::cos(9 * d);
  }
  return value / std::sqrt(static_cast<double>(x.size())) - 0.5;
}

inline void add_targets(Dice& dice, Case& c, const std::vector<double>& centre, double noise) {
  for (std::size_t i = 0; i < c.shape.n; ++i) {
    const auto x = c.observed().row(i);
    double y = bowl(x, centre) + std::sqrt(noise) * dice.bell();
    if (c.objective == Objective::noisy) y += 0.5 * dice.bell();
    if (c.objective == Objective::stepped) y = std::round(2 * y) / 2;
    if (c.objective == Objective::constant) y = 0.25;
    c.targets.push_back(y);
    c.cost_targets.push_back(3 * x[0] - 2 * x.back() + 0.1 * dice.bell());
  }
}

inline void add_models(Dice& dice, Case& c, double noise) {
  const bool batched = dice.chance(0.3);
  const std::size_t gps = batched ? 2 + dice.below(4) : 1;
  const double stretch = dice.chance(0.1) ? 20.0 : 1.0;  // a Gram matrix close to rank one
  for (std::size_t g = 0; g < gps; ++g) {
    GpParameters gp;
    for (std::size_t k = 0; k < c.dimensions; ++k) {
      const double lengthscale = stretch * std::sqrt(static_cast<double>(c.dimensions)) * dice.between(0.15, 0.8);
      gp.inverse_lengthscales.push_back(1.0 / lengthscale);
    }
    gp.signal_variance = dice.log_between(0.2, 5);
    gp.noise_variance = noise * (batched ? dice.between(0.5, 2) : 1.0);
    gp.mean = dice.between(-0.3, 0.3);
    c.gps.push_back(gp);
  }
  c.fantasies = batched ? gps * (dice.chance(0.3) ? 2 : 1) : 1 + dice.below(10);
}

inline void add_candidates(Dice& dice, Case& c, const std::vector<double>& centre, double width) {
  c.candidates = clustered(dice, c.shape.m, centre, 0.3, width);
  const std::size_t d = c.dimensions;
  for (std::size_t i = 1; i < c.shape.m; ++i) {
    double* row = c.candidates.data() + i * d;
    if (dice.chance(0.1)) copy_row(c.candidates.data() + dice.below(i) * d, row, d);
    if (dice.chance(0.05)) copy_row(c.points.data() + dice.below(c.shape.n) * d, row, d);
  }
}

inline void add_costs(Dice& dice, Case& c) {
  c.cost = dice.one_of({Cost::none, Cost::known, Cost::known_with_spread, Cost::modelled, Cost::modelled_late});
  c.weight = dice.one_of({carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment});
  const bool ties = dice.chance(0.3);
  for (std::size_t i = 0; i < c.shape.m; ++i) {
    const double log_cost = dice.between(-6.9, 6.9);
    c.log_costs.push_back(ties ? std::round(log_cost / 3) : log_cost);
    c.cost_variances.push_back(dice.between(0, 2));
  }
  if (dice.chance(0.2)) c.log_cost_limit = dice.chance(0.1) ? -1e3 : 0.5;
  c.alpha = dice.one_of({0.0, 1.0, dice.between(0, 1)});
  c.alpha_changes = dice.chance(0.25);
}

inline Case make_case(std::uint64_t seed, Shape shape) {
  Dice dice(seed);
  Case c;
  c.seed = seed;
  c.shape = shape;
  c.dimensions = 1 + dice.below(20);
  c.objective =
      dice.chance(0.6) ? Objective::smooth : dice.one_of({Objective::noisy, Objective::stepped, Objective::constant});
  const double noise = dice.chance(0.1) ? 0.0 : dice.log_between(1e-8, 0.3);
  std::vector<double> centre;
  for (std::size_t k = 0; k < c.dimensions; ++k) centre.push_back(dice.between(0.1, 0.9));
  const double width = dice.log_between(0.01, 0.2);
  c.points = clustered(dice, shape.n, centre, dice.one_of({0.0, 0.5, 0.8}), width);
  if (dice.chance(0.25))  // equal rows: singular but for the noise
    for (std::size_t i = 1; i < shape.n; i += 3)
      copy_row(c.points.data() + dice.below(i) * c.dimensions, c.points.data() + i * c.dimensions, c.dimensions);
  add_targets(dice, c, centre, noise);
  add_models(dice, c, noise);
  add_candidates(dice, c, centre, width);
  add_costs(dice, c);
  c.incumbents = dice.chance(0.5) ? IncumbentMoves::lowest_observed
                                  : dice.one_of({IncumbentMoves::fitted_mean, IncumbentMoves::restless});
  c.incumbent_offset = dice.one_of({0.0, 0.0, 0.0, -3.0, 1.0});
  c.ahead = dice.one_of({Ahead::nothing, Ahead::few, Ahead::all, Ahead::all, Ahead::too_many, Ahead::wrong});
  c.pending = dice.chance(0.3) ? 1 + dice.below(4) : 0;
  c.pending_first = dice.chance(0.5);
  c.repeats = dice.chance(0.25);
  c.shrinks = dice.chance(0.25);
  c.threads = 1 + dice.below(3);
  c.tile = dice.one_of({1, 256, 1000});
  c.in_rounds = c.cost != Cost::none && dice.chance(0.4);
  return c;
}

/// Late in a run in six dimensions, where bounds bite: half of the data and a third of the pool round the best.
inline Case late_case(Shape shape, std::uint64_t seed = 5) {
  Dice dice(seed);
  Case c;
  c.seed = seed;
  c.shape = shape;
  c.dimensions = 6;
  const std::vector<double> centre = {0.3, 0.6, 0.45, 0.7, 0.35, 0.5};
  c.points = clustered(dice, shape.n, centre, 0.5, 0.08);
  add_targets(dice, c, centre, 1e-4);
  GpParameters gp;
  gp.inverse_lengthscales = {1.2, 1.0, 1.4, 1.1, 1.3, 1.0};
  gp.noise_variance = 1e-4;
  c.gps = {gp};
  c.fantasies = 4;
  c.candidates = clustered(dice, shape.m, centre, 0.3, 0.1);
  c.cost = Cost::known;
  for (std::size_t i = 0; i < shape.m; ++i) c.log_costs.push_back(3 * c.candidate(i)[0] - 2 * c.candidate(i)[1]);
  c.alpha = 0.5;
  c.threads = 2;
  return c;
}

/// The same case with a first look in float32, whatever its margins are.
inline Case in_float32(Case c) {
  c.precision = Precision::float32;
  return c;
}

/// The same in pairs of float32.
inline Case in_pairs(Case c) {
  c.precision = Precision::float_pairs;
  return c;
}

/// The same case under the Gittins index, which takes the median or the mean of the cost.
inline Case by_gittins(Case c, double log_lambda) {
  c.acquisition = carbo::Acquisition::gittins;
  c.alpha = log_lambda;
  if (c.weight == carbo::CostWeight::moment) c.weight = carbo::CostWeight::mean;
  return c;
}

/// Samples of the minimum on both sides of the best target.
inline Case by_mes(Case c) {
  Dice dice(c.seed + 6);
  c.acquisition = carbo::Acquisition::mes_cool;
  c.alpha = dice.between(0, 1);
  const double lowest = *std::min_element(c.targets.begin(), c.targets.end());
  for (int k = 0; k < carbo::kernels::extreme_samples; ++k)
    c.extremes.push_back(lowest + 0.2 - dice.log_between(0.01, 3));
  return c;
}

/// Mostly small, sizes at the edges of panels and of blocks of rows; a batch of 300 goes with a small pool.
inline Shape random_shape(std::uint64_t seed) {
  Dice dice(seed + 1000003);
  Shape shape;
  shape.n = dice.one_of<std::size_t>({1, 2, 3, 5, 8, 13, 20, 34, 63, 64, 65, 128, 129, 192, 257, 270, 300, 320, 350});
  shape.m = dice.one_of<std::size_t>({1, 2, 17, 255, 256, 257, 400, 511, 513, 800});
  shape.batch = dice.one_of<std::size_t>({1, 2, 2, 16, 16, 16, 64});
  if (seed % 25 == 24) shape = {1 + dice.below(70), 310, 300};
  return shape;
}

}  // namespace search_cases
