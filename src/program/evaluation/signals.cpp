#include "program/evaluation/signals.hpp"

#include <signal.h>

namespace carbo::program {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  thread_ = std::jthread([this](const std::stop_token& over) { listen(over); });
}

Signals::~Signals() {
  thread_.request_stop();
  thread_.join();
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::listen(const std::stop_token& over) {
  const sigset_t set = watched();
  const timespec while_nothing_comes{0, 50'000'000};
  while (!over.stop_requested()) {
    const int signal = ::sigtimedwait(&set, nullptr, &while_nothing_comes);
    if (signal <= 0) continue;
    if (first_ == 0) {
      first_ = signal;
      drain_.request_stop();
    } else {
      stop_.request_stop();
    }
  }
}

}  // namespace carbo::program
