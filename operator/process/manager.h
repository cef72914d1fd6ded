// Starts the parts of a program in order, and stops them in the reverse order.
//
//   Manager manager(std::chrono::seconds(25));
//   manager.Add({"watches", [&](const std::stop_token& stop) { ... }, [&] { ... }});
//   manager.Add({"controller", ...});
//   return manager.Run(signals.token());
//
// Stopping may take `grace` in all, from the request (also while parts still start) until the
// manager's destructor: construct the manager before what it manages, so that the destructors of
// that count too. After `grace` the log names the part that is not done, and the program ends with
// status 1.
//
// Thread-safety: Add and Run: owning thread only. The rest: any thread.
// Errors: Run returns the first error of a part.
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
#include "operator/process/watchdog.h"

namespace ballast::process {

class Manager {
 public:
  struct Part {
    std::string name;
    // Returns once the next part may start, soon after `stop` is requested, or with an error, which
    // stops the program.
    std::function<Status(const std::stop_token& stop)> start;
    // Returns once the part has stopped. Called only if `start` succeeded.
    std::function<void()> stop = [] {};
  };

  explicit Manager(std::chrono::nanoseconds grace) : grace_(grace) {}
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void Add(Part part) { parts_.push_back(std::move(part)); }

  // Starts all parts, waits until `stop` is requested or a part fails, and stops the parts that
  // were started. Returns the first error, if there was one. Call it once.
  Status Run(const std::stop_token& stop);

  // A part calls it when it fails while it runs: stops the program. The first error counts.
  void Fail(Error error);

  // Whether a stop was requested or a part failed.
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

  std::optional<Watchdog> watchdog_;  // ends the program; from the request to stop
};

}  // namespace ballast::process
