#include "bench/hpo/live.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "bench/hpo/line_process.hpp"

namespace carbo::hpo {

namespace {

/// The child of one live problem, started when it is first needed.
class Server {
 public:
  explicit Server(std::vector<std::string> command) : command_(std::move(command)) {}

  replay::Outcome evaluate(const Configuration& configuration) {
    if (!child_) {
      child_ = std::make_unique<LineProcess>(command_);
      const auto greeting = nlohmann::json::parse(child_->read_line(), nullptr, false);
      if (!greeting.is_object() || !greeting.value("ready", false))
        throw std::runtime_error(command_.front() + " did not say that it is ready");
    }
    child_->write_line(json_line(configuration));
    return outcome_of(child_->read_line());
  }

 private:
  std::vector<std::string> command_;
  std::unique_ptr<LineProcess> child_{};
};

}  // namespace

std::string json_line(const Configuration& configuration) {
  nlohmann::ordered_json line;
  for (const Parameter& parameter : configuration.parameters())
    std::visit([&](const auto& value) { line[parameter.name()] = value; }, configuration.value(parameter.name()));
  return line.dump();
}

replay::Outcome outcome_of(const std::string& answer) {
  const auto said = nlohmann::json::parse(answer, nullptr, false);
  const std::string status = said.is_object() ? said.value("status", "") : "";
  if (status == "refused")
    throw std::runtime_error("the evaluation was refused: " + said.value("reason", "no reason was given"));
  const bool failed = status == "failed";
  const bool measured = status == "ok" || status == "warned";
  if ((!failed && !measured) || !said.contains("seconds") || !said["seconds"].is_number() ||
      (measured && !(said.contains("error") && said["error"].is_number())))
    throw std::runtime_error("this is no answer to a configuration: " + answer);
  const double error = failed ? std::numeric_limits<double>::quiet_NaN() : said["error"].get<double>();
  return {.objective = error, .value = error, .cost = said["seconds"].get<double>()};
}

replay::Problem live_problem(const MeasuredProblem& measured, std::vector<std::string> server) {
  replay::Problem problem{.name = measured.name(), .title = measured.problem.title, .space = measured.learner.space};
  problem.drawn = CandidateOptions{}.count;
  problem.optimum = measured.problem.optimum;
  problem.mean_cost = measured.problem.mean_cost;
  server.insert(server.end(), {"--problem", measured.name()});
  problem.evaluate = [shared = std::make_shared<Server>(std::move(server))](const Suggestion& suggestion,
                                                                            std::uint64_t) {
    return shared->evaluate(suggestion.configuration);
  };
  return problem;
}

}  // namespace carbo::hpo
