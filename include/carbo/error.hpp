#pragma once

#include <carbo/language.hpp>

#include <stdexcept>
#include <string>

namespace carbo {

/// Base of every error that Carbo throws. The message says what was wrong, where, and what would be right.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A parameter or a space that cannot be searched (bounds, names, categories, constraints).
class InvalidSpace : public Error {
  using Error::Error;
};

/// A setting outside its valid range, or two settings that contradict each other.
class InvalidOptions : public Error {
  using Error::Error;
};

/// A caller's pool whose shape or values do not fit the space.
class InvalidPool : public Error {
  using Error::Error;
};

/// A configuration that does not belong to the space: missing, unknown or out-of-range values.
class InvalidConfiguration : public Error {
  using Error::Error;
};

/// A result that cannot be learned from: non-finite objective, non-positive cost. Nothing was recorded.
class InvalidObservation : public Error {
  using Error::Error;
};

/// A suggestion id that was never given out, or whose result is already known. Nothing was recorded.
class UnknownSuggestion : public Error {
  using Error::Error;
};

/// A text (JSON) that is no state or no part of one: cut short, changed, of a newer version, or in need of something
/// that was not given again. The message has the place as a JSON pointer.
class InvalidState : public Error {
  using Error::Error;
};

/// A matrix that stayed indefinite at the largest jitter. All observations are kept.
class NumericalError : public Error {
  using Error::Error;
};

/// The backend that was asked for cannot run here; the message names the reason.
class BackendUnavailable : public Error {
  using Error::Error;
};

/// Memory that was needed is not there, on the host, on the device or within the budget of bytes. Nothing observed is
/// lost.
class OutOfMemory : public Error {
  using Error::Error;
};

/// A call to the device or its libraries failed; the message names the call. Nothing observed is lost.
class DeviceError : public Error {
  using Error::Error;
};

/// An array of the caller's that cannot be used as it is. Nothing of it was taken.
class InvalidArray : public Error {
 public:
  enum class Reason {
    null_pointer,
    not_device_memory,
    not_host_memory,
    other_device,
    misaligned,
    overlapping,        ///< with itself, or with another array of the call or the pool
    leading_dimension,  ///< too small
    shape,              ///< no rows, sizes that do not fit, too little room
    not_finite,         ///< NaN or infinity
    out_of_range,  ///< a coordinate outside [0, 1], a cost that is not above 0, a row that the pool does not have
  };
  InvalidArray(Reason reason, const std::string& message) : Error(message), reason_(reason) {}
  Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

/// A call while another thread's call on the same object has not returned. The other call is not disturbed.
class ConcurrentCall : public Error {
  using Error::Error;
};

/// The file of a durable study cannot be used: missing, read-only, no study, damaged, of a newer version, the disk
/// full. The call wrote nothing; what was acknowledged before is as safe as the file.
class StorageError : public Error {
  using Error::Error;
};

/// Another process held the study for longer than StudyOptions::busy_wait. Nothing was written; the call can be made
/// again.
class StudyBusy : public Error {
  using Error::Error;
};

/// A study of that name is there with a space or options that cannot go on as those given; the message lists what
/// differs.
class IncompatibleStudy : public Error {
  using Error::Error;
};

/// The file has no study of that name, or several where none was named; the message lists those that it has.
class UnknownStudy : public Error {
  using Error::Error;
};

/// Thrown *by an objective function* to say that an evaluation failed and what it cost.
class EvaluationFailed : public std::runtime_error {
 public:
  EvaluationFailed(double cost, const std::string& reason, bool timed_out = false)
      : std::runtime_error(reason), cost_(cost), timed_out_(timed_out) {}

  /// In the unit of the budget, above 0.
  double cost() const { return cost_; }
  /// True where the evaluation was cut off: its full cost is at least `cost()`.
  bool timed_out() const { return timed_out_; }

 private:
  double cost_;
  bool timed_out_;
};

/// Thrown *by an objective function* to say that an evaluation was broken off before it had a result, at the end of a
/// run: nothing is recorded. A study keeps it pending, and whoever goes on makes it again; in memory it is taken
/// back.
class EvaluationInterrupted : public std::runtime_error {
 public:
  EvaluationInterrupted() : std::runtime_error("interrupted") {}
};

}  // namespace carbo
