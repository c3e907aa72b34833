#include <algorithm>
#include <cmath>
#include <numeric>

#include <carbo/json.hpp>

#include "program/commands/records.hpp"
#include "program/report/page_data.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t most_slices = 12, slice_points = 41, contour_points = 21, most_in_contours = 4,
                      most_labels = 24;

/// Values of a parameter that a curve of a model is drawn through: of labels and levels those that there are, or of
/// many the ones with the best results.
std::vector<double> curve_values(const Parameter& parameter, std::size_t index, std::span<const Trial> trials,
                                 Goal goal, std::size_t points) {
  std::vector<double> values;
  if (!parameter.values().empty() && parameter.values().size() <= points) return parameter.values();
  if (!parameter.labels().empty()) {
    values.resize(parameter.labels().size());
    std::iota(values.begin(), values.end(), 0.0);
    if (values.size() <= most_labels) return values;
    std::vector<std::pair<double, double>> best;  // of each label that succeeded: objective, label
    for (const Trial& trial : trials)
      if (trial.state == TrialState::succeeded)
        best.emplace_back(goal == Goal::minimize ? *trial.objective : -*trial.objective,
                          trial.configuration.numbers()[index]);
    std::ranges::sort(best);
    std::vector<double> some;
    for (const auto& each : best)
      if (some.size() < most_labels && std::ranges::find(some, each.second) == some.end())
        some.push_back(each.second);
    for (const double label : values)
      if (some.size() < most_labels && std::ranges::find(some, label) == some.end()) some.push_back(label);
    std::ranges::sort(some);
    return some;
  }
  const bool log = parameter.scale() == Scale::log;
  for (std::size_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    double value = log ? parameter.lower() * std::pow(parameter.upper() / parameter.lower(), share)
                       : parameter.lower() + share * (parameter.upper() - parameter.lower());
    value = std::clamp(value, parameter.lower(), parameter.upper());
    if (parameter.kind() == ParameterKind::integer) value = std::round(value);
    if (parameter.kind() == ParameterKind::discrete)
      value = *std::ranges::min_element(parameter.values(), {}, [&](double v) { return std::abs(v - value); });
    if (values.empty() || values.back() != value) values.push_back(value);
  }
  return values;
}

/// Asks a copy of the study's optimizer.
class Questions {
 public:
  Questions(Optimizer copy, Goal goal, std::span<const Trial> trials)
      : copy_(std::move(copy)), space_(copy_.space()), goal_(goal), trials_(trials) {}

  Json answers() {
    Json json = Json::object();
    json["warnings"] = Json::array();
    for (const std::string& warning : copy_.warnings()) json["warnings"].push_back(in_words_of_the_file(warning));
    add_importance(json);
    add_recommendation(json);
    if (centre_) {
      add_slices(json);
      add_contours(json);
    }
    add_fitted(json);
    add_next(json);
    return json;
  }

 private:
  std::vector<Prediction> predicted(const std::vector<std::vector<double>>& points) {
    std::vector<Configuration> configurations;
    for (const auto& numbers : points) configurations.push_back(space_.configuration(numbers));
    return copy_.predict(configurations);
  }

  /// The library's, or with more than 16 parameters fewer points: their number counts twice.
  ImportanceOptions effort() const {
    ImportanceOptions options;
    while (options.points > 64 && options.points * space_.parameters().size() > 16384) options.points /= 2;
    return options;
  }

  void add_importance(Json& json) {
    order_.resize(space_.parameters().size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    Json all = Json::object();
    for (const Modelled model : {Modelled::objective, Modelled::cost}) {
      const char* const name = model == Modelled::objective ? "objective" : "cost";
      try {
        const auto importance = copy_.importance(model, effort());
        if (!importance) continue;
        all[name] = json_of(*importance);
        if (model == Modelled::objective)
          std::ranges::stable_sort(order_, std::greater<>{},
                                   [&](std::size_t i) { return importance->parameters[i].total; });
      } catch (const InvalidOptions& error) {
        all[std::string(name) + "_why_not"] = error.what();
      }
    }
    json["importance"] = std::move(all);
  }

  void add_recommendation(Json& json) {
    const auto recommended = copy_.recommend();
    if (!recommended) return;
    const auto numbers = recommended->configuration.numbers();
    centre_.emplace(numbers.begin(), numbers.end());
    json["recommended"] = {{"values", *centre_},
                           {"successes", recommended->successes},
                           {"prediction", json_of(recommended->prediction)}};
  }

  void add_slices(Json& json) {
    Json slices = Json::array();
    for (std::size_t k = 0; k < std::min(order_.size(), most_slices); ++k) {
      const std::size_t p = order_[k];
      const std::vector<double> values = curve_values(space_.parameters()[p], p, trials_, goal_, slice_points);
      std::vector<std::vector<double>> points(values.size(), *centre_);
      for (std::size_t i = 0; i < values.size(); ++i) points[i][p] = values[i];
      Json one{{"parameter", p}, {"x", values}};
      for (const char* const name : {"median", "lower", "upper", "cost", "cost_sd"}) one[name] = Json::array();
      for (const Prediction& each : predicted(points)) {
        const auto& [objective, cost] = each;
        one["median"].push_back(objective ? json_of(std::optional(objective->median)) : Json(nullptr));
        one["lower"].push_back(objective ? json_of(std::optional(objective->lower)) : Json(nullptr));
        one["upper"].push_back(objective ? json_of(std::optional(objective->upper)) : Json(nullptr));
        one["cost"].push_back(cost ? json_of(std::optional(cost->median)) : Json(nullptr));
        one["cost_sd"].push_back(cost ? json_of(std::optional(cost->log_standard_deviation)) : Json(nullptr));
      }
      slices.push_back(std::move(one));
    }
    json["slices"] = std::move(slices);
  }

  void add_contours(Json& json) {
    Json contours = Json::array();
    const std::size_t count = std::min(order_.size(), most_in_contours);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b) contours.push_back(contour(order_[a], order_[b]));
    json["contours"] = std::move(contours);
  }

  /// Row-major: y by y, x within.
  Json contour(std::size_t x, std::size_t y) {
    const std::vector<double> xs = curve_values(space_.parameters()[x], x, trials_, goal_, contour_points);
    const std::vector<double> ys = curve_values(space_.parameters()[y], y, trials_, goal_, contour_points);
    std::vector<std::vector<double>> points;
    for (const double at_y : ys)
      for (const double at_x : xs) {
        points.push_back(*centre_);
        points.back()[x] = at_x;
        points.back()[y] = at_y;
      }
    Json one{{"x", x}, {"y", y}, {"xs", xs}, {"ys", ys}, {"median", Json::array()}, {"cost", Json::array()}};
    for (const Prediction& each : predicted(points)) {
      one["median"].push_back(each.objective ? json_of(std::optional(each.objective->median)) : Json(nullptr));
      one["cost"].push_back(each.cost ? json_of(std::optional(each.cost->median)) : Json(nullptr));
    }
    return one;
  }

  void add_fitted(Json& json) {
    const FittedModels fitted = copy_.hyperparameters();
    const auto described = [](const FittedModel& model) {
      return Json{{"lengthscales", model.hyperparameters.lengthscales},
                  {"signal_variance", model.hyperparameters.signal_variance},
                  {"noise_variance", model.hyperparameters.noise_variance},
                  {"used", model.points.used},
                  {"known", model.points.known}};
    };
    if (fitted.objective) json["objective_model"] = described(*fitted.objective);
    if (fitted.cost) json["cost_gp"] = described(*fitted.cost);
    if (fitted.cost_model) json["cost_model"] = to_string(*fitted.cost_model);
  }

  /// What the next `ask` would suggest; once the run is over, what would score best.
  void add_next(Json& json) {
    std::vector<Configuration> configurations;
    Json list = Json::array();
    for (const Suggestion& suggestion : copy_.ask()) {
      const auto numbers = suggestion.configuration.numbers();
      list.push_back({{"values", std::vector<double>(numbers.begin(), numbers.end())},
                      {"receipt", Json::parse(to_json(suggestion.receipt))}});
      configurations.push_back(suggestion.configuration);
    }
    json["next_by"] = list.empty() ? "rank" : "ask";
    if (list.empty())
      for (const RankedCandidate& ranked : copy_.rank(3)) {
        const auto numbers = ranked.configuration.numbers();
        list.push_back({{"values", std::vector<double>(numbers.begin(), numbers.end())},
                        {"log_score", json_of(std::optional(ranked.log_score))}});
        configurations.push_back(ranked.configuration);
      }
    const std::vector<Prediction> predictions = copy_.predict(configurations);
    for (std::size_t i = 0; i < predictions.size(); ++i) list[i]["prediction"] = json_of(predictions[i]);
    json["next"] = std::move(list);
  }

  Optimizer copy_;
  Space space_;
  Goal goal_;
  std::span<const Trial> trials_;
  std::vector<std::size_t> order_;  ///< of parameters: what matters most first
  std::optional<std::vector<double>> centre_;
};

}  // namespace

Json model_data(OpenedStudy& opened, std::span<const Trial> trials, std::size_t most) {
  try {
    ModelCopy copy = copy_to_ask(opened, trials, most);
    const Json learned{{"used", copy.used}, {"known", copy.known}};
    Json json = Questions(std::move(copy.optimizer), opened.study.options().goal, trials).answers();
    json["learned"] = learned;
    return json;
  } catch (const Error& error) {
    Json nothing = Json::object();
    nothing["why_not"] = error.what();
    return nothing;
  }
}

}  // namespace carbo::program
