#pragma once

#include <sys/types.h>

#include <mutex>

#include "program/evaluation/descriptor.hpp"
#include "program/evaluation/supervisor.hpp"

namespace carbo::program {

/// A small process, forked before the runner has threads and models, that makes a supervisor for each evaluation:
/// forking it is quick whatever the runner's size, and its memory is not counted as the evaluation's. It ends with
/// the runner, however that ends, and every evaluation with it. May be used from several threads.
class Spawner {
 public:
  /// Throws Error where no process can be made.
  Spawner();
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Has a program started; what it is told and how it ended (Ended) go through the socket that is returned. Throws
  /// Error where the spawner is gone.
  Descriptor start(const Launch& launch, const LaunchFiles& files);
  pid_t process() const { return process_; }

 private:
  std::mutex mutex_;
  Descriptor requests_;
  pid_t process_ = 0;
};

}  // namespace carbo::program
