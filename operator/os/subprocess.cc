#include "operator/os/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
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

constexpr std::size_t kMaxOutput = 1024 * 1024;
constexpr std::size_t kMaxErrors = 64 * 1024;

// The two ends of a pipe; the destructor closes those still open.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) {
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

Result<pid_t> Start(const Program& program, int output, int errors) {
  std::vector<std::string> words = program.args;
  words.insert(words.begin(), program.command);
  std::vector<std::string> environment = Environment(program);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!program.interactive) {
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

using Deadline = std::chrono::steady_clock::time_point;

// Waits until there is something to read.
Status Await(int fd, Deadline deadline) {
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

// Reads until the other end is closed.
Status ReadAll(int from, Deadline deadline, std::size_t max_size, std::string& out) {
  char buffer[4096];
  while (out.size() <= max_size) {
    TRY(Await(from, deadline));
    const ssize_t size = read(from, buffer, sizeof buffer);
    if (size <= 0) {
      return size == 0 ? Status(Done{}) : Error{Code::kUnavailable, std::strerror(errno)};
    }
    out.append(buffer, static_cast<std::size_t>(size));
  }
  return Error{Code::kInvalid,
               "prints more than " + std::to_string(max_size / kMaxOutput) + " MiB"};
}

Status AwaitEnd(pid_t pid, Deadline deadline) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) {
    return Error{Code::kUnavailable, std::strerror(errno)};
  }
  const Status ended = Await(handle, deadline);
  close(handle);
  return ended;
}

// Runs it with `errors` as its standard error; `Ended::errors` stays empty.
Result<Ended> RunWith(const Program& program, std::chrono::milliseconds deadline,
                      std::size_t max_output, int errors) {
  Pipe pipe;
  if (pipe.reader() < 0) {
    return Error{Code::kUnavailable, std::string("no pipe: ") + std::strerror(errno)};
  }
  ASSIGN_OR_RETURN(const pid_t pid, Start(program, pipe.writer(), errors));
  pipe.CloseWriter();
  const auto end = std::chrono::steady_clock::now() + deadline;
  Ended ended;
  Status read = ReadAll(pipe.reader(), end, max_output, ended.output);
  if (read.ok()) {
    read = AwaitEnd(pid, end);
  }
  if (!read.ok()) {
    kill(program.interactive ? pid : -pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  TRY(read);
  if (!WIFEXITED(status)) {
    return Error{Code::kUnavailable, "was ended by signal " + std::to_string(WTERMSIG(status))};
  }
  ended.status = WEXITSTATUS(status);
  return ended;
}

}  // namespace

Result<Ended> RunToEnd(const Program& program, std::chrono::milliseconds deadline,
                       std::size_t max_output) {
  if (program.interactive) {
    return RunWith(program, deadline, max_output, STDERR_FILENO);
  }
  // In memory, since a second pipe would have to be read at the same time.
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  if (errors < 0) {
    return Error{Code::kUnavailable, std::string("no memory file: ") + std::strerror(errno)};
  }
  auto ended = RunWith(program, deadline, max_output, errors);
  if (ended.ok()) {
    ended->errors.resize(kMaxErrors);
    const ssize_t size = pread(errors, ended->errors.data(), kMaxErrors, 0);
    ended->errors.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  close(errors);
  return ended;
}

Result<std::string> RunProgram(const Program& program, std::chrono::milliseconds deadline) {
  ASSIGN_OR_RETURN(Ended ended, RunWith(program, deadline, kMaxOutput, STDERR_FILENO));
  if (ended.status != 0) {
    return Error{Code::kUnavailable, "ended with status " + std::to_string(ended.status)};
  }
  return std::move(ended.output);
}

}  // namespace ballast::os
