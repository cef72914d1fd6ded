#include "operator/os/running_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

extern char** environ;

namespace ballast::os {
namespace {

constexpr std::size_t kMaxErrors = 64 * 1024;
constexpr std::size_t kPiece = 64 * 1024;  // as much as a pipe holds

// The two ends of a pipe, or of a pair of sockets, to which can be written without a SIGPIPE; the
// destructor closes those still open.
class Pipe {
 public:
  enum class Of { kPipe, kSockets };
  explicit Pipe(Of kind) {
    if ((kind == Of::kPipe ? pipe2(ends_, O_CLOEXEC)
                           : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_)) != 0) {
      ends_[0] = ends_[1] = -1;
    }
  }
  ~Pipe() {
    CloseWriter();
    if (ends_[0] >= 0) {
      close(ends_[0]);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // Who closes that end now.
  int TakeReader() { return std::exchange(ends_[0], -1); }
  int TakeWriter() { return std::exchange(ends_[1], -1); }
  void CloseWriter() {
    if (ends_[1] >= 0) {
      close(ends_[1]);
      ends_[1] = -1;
    }
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }

 private:
  int ends_[2];
};

// argv or envp made of `texts`, which must outlive it.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Our environment, except for the variables that the program's own replace.
std::vector<std::string> Environment(const Program& program) {
  std::vector<std::string> all;
  for (const auto& [name, value] : program.env) {
    all.emplace_back(name).append("=").append(value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (std::none_of(program.env.begin(), program.env.end(),
                     [name](const auto& own) { return own.first == name; })) {
      all.emplace_back(text);
    }
  }
  return all;
}

// Input: -1: none of its own.
Result<pid_t> Spawn(const Program& program, int input, int output, int errors) {
  std::vector<std::string> words = program.args;
  words.insert(words.begin(), program.command);
  std::vector<std::string> environment = Environment(program);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  } else if (!program.interactive) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);  // a process group of its own, to be killed as a whole
  const int group = program.interactive ? 0 : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(
      &attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  pid_t pid = 0;
  const int problem = posix_spawnp(&pid, program.command.c_str(), &files, &attributes,
                                   Pointers(words).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) {
    return Error{problem == ENOENT ? Code::kNotFound : Code::kUnavailable,
                 std::string("cannot be run: ") + std::strerror(problem)};
  }
  return pid;
}

// Waits until there is something to read.
Status Await(int fd, RunningProgram::Timeout timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait{fd, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) {
      return Done{};
    }
    if (ready == 0) {
      return Error{Code::kTimeout, "did not end in time"};
    }
    if (errno != EINTR) {
      return Error{Code::kUnavailable, std::strerror(errno)};
    }
  }
}

void CloseIfOpen(int fd) {
  if (fd >= 0) {
    close(fd);
  }
}

int Reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<std::unique_ptr<RunningProgram>> RunningProgram::Start(const Program& program,
                                                              StandardError errors) {
  std::unique_ptr<RunningProgram> running(new RunningProgram);
  Pipe pipe(Pipe::Of::kPipe);
  Pipe input(Pipe::Of::kSockets);
  if (pipe.reader() < 0 || input.reader() < 0) {
    return Error{Code::kUnavailable, std::string("no pipe: ") + std::strerror(errno)};
  }
  int target = STDERR_FILENO;
  if (errors == StandardError::kKept) {
    target = running->errors_ = memfd_create("errors", MFD_CLOEXEC);
    if (target < 0) {
      return Error{Code::kUnavailable, std::string("no memory file: ") + std::strerror(errno)};
    }
  }
  ASSIGN_OR_RETURN(running->pid_,
                   Spawn(program, program.listens ? input.reader() : -1, pipe.writer(), target));
  running->in_our_group_ = program.interactive;
  running->output_ = pipe.TakeReader();
  if (program.listens) {
    running->input_ = input.TakeWriter();
  }
  return running;
}

RunningProgram::~RunningProgram() {
  if (pid_ != 0) {
    kill(in_our_group_ ? pid_ : -pid_, SIGKILL);
    Reap(pid_);
  }
  EndInput();
  CloseIfOpen(output_);
  CloseIfOpen(errors_);
}

Result<bool> RunningProgram::Read(Timeout timeout, std::string& output) {
  TRY(Await(output_, timeout));
  const std::size_t before = output.size();
  output.resize(before + kPiece);
  const ssize_t size = read(output_, output.data() + before, kPiece);
  output.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size < 0) {
    return Error{Code::kUnavailable, std::strerror(errno)};
  }
  return size > 0;
}

Result<std::optional<std::string>> RunningProgram::ReadLine(Timeout timeout, std::size_t max_size) {
  for (std::size_t searched = taken_;;) {
    const std::size_t end = lines_.find('\n', searched);
    if (end != std::string::npos) {
      const std::size_t begin = std::exchange(taken_, end + 1);
      return std::optional(lines_.substr(begin, end - begin));
    }
    lines_.erase(0, std::exchange(taken_, 0));
    if (lines_.size() > max_size) {
      return Error{Code::kInvalid,
                   "prints a line of more than " + std::to_string(max_size) + " bytes"};
    }
    searched = lines_.size();
    ASSIGN_OR_RETURN(const bool more, Read(timeout, lines_));
    if (!more) {
      std::string rest = std::exchange(lines_, {});
      return rest.empty() ? std::optional<std::string>() : std::optional(std::move(rest));
    }
  }
}

Status RunningProgram::Send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(input_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EINTR) {
      return Error{Code::kUnavailable, std::strerror(errno)};
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  return Done{};
}

void RunningProgram::EndInput() { CloseIfOpen(std::exchange(input_, -1)); }

Result<Ended> RunningProgram::AwaitEnd(Timeout timeout) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (handle < 0) {
    return Error{Code::kUnavailable, std::strerror(errno)};
  }
  const Status awaited = Await(handle, timeout);
  close(handle);
  TRY(awaited);
  const int status = Reap(std::exchange(pid_, 0));
  if (!WIFEXITED(status)) {
    return Error{Code::kUnavailable, "was ended by signal " + std::to_string(WTERMSIG(status))};
  }
  return Ended{WEXITSTATUS(status), "", Errors()};
}

std::string RunningProgram::Errors() const {
  if (errors_ < 0) {
    return "";
  }
  std::string errors(kMaxErrors, '\0');
  const ssize_t size = pread(errors_, errors.data(), kMaxErrors, 0);
  errors.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return errors;
}

}  // namespace ballast::os
