// Which parameters matter: shares of the variance of a model's mean over the space.

#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include <carbo/error.hpp>

#include "engine/optimizer_state.hpp"
#include "gp/posterior_draw.hpp"
#include "models/variance_shares.hpp"
#include "support/text.hpp"

namespace carbo {

using internal::PairedSample;
using internal::text;
using internal::VarianceShares;

namespace {

void check(const ImportanceOptions& options) {
  if (!std::has_single_bit(options.points) || options.points < 16 || options.points > 65536) {
    throw InvalidOptions(text("importance: points is ", options.points, "; give a power of 2 from 16 to 65,536"));
  }
  if (options.sequences < 2 || options.sequences > 1024) {
    throw InvalidOptions(text("importance: sequences is ", options.sequences, "; give 2 to 1,024"));
  }
}

/// A model's mean at some points, and the same function varied: what the spread of the shares is taken from.
struct SampledValues {
  std::vector<double> mean;
  std::vector<double> varied;
};

struct SampledModel {
  std::function<void(std::size_t sequence)> begin;
  std::function<SampledValues(std::span<const double> numbers)> values;  ///< numbers of points, row-major
};

Importance summary(const Space& space, const VarianceShares& all, const std::vector<VarianceShares>& single) {
  Importance importance;
  importance.standard_deviation = std::sqrt(all.variance());
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    ParameterImportance own{space.parameters()[p].name(), all.first_order(p), all.total(p)};
    double first_order = 0, total = 0;
    for (const VarianceShares& one : single) {
      first_order += std::pow(one.first_order(p) - own.first_order, 2);
      total += std::pow(one.total(p) - own.total, 2);
    }
    own.first_order_spread = std::sqrt(first_order / static_cast<double>(single.size()));
    own.total_spread = std::sqrt(total / static_cast<double>(single.size()));
    importance.parameters.push_back(std::move(own));
  }
  return importance;
}

Importance shares_of(const SampledModel& model, const Space& space, const ImportanceOptions& options,
                     std::uint64_t seed) {
  const std::size_t parameters = space.parameters().size();
  VarianceShares of_mean(parameters);
  std::vector<VarianceShares> of_sequences;
  for (std::size_t s = 0; s < options.sequences; ++s) {
    const PairedSample sample(space, options.points, seed, s);
    model.begin(s);
    VarianceShares& of_sequence = of_sequences.emplace_back(parameters);
    const SampledValues first = model.values(sample.first()), second = model.values(sample.second());
    of_mean.add_samples(first.mean, second.mean);
    of_sequence.add_samples(first.varied, second.varied);
    for (std::size_t p = 0; p < parameters; ++p) {
      const SampledValues mixed = model.values(sample.mixed(p));
      of_mean.add_mixed(p, first.mean, second.mean, mixed.mean);
      of_sequence.add_mixed(p, first.varied, second.varied, mixed.varied);
    }
  }
  return summary(space, of_mean, of_sequences);
}

/// Encoded rows of points that are given by their numbers.
std::vector<double> encoded(const Space& space, std::span<const double> numbers) {
  const std::size_t parameters = space.parameters().size(), columns = space.encoded_columns();
  std::vector<double> rows(numbers.size() / parameters * columns);
  for (std::size_t i = 0; i < numbers.size() / parameters; ++i)
    space.encode(numbers.subspan(i * parameters, parameters), std::span(rows).subspan(i * columns, columns));
  return rows;
}

Importance importance_of(const internal::Surrogate& objective, internal::GpBackend& backend, const Space& space,
                         const ImportanceOptions& options, std::uint64_t seed) {
  internal::PosteriorDraws draws(backend, objective);
  SampledModel model;
  model.begin = [&](std::size_t sequence) { draws.turn_to(seed, sequence); };
  model.values = [&](std::span<const double> numbers) {
    const std::vector<double> points = encoded(space, numbers);
    const std::size_t columns = space.encoded_columns();
    const internal::MatrixView view{points.data(), points.size() / columns, columns};
    SampledValues values{std::vector<double>(view.rows), {}};
    objective.factor().predict(view, values.mean, {});
    values.varied = values.mean;
    draws.add_to(view, values.varied);
    return values;
  };
  return shares_of(model, space, options, seed);
}

Importance importance_of(const internal::CostModel& cost, const Space& space, const ImportanceOptions& options,
                         std::uint64_t seed) {
  SampledModel model;
  model.begin = [](std::size_t) {};
  model.values = [&](std::span<const double> numbers) {
    const std::vector<double> rows = encoded(space, numbers);
    const std::size_t parameters = space.parameters().size(), columns = space.encoded_columns();
    std::vector<internal::CostPoint> points;
    for (std::size_t i = 0; i < numbers.size() / parameters; ++i)
      points.push_back({std::span(rows).subspan(i * columns, columns), numbers.subspan(i * parameters, parameters)});
    SampledValues values;
    for (const internal::LogCost& one : cost.predictions(points, false)) values.mean.push_back(one.mean);
    values.varied = values.mean;
    return values;
  };
  return shares_of(model, space, options, seed);
}

}  // namespace

std::optional<Importance> Optimizer::State::importance(Modelled model, const ImportanceOptions& options) {
  check(options);
  if (model == Modelled::cost && internal::uses_pool_column(options_.cost)) {
    throw InvalidOptions(
        "importance of the cost: a column of the pool is part of it, which points of the space outside the pool do "
        "not "
        "have; give the cost as an expression or a function, or let it be learned");
  }
  learn_all();
  if (model == Modelled::cost) {
    if (!models_.cost().ready()) return std::nullopt;
    return importance_of(models_.cost(), space_, options, options_.seed);
  }
  if (!models_.objective_ready()) return std::nullopt;
  Importance found = importance_of(models_.objective(), *backend_, space_, options, options_.seed);
  found.standard_deviation *= models_.objective_scale();
  return found;
}

}  // namespace carbo
