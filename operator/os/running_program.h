// A program that runs beside this one, and what it prints, as it comes.
//
// It gets our environment, no input unless it is interactive or waits for what Send() says, none of
// our open files, and no blocked or ignored signal.
//
// Thread-safety: one thread at a time.
// Errors: kTimeout: nothing happened for as long as `timeout`; kUnavailable: it could not be run,
// read or waited for, or a signal ended it; and as below.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::os {

struct Program {
  std::string command;  // a path, or a name to look for in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to ours; overrides it
  // It may ask the user: it gets our standard input and standard error, and is in our process
  // group, so that a terminal's Ctrl-C ends both.
  bool interactive = false;
  bool listens = false;  // its input is what Send() says
};

// How a program ended.
struct Ended {
  int status = 0;  // its exit status, 0 to 255
  std::string output;
  // What it wrote to standard error, at most its first 64 KiB; nothing if that is ours.
  std::string errors;
};

enum class StandardError { kKept, kOurs };

class RunningProgram {
 public:
  using Timeout = std::chrono::milliseconds;

  // kNotFound: there is no such program.
  static Result<std::unique_ptr<RunningProgram>> Start(const Program& program,
                                                       StandardError errors);
  // Kills it with its process group, unless its end was awaited.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  // Waits until it has printed more, and appends that. False: it prints nothing any more.
  Result<bool> Read(Timeout timeout, std::string& output);

  // The next line that it prints, without its end; nullopt: none follows. What follows the last
  // end of a line is a line too. kInvalid: a line is longer than `max_size`. Not to be mixed with
  // Read.
  Result<std::optional<std::string>> ReadLine(Timeout timeout, std::size_t max_size);

  // Gives the program that input, which it `listens` to; waits while it has not taken what was sent
  // before. kUnavailable: it does not listen any more.
  Status Send(std::string_view text);
  // No input follows.
  void EndInput();

  // Waits for its end; to be called once, when it prints nothing any more. `Ended::output` is
  // empty.
  Result<Ended> AwaitEnd(Timeout timeout);

 private:
  RunningProgram() = default;
  std::string Errors() const;

  pid_t pid_ = 0;  // 0: its end was awaited, or it was not started
  bool in_our_group_ = false;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;  // a file in memory, since a second pipe would have to be read meanwhile
  std::string lines_;
  std::size_t taken_ = 0;  // of `lines_`
};

}  // namespace ballast::os
