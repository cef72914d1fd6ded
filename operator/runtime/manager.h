// What a program runs, in an order: a part is started when those before it run, and stopped when
// those after it have stopped.
//
//   Manager manager(std::chrono::seconds(25));
//   manager.Add({"watches", [&](const std::stop_token& stop) { ... }, [&] { ... }});
//   manager.Add({"controller", ...});
//   return manager.Run(signals.token());
//
// Stopping has `grace` in all, from the request, also while parts still start, until the
// destructor: construct the manager before what it manages, so that its destructors count too.
// Whoever is not done by then is named in the log, and the program ends with status 1.
// Thread-safety: Add and Run are the owner's, the rest any thread's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/runtime/patience.h"

namespace ballast::runtime {

class Manager {
 public:
  struct Part {
    std::string name;
    // Returns when the next part may start, or soon after `stop` was requested, or with an error,
    // which ends everything.
    std::function<Status(const std::stop_token& stop)> start;
    // Returns when the part has stopped. Called if start was Done.
    std::function<void()> stop = [] {};
  };

  explicit Manager(std::chrono::nanoseconds grace) : grace_(grace) {}
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void Add(Part part) { parts_.push_back(std::move(part)); }

  // Starts all parts, waits until `stop` is requested or something failed, stops what was started.
  // The first error, if there was one.
  Status Run(const std::stop_token& stop);

  // Something failed while it was running: ends everything. The first error counts.
  void Fail(Error error);

  // A stop was requested, or something failed.
  bool stopping() const;

 private:
  void StartAll();
  void StopAll();
  [[noreturn]] void GiveUp();
  void SetBusy(std::string part);

  const std::chrono::nanoseconds grace_;
  std::vector<Part> parts_;
  std::size_t started_ = 0;
  std::stop_source stop_;

  std::mutex mutex_;  // guards: busy_, error_
  std::condition_variable wake_;
  std::string busy_;  // the part that is being started or stopped
  std::optional<Error> error_;

  std::optional<Patience> watchdog_;  // ends the program; from the request to stop
};

}  // namespace ballast::runtime
