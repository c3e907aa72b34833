#include "c/c_names.hpp"

#include <cctype>
#include <span>
#include <utility>

namespace carbo::internal::c {
namespace {

/// In the library's words, and in those of carbo.h. Of two that begin alike the longer comes first.
using Name = std::pair<std::string_view, std::string_view>;
constexpr Name selector_names[] = {
    {"cost.surrogate.noise_floor", "cost_noise_floor"},
    {"cost.surrogate.restarts", "cost_restarts"},
    {"cost.surrogate.max_points", "cost_max_points"},
    {"surrogate.noise_floor", "noise_floor"},
    {"surrogate.restarts", "restarts"},
    {"surrogate.max_points", "max_points"},
    {"cost.model is automatic", "cost_model is CARBO_COST_AUTOMATIC"},
    {"cost.model is log_gp", "cost_model is CARBO_COST_LOG_GP"},
    {"cost.model is linear_mean_gp", "cost_model is CARBO_COST_LINEAR_MEAN_GP"},
    {"cost.model is linear", "cost_model is CARBO_COST_LINEAR"},
    {"cost.model is known", "cost_model is CARBO_COST_KNOWN"},
    {"use known or automatic", "use CARBO_COST_KNOWN or CARBO_COST_AUTOMATIC"},
    {"cost.model", "cost_model"},
    {"cost.features", "cost_features"},
    {"such as carbo::work(\"epochs\")", "such as x0 * x1, with their number in cost_feature_count"},
    {"are allowed, use a function instead", "are allowed"},
    {"can only be read by a function, not by text", "cannot be read"},
    {"such as units * epochs", "such as x0 * x1"},
    {"cost.known_part", "known_cost_part"},
    {"cost.known", "known_cost"},
    {"fantasies.count", "fantasies"},
    {"fantasies.mode", "fantasy_mode"},
    {"backend.memory_bytes", "memory_bytes"},
    {"backend.threads", "threads"},
    {"backend.device", "device"},
    {"choose BackendKind::cpu or automatic", "choose CARBO_BACKEND_CPU or CARBO_BACKEND_AUTOMATIC"},
    {"BackendKind::cuda", "CARBO_BACKEND_CUDA"},
    {"transform = log needs values above 0 (use automatic, none or rank)",
     "CARBO_TRANSFORM_LOG needs values above 0 (use CARBO_TRANSFORM_AUTOMATIC, CARBO_TRANSFORM_NONE or "
     "CARBO_TRANSFORM_RANK)"},
    {"acquisition_parameters.", ""},
    {"cost.weight is moment", "cost_weight is CARBO_COST_MOMENT"},
    {"give median or mean", "give CARBO_COST_MEDIAN or CARBO_COST_MEAN"},
    {"pool.rows", "rows"},
    {"pool.costs", "costs"},
    {"observations: there are", "there are"},
    {"observations.points", "points"},
    {"observations.objectives", "objectives"},
    {"observations.costs", "costs"},
    {"output.rows", "rows"},
    {"output.scores", "scores"},
    {"output:", "scores:"},
    {"output overlaps", "scores overlaps"},
    {"call set_pool first", "call carbo_selector_set_pool first"},
    {"append at least one evaluation first",
     "append at least one first, with carbo_selector_append_rows or carbo_selector_append_points"},
};

constexpr Name optimizer_names[] = {
    {"cost.model is automatic", "cost.model is CARBO_COST_AUTOMATIC"},
    {"cost.model is log_gp", "cost.model is CARBO_COST_LOG_GP"},
    {"cost.model is linear_mean_gp", "cost.model is CARBO_COST_LINEAR_MEAN_GP"},
    {"cost.model is linear", "cost.model is CARBO_COST_LINEAR"},
    {"cost.model is known", "cost.model is CARBO_COST_KNOWN"},
    {"use known or automatic", "use CARBO_COST_KNOWN or CARBO_COST_AUTOMATIC"},
    {"such as carbo::work(\"epochs\")", "with their number in cost.feature_count"},
    {"give the channels of every convolution, or an MlpShape", "give the channels of every convolution, or cost.mlp"},
    {"MlpShape.", "cost.mlp."},
    {"CnnShape.", "cost.cnn."},
    {"cost.weight is moment", "cost.weight is CARBO_COST_MOMENT"},
    {"give median or mean", "give CARBO_COST_MEDIAN or CARBO_COST_MEAN"},
    {"initial_design is points", "initial_design is CARBO_DESIGN_POINTS"},
    {"initial_design is not points", "initial_design is not CARBO_DESIGN_POINTS"},
    {"candidates.source is enumeration", "candidates.source is CARBO_CANDIDATES_ENUMERATION"},
    {"CandidateSource::sobol or automatic", "CARBO_CANDIDATES_SOBOL or CARBO_CANDIDATES_AUTOMATIC"},
    {"CandidateSource::sobol", "CARBO_CANDIDATES_SOBOL"},
    {"batches is fill", "batches is CARBO_BATCHES_FILL"},
    {"batches is top_up", "batches is CARBO_BATCHES_TOP_UP"},
    {"Batches::fixed", "CARBO_BATCHES_FIXED"},
    {"execution is asynchronous", "execution is CARBO_ASYNCHRONOUS"},
    {"Execution::synchronous", "CARBO_SYNCHRONOUS"},
    {"Accounting::sum", "CARBO_ACCOUNTING_SUM"},
    {"Accounting::longest", "CARBO_ACCOUNTING_LONGEST"},
    {"Origin::this_run", "CARBO_THIS_RUN"},
    {"Origin::prior", "CARBO_PRIOR"},
    {"Transform::none", "CARBO_TRANSFORM_NONE"},
    {"Transform::rank", "CARBO_TRANSFORM_RANK"},
    {"choose BackendKind::cpu or automatic", "choose CARBO_BACKEND_CPU or CARBO_BACKEND_AUTOMATIC"},
    {"BackendKind::cuda", "CARBO_BACKEND_CUDA"},
    {"report the evaluation with fail", "report the evaluation with carbo_optimizer_fail"},
    {"tell ids that ask returned, or tell the configuration itself",
     "tell ids that carbo_optimizer_ask wrote, or the configuration with carbo_optimizer_tell_observation"},
    {"tell_prior the objective alone", "tell a cost of NaN"},
    {"give them again in RestoreOptions", "give them again in carbo_restore_options"},
    {"RestoreOptions::constraints", "constraints"},
    {"RestoreOptions::quantities", "quantities"},
    {"RestoreOptions::pool", "pool"},
};

std::span<const Name> names_of(Face face) {
  return face == Face::selector ? std::span<const Name>(selector_names) : std::span<const Name>(optimizer_names);
}

bool in_a_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Whether `name` stands at `start` as a word of its own.
bool stands_at(std::string_view message, std::size_t start, std::string_view name) {
  if (!message.substr(start).starts_with(name)) return false;
  const std::size_t end = start + name.size();
  const bool begins = start == 0 || !(in_a_word(message[start - 1]) || message[start - 1] == '.');
  const bool ends = end == message.size() || !in_a_word(name.back()) || !in_a_word(message[end]);
  return begins && ends;
}

/// Past the closing quote of what a double quote at `start` opens; `start` where it opens nothing: a character that
/// is spoken of ('"'), or one that is never closed.
std::size_t end_of_quoted(std::string_view message, std::size_t start) {
  if (message[start] != '"' || message.substr(0, start).ends_with('\'')) return start;
  for (std::size_t i = start + 1; i < message.size(); ++i) {
    if (message[i] == '"') return i + 1;
    if (message[i] == '\\') ++i;
  }
  return start;
}

}  // namespace

Face face_of(std::string_view function) {
  return function.starts_with("carbo_optimizer") ? Face::optimizer : Face::selector;
}

std::string in_c_names(std::string_view message, Face face) {
  const std::span<const Name> names = names_of(face);
  std::string translated;
  for (std::size_t i = 0; i < message.size();) {
    if (const std::size_t end = end_of_quoted(message, i); end > i) {
      translated += message.substr(i, end - i);
      i = end;
      continue;
    }
    auto name = names.begin();
    while (name != names.end() && !stands_at(message, i, name->first)) ++name;
    if (name == names.end()) {
      translated += message[i++];
    } else {
      translated += name->second;
      i += name->first.size();
    }
  }
  return translated;
}

std::string_view without_call(std::string_view function, std::string_view message) {
  const std::size_t end = message.find(": ");
  if (end == std::string_view::npos) return message;
  const std::string_view call = message.substr(0, end);
  const bool own = function.ends_with(call) && function.size() > end && function[function.size() - end - 1] == '_';
  return own ? message.substr(end + 2) : message;
}

}  // namespace carbo::internal::c
