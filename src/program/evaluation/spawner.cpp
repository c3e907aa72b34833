#include "program/evaluation/spawner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t passed_files = 5;  // control, input, output, errors, folder

[[noreturn]] void refuse(const char* what) { throw Error(internal::text(what, ": ", std::strerror(errno))); }

/// A launch as bytes: every text is its length and itself.
class Packet {
 public:
  Packet() = default;
  explicit Packet(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }

  void put(std::uint32_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  std::uint32_t number() {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  std::string words() {
    const std::uint32_t size = number();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

Packet packed(const Launch& launch) {
  Packet packet;
  packet.put(static_cast<std::uint32_t>(launch.arguments.size()));
  for (const std::string& argument : launch.arguments) packet.put(argument);
  packet.put(static_cast<std::uint32_t>(launch.environment.size()));
  for (const auto& [name, value] : launch.environment) {
    packet.put(name);
    packet.put(value);
  }
  packet.put(launch.directory);
  packet.put(static_cast<std::uint32_t>(launch.processors.size()));
  for (const int processor : launch.processors) packet.put(static_cast<std::uint32_t>(processor));
  packet.put(static_cast<std::uint32_t>(launch.grace * 1000));
  return packet;
}

Launch unpacked(Packet packet) {
  Launch launch;
  for (std::uint32_t left = packet.number(); left > 0; --left) launch.arguments.push_back(packet.words());
  for (std::uint32_t left = packet.number(); left > 0; --left) {
    std::string name = packet.words();
    launch.environment[std::move(name)] = packet.words();
  }
  launch.directory = packet.words();
  for (std::uint32_t left = packet.number(); left > 0; --left)
    launch.processors.push_back(static_cast<int>(packet.number()));
  launch.grace = packet.number() / 1000.0;
  return launch;
}

/// A message of one number with room for the files that go with it.
struct FileMessage {
  std::uint64_t size = 0;
  iovec part{&size, sizeof size};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int) * passed_files)] = {};
  msghdr message{};

  FileMessage() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }
  FileMessage(const FileMessage&) = delete;
  FileMessage& operator=(const FileMessage&) = delete;
};

/// The size of the launch, with the files, and then the launch.
bool send_launch(int socket, const std::string& bytes, const std::array<int, passed_files>& files) {
  FileMessage first;
  first.size = bytes.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&first.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * passed_files);
  std::memcpy(CMSG_DATA(header), files.data(), sizeof(int) * passed_files);
  if (::sendmsg(socket, &first.message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof first.size)) return false;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += static_cast<std::size_t>(sent);
  }
  return true;
}

/// False when the runner is gone.
bool receive_launch(int socket, std::string& bytes, std::array<int, passed_files>& files) {
  FileMessage first;
  ssize_t got = 0;
  while ((got = ::recvmsg(socket, &first.message, MSG_CMSG_CLOEXEC | MSG_WAITALL)) < 0 && errno == EINTR) {
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&first.message);
  if (got != static_cast<ssize_t>(sizeof first.size) || header == nullptr) return false;
  std::memcpy(files.data(), CMSG_DATA(header), sizeof(int) * passed_files);
  bytes.resize(first.size);
  for (std::size_t at = 0; at < bytes.size();) {
    got = ::recv(socket, bytes.data() + at, bytes.size() - at, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

/// Until the runner closes its end. Out of the runner's session: what its terminal sends does not come here.
[[noreturn]] void serve(int socket) {
  ::setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // supervisors are seen off by the kernel
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  std::string bytes;
  std::array<int, passed_files> fds{};
  while (receive_launch(socket, bytes, fds)) {
    LaunchFiles files{Descriptor(fds[1]), Descriptor(fds[2]), Descriptor(fds[3]), Descriptor(fds[4])};
    Descriptor control(fds[0]);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(socket);
      supervise(unpacked(Packet(bytes)), std::move(files), std::move(control));
    }
    if (child > 0) continue;
    Ended ended;
    ended.stage = Ended::no_process;
    ended.error = errno;
    [[maybe_unused]] const ssize_t sent = ::send(control.get(), &ended, sizeof ended, MSG_NOSIGNAL);
  }
  ::_exit(0);
}

}  // namespace

Spawner::Spawner() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse("cannot make a socket");
  requests_ = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  process_ = ::fork();
  if (process_ < 0) refuse("cannot make the process that starts evaluations");
  if (process_ == 0) {
    requests_.close();
    serve(other.get());
  }
}

Spawner::~Spawner() {
  requests_.close();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

Descriptor Spawner::start(const Launch& launch, const LaunchFiles& files) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) refuse("cannot make a socket");
  Descriptor own(ends[0]);
  const Descriptor theirs(ends[1]);
  const Packet packet = packed(launch);
  const std::lock_guard lock(mutex_);
  if (!send_launch(requests_.get(), packet.bytes(),
                   {theirs.get(), files.input.get(), files.output.get(), files.errors.get(), files.folder.get()}))
    refuse("the process that starts evaluations has ended");
  return own;
}

}  // namespace carbo::program
