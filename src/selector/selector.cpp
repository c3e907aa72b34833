#include <carbo/selector.hpp>

#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "acquisition/ei_cool.hpp"
#include "selector/selector_state.hpp"
#include "support/calls.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

/// Runs `call` on the state behind a selector.
template <class State, class Call>
decltype(auto) in_turn(State* state, const Call& call) {
  return internal::in_turn(state, "selector", call);
}

}  // namespace

Selector::Selector(SelectorOptions options, const DeviceResources& resources)
    : state_(
          internal::with_typed_exhaustion([&] { return std::make_unique<State>(std::move(options), resources); })) {}
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

void Selector::set_pool(const SelectorPool& pool) {
  in_turn(state_.get(), [&](State& state) { state.set_pool(pool); });
}

void Selector::append(const Observations& observations) {
  in_turn(state_.get(), [&](State& state) { state.append(observations); });
}

SelectorFit Selector::fit() {
  return in_turn(state_.get(), [](State& state) { return state.fit(); });
}

std::size_t Selector::suggest(const PickRequest& request, const PickOutput& output) {
  return in_turn(state_.get(), [&](State& state) { return state.suggest(request, output); });
}

std::size_t Selector::design(const PickRequest& request, const PickOutput& output) {
  return in_turn(state_.get(), [&](State& state) { return state.design(request, output); });
}

void Selector::scores(const PickRequest& request, const MutableVectorRef& output) {
  in_turn(state_.get(), [&](State& state) { state.scores(request, output); });
}

OwnedVector Selector::scores(const PickRequest& request, Scalar scalar) {
  return in_turn(state_.get(), [&](State& state) { return state.scores(request, scalar); });
}

void Selector::withdraw(const IndexRef& rows) {
  in_turn(state_.get(), [&](State& state) { state.withdraw(rows); });
}

std::size_t Selector::pool_size() const {
  return in_turn(state_.get(), [](const State& state) { return state.pool_size(); });
}

std::size_t Selector::available() const {
  return in_turn(state_.get(), [](const State& state) { return state.available(); });
}

std::size_t Selector::running() const {
  return in_turn(state_.get(), [](const State& state) { return state.running(); });
}

std::size_t Selector::observations() const {
  return in_turn(state_.get(), [](const State& state) { return state.observations(); });
}

bool Selector::on_device() const {
  return in_turn(state_.get(), [](const State& state) { return state.on_device(); });
}

const std::string& Selector::backend_reason() const {
  return in_turn(state_.get(), [](const State& state) -> const std::string& { return state.backend_reason(); });
}

double cooling_exponent(double budget, double spent, double spent_at_design_end) {
  const std::pair<const char*, double> given[] = {
      {"budget", budget}, {"spent", spent}, {"spent_at_design_end", spent_at_design_end}};
  for (const auto& [name, value] : given)
    if (!std::isfinite(value)) throw InvalidOptions(internal::text(name, " is ", value, "; give a finite number"));
  return kernels::EiCool::cooled(budget, spent, spent_at_design_end);
}

}  // namespace carbo
