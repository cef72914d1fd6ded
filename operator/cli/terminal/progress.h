// Shows the progress of long work as one line of standard error, and erases it at the end. Prints
// nothing where standard error is no terminal, and nothing about short work.
//
// Thread-safety: main thread only; the state is asked for on a thread of Progress.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace ballast::cli {

class Progress {
 public:
  // `state`: how far it is; any thread may call it. The first time after a second, then twice a
  // second.
  explicit Progress(std::function<std::string()> state, int output = STDERR_FILENO);
  Progress() = default;  // says nothing

 private:
  std::jthread thread_;  // stops and is waited for at the end; absent: there is no terminal
};

// Of work on one decision after the other that prints to standard output: silent where that is a
// terminal too.
Progress DecisionsSoFar(const std::atomic<std::int64_t>& count);

// "12% of 340 MB"; decimal units, and 100% at most.
std::string ShareOf(std::uintmax_t done, std::uintmax_t all);

// How much of `all` bytes the file, which may be absent still, has.
std::string ShareWritten(const std::string& path, std::uintmax_t all);

// How much of the file `from` the file `to`, which may be absent still, has.
std::string ShareCopied(const std::string& from, const std::string& to);

}  // namespace ballast::cli
