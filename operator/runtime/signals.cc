#include "operator/runtime/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "operator/os/thread_name.h"

namespace ballast::runtime {
namespace {

// What a signal handler may touch.
std::atomic<int> wake_pipe{-1};
std::atomic<bool> asked{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void Handle(int signal) {
  if (asked.exchange(true)) {
    _exit(128 + signal);
  }
  const int before = errno;
  [[maybe_unused]] const auto written = write(wake_pipe.load(), "s", 1);
  errno = before;
}

void Watch(int pipe_end, std::stop_source stop) {
  os::NameThisThread("signals");
  char what = 0;
  while (read(pipe_end, &what, 1) < 0 && errno == EINTR) {
  }
  close(pipe_end);
  if (what == 's') {
    stop.request_stop();
  }
}

}  // namespace

StopOnSignal::StopOnSignal() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    std::abort();  // no file descriptor is left before anything was started
  }
  asked = false;
  wake_pipe = ends[1];
  watcher_ = std::thread(Watch, ends[0], stop_);

  struct sigaction action {};
  action.sa_handler = Handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &former_term_);
  sigaction(SIGINT, &action, &former_int_);
}

StopOnSignal::~StopOnSignal() {
  sigaction(SIGTERM, &former_term_, nullptr);
  sigaction(SIGINT, &former_int_, nullptr);
  close(wake_pipe.exchange(-1));  // the watcher reads the end, unless it has read a signal
  watcher_.join();
}

}  // namespace ballast::runtime
