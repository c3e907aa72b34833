#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "driver/dice.hpp"
#include "driver/random_study.hpp"
#include "driver/shadow.hpp"

namespace carbo::test {

/// How often each kind of call was made.
struct Operations {
  std::uint64_t asks = 0, tells = 0, failures = 0, withdrawals = 0, ranks = 0, unsuggested = 0, refused = 0;
  std::uint64_t adopted = 0, enqueued = 0, knowledge = 0, restores = 0;
  std::uint64_t suggestions = 0, searched = 0;

  std::uint64_t all() const {
    return asks + tells + failures + withdrawals + ranks + unsuggested + refused + adopted + enqueued + knowledge +
           restores;
  }
  void add(const Operations& other);
};

/// One study of a random space with random settings, driven by random calls with one thread and with two at once.
/// What is wrong ends it and is thrown as a std::logic_error.
class RandomDriver {
 public:
  RandomDriver(std::uint64_t seed, const Extremes& extremes);

  /// At most so many calls; fewer where the study is over before.
  void run(std::size_t calls);
  const Operations& operations() const { return operations_; }

 private:
  void step();
  void ask(std::size_t count);
  /// That queues have no holes, and that what is queued is predicted to end inside the round.
  void check_round(const std::vector<Suggestion>& round, std::size_t workers) const;
  void check_suggestion(const Suggestion& suggestion, Phase phase_before) const;
  void check_receipt(const Receipt& receipt) const;
  void check_stop() const;
  void rank();
  void tell();
  void fail();
  void withdraw();
  void tell_unsuggested();
  void refused();
  void adopt();
  void enqueue();
  void check_queue(const std::vector<Suggestion>& batch, std::size_t count) const;
  /// What the models know.
  void know();
  /// A row of the pool, where there is one.
  Configuration some_candidate();
  /// One of the two goes on from its state.
  void restore();
  /// `call` on both: neither may throw, and what they return must be the same.
  template <class Call>
  auto both(const char* name, const Call& call);
  /// `call` on both: it must throw `Expected`, and change nothing.
  template <class Expected, class Call>
  void expect_refused(const char* name, const Call& call);
  void check_records(bool deeply) const;
  bool may_repeat(const Suggestion& one) const { return options_.candidates.allow_repeats || one.receipt.enqueued; }
  std::uint64_t some_pending();
  Configuration some_configuration();
  [[noreturn]] void give_up(const std::string& what) const;

  Dice dice_;
  Extremes extremes_;
  Space space_;
  Options options_;
  Optimizer alone_;    ///< with one thread
  Optimizer in_pair_;  ///< with two
  Shadow shadow_;
  Operations operations_;
};

template <class Expected, class Call>
void RandomDriver::expect_refused(const char* name, const Call& call) {
  ++operations_.refused;
  for (Optimizer* const optimizer : {&alone_, &in_pair_}) {
    try {
      call(*optimizer);
      give_up(std::string(name) + " was not refused");
    } catch (const Expected&) {
    }
  }
  check_records(true);
}

}  // namespace carbo::test
