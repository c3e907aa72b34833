#include "program/evaluation/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <carbo/error.hpp>

#include "support/stopwatch.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::steady_seconds;

constexpr double look_interval = 0.1;  // seconds between two looks at what the runner wishes

struct Pipe {
  Descriptor reading, writing;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(internal::text("cannot make a pipe: ", std::strerror(errno)));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pipe;
}

/// Takes what is there; closes at the end.
void take(Descriptor& from, Output& into) {
  std::array<char, 65536> buffer;
  while (from.open()) {
    const ssize_t size = ::read(from.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return from.close();
    into.take({buffer.data(), static_cast<std::size_t>(size)});
    if (size < static_cast<ssize_t>(buffer.size())) return;
  }
}

class Watched {
 public:
  Watched(Descriptor control, Descriptor output, Descriptor errors)
      : control_(std::move(control)), pipes_{std::move(output), std::move(errors)} {}

  ProcessEnd run(std::array<Output*, 2> outputs, double deadline, const std::function<Wish()>& wish) {
    while (!over_) {
      look(deadline, wish);
      wait(deadline);
      for (std::size_t i = 0; i < 2; ++i) take(pipes_[i], *outputs[i]);
    }
    // Nobody writes any more: all that there is, is there.
    for (std::size_t i = 0; i < 2; ++i) {
      drain(pipes_[i], *outputs[i]);
      outputs[i]->finish();
    }
    return end_;
  }

 private:
  static void drain(Descriptor& from, Output& into) {
    std::size_t before = 0;
    do {
      before = into.bytes();
      take(from, into);
    } while (from.open() && into.bytes() != before);
  }

  void look(double deadline, const std::function<Wish()>& wish) {
    if (!end_.timed_out && !end_.stopped && steady_seconds() >= deadline) {
      end_.timed_out = true;
      send(end_gently);
    }
    const Wish wished = wish ? wish() : Wish::go_on;
    if (wished == Wish::go_on || wished == wished_) return;
    wished_ = wished;
    end_.stopped = !end_.timed_out;
    send(wished == Wish::end_gently ? end_gently : end_now);
  }

  void send(char order) {
    [[maybe_unused]] const ssize_t sent = ::send(control_.get(), &order, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void wait(double deadline) {
    const double left = end_.timed_out ? look_interval : std::max(0.0, deadline - steady_seconds());
    pollfd fds[3] = {{control_.get(), POLLIN, 0}, {pipes_[0].get(), POLLIN, 0}, {pipes_[1].get(), POLLIN, 0}};
    if (::poll(fds, 3, static_cast<int>(std::ceil(std::min(left, look_interval) * 1000))) <= 0) return;
    if (fds[0].revents == 0) return;
    over_ = true;
    end_.lost = ::recv(control_.get(), &end_.ended, sizeof end_.ended, 0) != static_cast<ssize_t>(sizeof end_.ended);
    if (end_.lost) end_.ended = {};
  }

  Descriptor control_;
  std::array<Descriptor, 2> pipes_;
  ProcessEnd end_;
  Wish wished_ = Wish::go_on;
  bool over_ = false;
};

}  // namespace

ProcessEnd run_process(Spawner& spawner, const Launch& launch, Descriptor input, Descriptor folder, Output& output,
                       Output& errors, double deadline, const std::function<Wish()>& wish) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  LaunchFiles files{std::move(input), std::move(out.writing), std::move(err.writing), std::move(folder)};
  Descriptor control = spawner.start(launch, files);
  files = {};
  // Where an output throws, the socket is closed on the way out, and the supervisor ends everything.
  return Watched(std::move(control), std::move(out.reading), std::move(err.reading))
      .run({&output, &errors}, deadline, wish);
}

}  // namespace carbo::program
