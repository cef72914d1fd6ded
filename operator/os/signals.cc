#include "operator/os/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "operator/os/thread_name.h"

namespace ballast::os {
namespace {

// All that the signal handler may touch.
std::atomic<int> wake_pipe{-1};
std::atomic<bool> asked{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void Handle(int signal) {
  const bool ends = signal == SIGTERM || signal == SIGINT;
  if (ends && asked.exchange(true)) {
    _exit(128 + signal);
  }
  const int before = errno;
  const auto what = static_cast<unsigned char>(signal);
  [[maybe_unused]] const auto written = write(wake_pipe.load(), &what, 1);
  errno = before;
}

}  // namespace

void Signals::Watch(int pipe_end) {
  os::NameThisThread("signals");
  while (true) {
    unsigned char signal = 0;
    const ssize_t got = read(pipe_end, &signal, 1);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    switch (signal) {
      case SIGTERM:
      case SIGINT:
        stop_.request_stop();
        break;
      case SIGUSR1:
        on_user_.usr1();
        break;
      case SIGUSR2:
        on_user_.usr2();
        break;
      default:
        break;
    }
  }
  close(pipe_end);
}

Signals::Signals(OnUserSignal on_user) : on_user_(std::move(on_user)) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    std::abort();  // no file descriptor is left before anything has started
  }
  // The handler must never block: if the pipe is full, the signal is dropped.
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  asked = false;
  wake_pipe = ends[1];
  watcher_ = std::thread([this, end = ends[0]] { Watch(end); });

  struct sigaction action {};
  action.sa_handler = Handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kHandled.size(); ++i) {
    sigaction(kHandled[i], &action, &former_[i]);
  }
}

Signals::~Signals() {
  for (std::size_t i = 0; i < kHandled.size(); ++i) {
    sigaction(kHandled[i], &former_[i], nullptr);
  }
  close(wake_pipe.exchange(-1));  // the watcher reads end of file
  watcher_.join();
}

}  // namespace ballast::os
