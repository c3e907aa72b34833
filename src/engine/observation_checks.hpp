#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <carbo/optimizer.hpp>

namespace carbo::internal {

/// What a message is about: a suggestion, or a configuration of the caller's.
class Subject {
 public:
  explicit Subject(std::uint64_t suggestion) : of_(suggestion) {}
  explicit Subject(const Configuration& configuration) : of_(&configuration) {}

  /// Made only where something is wrong: telling what is right takes no memory.
  std::string words() const;

 private:
  std::variant<std::uint64_t, const Configuration*> of_;
};

// All throw InvalidObservation.
void check_objective(double objective, Transform transform, const Subject& subject);
/// Of a success.
void check_cost(double cost, const Subject& subject);
void check_failure_cost(double cost, bool timed_out, const Subject& subject);
/// What is not suggested; the cost of prior data may be NaN, which is not known.
void check_told(const Observation& told, Transform transform);

}  // namespace carbo::internal
