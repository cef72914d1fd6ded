// Runs a credential plugin (client.authentication.k8s.io, v1 and v1beta1), as clouds need it: when
// credentials are needed, which are then kept until they expire.
//
// The program inherits our environment and standard error. It is killed after a minute.
//
// Thread-safety: any thread. All callers wait for the same run, each until its own deadline.
// Errors: those of Get; what the program prints never appears in one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/kube/auth/config.h"
#include "operator/process/clock.h"

namespace ballast::kube {

// What authenticates us to the server.
struct Credentials {
  std::string token;            // empty: none
  Material client_certificate;  // empty: none
  Material client_key;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

class ExecPlugin {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // `cluster.exec` must be set; `clock` must outlive the ExecPlugin.
  explicit ExecPlugin(const ClusterConfig& cluster,
                      const process::Clock& clock = process::RealClock());
  ~ExecPlugin();  // waits for a running program to end

  // kNotFound: there is no such program, with its install hint. kUnavailable: it cannot be run or
  // fails. kInvalid: its output is unusable. kTimeout: it has not ended by `deadline` or within a
  // minute. After a failure it is not run again for ten seconds.
  Result<Credentials> Get(SteadyTime deadline);

  // Call it after the server has rejected `used`. Returns whether there are now other credentials
  // to try.
  bool Renew(const Credentials& used, SteadyTime deadline);

 private:
  // Waits for the run under way or starts one.
  Status RunLocked(std::unique_lock<std::mutex>& lock, SteadyTime deadline);
  void Run();
  bool FailedJustNowLocked() const;
  Result<std::string> Request() const;

  const ClusterConfig cluster_;
  const process::Clock& clock_;
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
