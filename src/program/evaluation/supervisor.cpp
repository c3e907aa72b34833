#include "program/evaluation/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "program/evaluation/descendants.hpp"
#include "support/stopwatch.hpp"

namespace carbo::program {
namespace {

using internal::steady_seconds;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double settling = 0.25;  // seconds in which what writes a program's last output may end by itself
constexpr double kill_interval = 0.02;
constexpr double kill_patience = 10;  // seconds after which a process that does not end at SIGKILL is left
constexpr double longest_grace_of_survivors = 1;

struct Fault {
  std::int32_t stage;
  std::int32_t error;
};

void default_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGCHLD}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Launch& launch, const LaunchFiles& files, int faults) {
  const auto fail = [faults](Ended::Stage stage) {
    const Fault fault{stage, errno};
    [[maybe_unused]] const ssize_t written = ::write(faults, &fault, sizeof fault);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // of the supervisor, which nothing but SIGKILL ends
  default_signals();
  if (!launch.processors.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : launch.processors) CPU_SET(static_cast<std::size_t>(processor), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) fail(Ended::processors);
  }
  ::dup2(files.input.get(), STDIN_FILENO);
  ::dup2(files.output.get(), STDOUT_FILENO);
  ::dup2(files.errors.get(), STDERR_FILENO);
  if (!launch.directory.empty() && ::chdir(launch.directory.c_str()) != 0) fail(Ended::directory);
  for (const auto& [name, value] : launch.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : launch.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  fail(Ended::program);
  ::_exit(127);
}

class Supervision {
 public:
  Supervision(const Launch& launch, Descriptor control) : launch_(launch), control_(std::move(control)) {}

  void run(LaunchFiles files) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    const Descriptor children(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    began_ = steady_seconds();
    if (start(files)) {
      for (Descriptor* const file : {&files.input, &files.output, &files.errors}) file->close();
      while (!reap()) wait(children.get());
    }
    tell();
  }

 private:
  bool start(const LaunchFiles& files) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return cannot(Ended::no_process, errno);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    leader_ = ::fork();
    if (leader_ < 0) return cannot(Ended::no_process, errno);
    if (leader_ == 0) become(launch_, files, writing.get());
    ::setpgid(leader_, leader_);  // here as well: whoever comes first
    writing.close();
    Fault fault{};
    if (::read(reading.get(), &fault, sizeof fault) == static_cast<ssize_t>(sizeof fault))
      cannot(static_cast<Ended::Stage>(fault.stage), fault.error);
    return true;
  }

  bool cannot(Ended::Stage stage, int error) {
    ended_.stage = stage;
    ended_.error = error;
    return false;
  }

  /// True when no process is left, or none that can be ended.
  bool reap() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) return true;
      if (pid == 0) break;
      if (pid == leader_) leader_ended(status);
    }
    const double now = steady_seconds();
    if (now >= terminate_at_) terminate(now);
    if (now >= kill_at_) {
      kill_from_ = std::min(kill_from_, now);
      for (const pid_t pid : descendants(::getpid())) ::kill(pid, SIGKILL);
      kill_at_ = now + kill_interval;
      if (now > kill_from_ + kill_patience) {
        ended_.unstoppable = static_cast<std::int32_t>(descendants(::getpid()).size());
        return true;
      }
    }
    return false;
  }

  void leader_ended(int status) {
    ended_.status = status;
    ended_.wall_seconds = steady_seconds() - began_;
    leader_alive_ = false;
    if (kill_at_ == never) terminate_at_ = steady_seconds() + settling;
  }

  void terminate(double now) {
    terminate_at_ = never;
    const std::vector<pid_t> left = descendants(::getpid());
    if (!leader_alive_) ended_.outlived = static_cast<std::int32_t>(left.size());
    for (const pid_t pid : left) ::kill(pid, SIGTERM);
    const double grace = leader_alive_ ? launch_.grace : std::min(launch_.grace, longest_grace_of_survivors);
    kill_at_ = std::min(kill_at_, now + grace);
  }

  void wait(int children) {
    const double until = std::min(terminate_at_, kill_at_) - steady_seconds();
    const int milliseconds = until == never ? -1 : static_cast<int>(std::ceil(std::max(0.0, until) * 1000));
    pollfd fds[2] = {{children, POLLIN, 0}, {control_open_ ? control_.get() : -1, POLLIN, 0}};
    if (::poll(fds, 2, milliseconds) <= 0) return;
    signalfd_siginfo seen[16];
    if (fds[0].revents != 0) {
      while (::read(children, seen, sizeof seen) > 0) {
      }
    }
    if (fds[1].revents != 0) obey();
  }

  void obey() {
    char order = end_now;
    if (::recv(control_.get(), &order, 1, MSG_DONTWAIT) <= 0) {
      order = end_now;  // the runner is no more
      control_open_ = false;
    }
    if (order == end_gently && leader_alive_)
      terminate(steady_seconds());
    else if (order == end_now)
      kill_at_ = steady_seconds();
  }

  void tell() {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    ended_.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    ended_.peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
    [[maybe_unused]] const ssize_t sent = ::send(control_.get(), &ended_, sizeof ended_, MSG_NOSIGNAL);
  }

  const Launch& launch_;
  Descriptor control_;
  bool control_open_ = true;
  Ended ended_;
  pid_t leader_ = 0;
  bool leader_alive_ = true;
  double began_ = 0;
  double terminate_at_ = never;
  double kill_at_ = never;
  double kill_from_ = never;
};

}  // namespace

void supervise(const Launch& launch, LaunchFiles files, Descriptor control) {
  const Descriptor folder = std::move(files.folder);  // its lock is held until nothing is left
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
  Supervision(launch, std::move(control)).run(std::move(files));
  ::_exit(0);
}

}  // namespace carbo::program
