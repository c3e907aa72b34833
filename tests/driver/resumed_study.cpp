#include "driver/resumed_study.hpp"

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace carbo::test {
namespace {

/// Without what may differ: times, and why the backend runs.
std::string text_of(Suggestion suggestion) {
  suggestion.receipt.seconds = {};
  suggestion.receipt.backend_reason.clear();
  return to_json(suggestion);
}

std::string text_of(const RankedCandidate& ranked) {
  char score[32];
  std::snprintf(score, sizeof score, " %a", ranked.log_score);
  return ranked.configuration.to_string() + score;
}

template <class T>
std::string text_of(const std::vector<T>& all) {
  std::string text;
  for (const T& one : all) text += text_of(one) + "\n";
  return text;
}

}  // namespace

ResumedStudy::ResumedStudy(const Space& space, const Options& options, RestoreOptions given, std::uint64_t seed)
    : options_(options), given_(std::move(given)), dice_(seed), straight_(space, options), resumed_(space, options) {}

void ResumedStudy::restore() {
  const std::string state = resumed_.save();
  resumed_ = Optimizer::restore(state, given_);
  if (resumed_.save() != state) throw std::logic_error("another state after a restore");
  ++restores_;
}

void ResumedStudy::both(const std::function<std::string(Optimizer&)>& call) {
  restore();
  const std::string expected = call(straight_), found = call(resumed_);
  if (found != expected) throw std::logic_error("not the same:\n" + expected + "--- and restored:\n" + found);
  const bool same = straight_.spent() == resumed_.spent() && straight_.stop_reason() == resumed_.stop_reason() &&
                    straight_.phase() == resumed_.phase() && straight_.pending() == resumed_.pending();
  if (!same) throw std::logic_error("another ledger, phase or reason to stop");
}

void ResumedStudy::tell_prior(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> unit(straight_.space().parameters().size()), numbers(unit.size());
    for (double& one : unit) one = dice_.uniform();
    straight_.space().from_unit(unit, numbers);
    const Configuration point = straight_.space().configuration(numbers);
    if (!straight_.space().allows(point)) continue;
    const Evaluation told = random_evaluation(dice_, options_, {});
    for (Optimizer* const one : {&straight_, &resumed_}) one->tell(point, told);
  }
}

void ResumedStudy::ask(std::size_t count) {
  both([&](Optimizer& one) {
    const std::vector<Suggestion> batch = one.ask(count);
    for (const Suggestion& suggestion : batch) searched_ += suggestion.receipt.phase == Phase::search ? 1 : 0;
    return text_of(batch);
  });
}

void ResumedStudy::rank(std::size_t count) {
  both([&](Optimizer& one) { return text_of(one.rank(count)); });
}

void ResumedStudy::resolve() {
  const std::vector<std::uint64_t> pending = straight_.pending();
  const std::uint64_t id = dice_.one_of(pending);
  const Evaluation told = random_evaluation(dice_, options_, {});
  const std::size_t roll = dice_.below(20);
  both([&](Optimizer& one) {
    if (roll < 14)
      one.tell(id, told);
    else if (roll < 16)
      one.fail(id, told.cost, "chance");
    else if (roll < 19)
      one.fail(id, told.cost, "slow", true);
    else
      one.withdraw(id);
    return std::to_string(id);
  });
}

void ResumedStudy::run(std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) {
    const bool waiting = !straight_.pending().empty();
    if (straight_.done() && !waiting) return;
    if (waiting && dice_.chance(0.6))
      resolve();
    else if (dice_.chance(0.1))
      rank(3);
    else
      ask(dice_.between(1, 3));
  }
}

}  // namespace carbo::test
