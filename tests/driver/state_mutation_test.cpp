#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "driver/dice.hpp"
#include "driver/resumed_study.hpp"
#include "support/sanitized.hpp"

// Any text is an InvalidState (or another typed error) or a study that can be used: never a crash, and no more time
// or memory than the text is worth. CARBO_STATE_MUTATIONS is the number of mutations.
namespace carbo::test {
namespace {

std::size_t mutations() {
  const char* const given = std::getenv("CARBO_STATE_MUTATIONS");
  return given == nullptr ? (sanitized ? 1000 : 3000) : std::strtoull(given, nullptr, 10);
}

/// States of every kind of model: a subset, robust costs with timeouts, a trend with a GP, streams and pools.
std::vector<std::string> some_states() {
  const Space space{real("x", 0.0, 1.0), categorical("colour", {"red", "green"})};
  std::vector<std::string> states;
  for (int kind = 0; kind < 4; ++kind) {
    Options options{.budget = 50.0, .batch_size = 2, .seed = 5};
    options.candidates.count = 24;
    options.fantasies.count = 2;
    options.surrogate.restarts = options.cost.surrogate.restarts = 1;
    options.backend = {.kind = BackendKind::cpu, .threads = 1, .memory_bytes = std::size_t{1} << 28};
    options.design.budget_share = 0.05;
    if (kind == 1) options.surrogate.max_points = options.cost.surrogate.max_points = 64;
    if (kind == 2) options.cost.robust = true;
    if (kind >= 2) options.cost.features = {feature("x"), work("1 + x")};
    if (kind == 3) {
      options.candidates.pool = std::make_shared<const Pool>(
          space, std::vector<double>{0.1, 0, 0.2, 1, 0.3, 0, 0.4, 1, 0.5, 0, 0.6, 1, 0.7, 0, 0.8, 1, 0.9, 0}, 9);
      options.execution = Execution::asynchronous;
    }
    ResumedStudy study(space, options, {}, static_cast<std::uint64_t>(kind));
    study.tell_prior(kind == 1 ? 70 : kind == 3 ? 0 : 9);
    study.run(kind == 1 ? 4 : 10);
    states.push_back(study.resumed().save());
  }
  return states;
}

/// What a hand, a disk or a tool may do to a text.
std::string mutated(Dice& dice, std::string text) {
  const std::size_t changes = dice.between(1, 3);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = dice.below(text.size());
    const std::size_t length = std::min(text.size() - at, dice.between(1, 12));
    switch (dice.below(6)) {
      case 0:
        text[at] = static_cast<char>(dice.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(dice.below(text.size()), length));
        break;
      case 3: {  // a digit
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + dice.below(10));
        break;
      }
      default: {  // a whole number or value
        const std::size_t first = text.find_first_of("0123456789", at);
        if (first == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789.e+-", first), text.size());
        text.replace(first, end - first,
                     dice.one_of({"0",
                                  "1",
                                  "-1",
                                  "2",
                                  "1e308",
                                  "-1e-308",
                                  "5e-324",
                                  "18446744073709551615",
                                  "4294967296",
                                  "1000000000000",
                                  "0.5",
                                  "null",
                                  "true",
                                  "[]",
                                  "{}",
                                  "\"NaN\"",
                                  "\"Infinity\"",
                                  "\"-Infinity\"",
                                  "\"\"",
                                  "[0]"}));
      }
    }
  }
  return text;
}

/// Whether an `ask` is quick: a state may say that there are billions of candidates, and be one.
bool small(const Optimizer& optimizer) {
  const Options& options = optimizer.options();
  return optimizer.memory_plan().candidates <= 1000 && options.fantasies.count <= 16 && options.batch_size <= 16 &&
         options.surrogate.restarts <= 4 && options.cost.surrogate.restarts <= 4;
}

struct Outcomes {
  std::size_t refused = 0, taken = 0, asked = 0;
};

void check(const std::string& text, Outcomes& outcomes) {
  RestoreOptions given;
  given.backend = BackendOptions{.kind = BackendKind::cpu, .threads = 1};
  try {
    Optimizer optimizer = Optimizer::restore(text, given);
    ++outcomes.taken;
    const std::string again = optimizer.save();
    const bool clock = optimizer.accounting() == Accounting::wall_clock;  // which goes on
    const std::string same = Optimizer::restore(again, given).save();
    if (!clock) {
      EXPECT_EQ(same, again);
    }
    optimizer.warnings();
    optimizer.best();
    if (!small(optimizer)) return;
    ++outcomes.asked;
    for (const Suggestion& one : optimizer.ask(1)) optimizer.tell(one.id, {1.0, 1.0});
  } catch (const Error&) {
    ++outcomes.refused;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "no error of ours: " << error.what() << "\n" << text;
  }
}

TEST(StateText, MutationsAreRefusedOrAreStudies) {
  const std::vector<std::string> states = some_states();
  Dice dice(11);
  Outcomes outcomes;
  for (std::size_t i = 0; i < mutations() && !testing::Test::HasFailure(); ++i)
    check(mutated(dice, states[i % states.size()]), outcomes);
  std::printf("%zu taken (%zu asked), %zu errors\n", outcomes.taken, outcomes.asked, outcomes.refused);
  EXPECT_GT(outcomes.taken, mutations() / 100);
  EXPECT_GT(outcomes.asked, mutations() / 200);
}

TEST(StateText, EveryTruncationIsRefused) {
  const Space space{real("x", 0.0, 1.0)};
  Options options{.budget = 50.0};
  options.candidates.count = 24;
  options.backend = {.kind = BackendKind::cpu, .threads = 1, .memory_bytes = std::size_t{1} << 28};
  Optimizer optimizer(space, options);
  for (int i = 0; i < 3; ++i)
    for (const Suggestion& one : optimizer.ask(1)) optimizer.tell(one.id, {1.0 * i, 1.0});
  optimizer.ask(1);
  std::vector<std::string> states = {optimizer.save()};
  if (mutations() > 3000)
    for (std::string& one : some_states()) states.push_back(std::move(one));
  for (const std::string& state : states) {
    const std::size_t end = state.find_last_of('}');
    for (std::size_t length = 0; length <= end; ++length)
      ASSERT_THROW(Optimizer::restore(state.substr(0, length)), InvalidState) << length;
    EXPECT_NO_THROW(Optimizer::restore(state.substr(0, end + 1)));
  }
}

}  // namespace
}  // namespace carbo::test
