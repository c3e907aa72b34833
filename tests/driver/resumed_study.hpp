#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <carbo/carbo.hpp>

#include "driver/dice.hpp"
#include "driver/random_study.hpp"

namespace carbo::test {

/// A study that runs twice, side by side: straight through, and from state to state, restored before every call. What
/// both suggest must be the same to the bit, receipts included but for times and the words for the backend.
class ResumedStudy {
 public:
  ResumedStudy(const Space& space, const Options& options, RestoreOptions given, std::uint64_t seed);

  void tell_prior(std::size_t count);
  void ask(std::size_t count);
  void rank(std::size_t count);
  /// Tells, fails, cuts off or takes back one that is pending.
  void resolve();
  /// So many random calls, fewer where it is over.
  void run(std::size_t calls);

  std::size_t restores() const { return restores_; }
  std::size_t searched() const { return searched_; }
  const Optimizer& resumed() const { return resumed_; }

 private:
  /// `call` on both, and whether it is the same text.
  void both(const std::function<std::string(Optimizer&)>& call);
  void restore();

  Options options_;
  RestoreOptions given_;
  Dice dice_;
  Optimizer straight_, resumed_;
  std::size_t restores_ = 0, searched_ = 0;
};

}  // namespace carbo::test
