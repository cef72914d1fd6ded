// Credentials from a program that prints them (client.authentication.k8s.io, v1 and v1beta1), as
// clouds have it: run when needed, kept until they expire.
//
// The program inherits our environment and standard error; what it prints never appears in an
// error. It is ended after a minute. Thread-safety: any thread; all wait for the one run, each
// within its own deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/kube/config.h"

namespace ballast::kube {

// What is shown to the server to say who we are.
struct Credentials {
  std::string token;            // empty: none
  Material client_certificate;  // empty: none
  Material client_key;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

class ExecPlugin {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // `cluster.exec` must be set. `now` is the wall clock.
  explicit ExecPlugin(const ClusterConfig& cluster, std::function<Time()> now = {});
  ~ExecPlugin();  // waits for the program to end

  // kUnavailable when the program cannot be run or fails, kInvalid when its answer cannot be used,
  // kTimeout when it has not ended by the deadline. After a failure it is not run again for ten
  // seconds.
  Result<Credentials> Get(SteadyTime deadline);

  // The server refused `used`: whether there are others to try, asked for just now.
  bool Renew(const Credentials& used, SteadyTime deadline);

 private:
  // Waits for the run that is under way, or begins one.
  Status RunLocked(std::unique_lock<std::mutex>& lock, SteadyTime deadline);
  void Run();
  bool FailedJustNowLocked() const;
  Result<std::string> Request() const;

  const ClusterConfig cluster_;
  const std::function<Time()> now_;
  std::mutex mutex_;  // guards: everything below
  std::condition_variable ended_;
  bool running_ = false;
  std::thread runner_;
  std::optional<Credentials> current_;
  std::optional<Time> expires_;
  std::optional<Error> failure_;  // of the last run
  Time failed_at_;
};

}  // namespace ballast::kube
