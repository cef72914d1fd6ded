// Credentials from a program that prints them (client.authentication.k8s.io, v1 and v1beta1), as
// clouds have it: run when needed, kept until they expire.
//
// The program inherits our environment and standard error; what it prints never appears in an
// error. It is ended after a minute. Thread-safety: any thread; while it runs the others wait.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "api/result.h"
#include "api/time.h"
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
  // `cluster.exec` must be set. `now` is the wall clock.
  explicit ExecPlugin(const ClusterConfig& cluster, std::function<Time()> now = {});

  // kUnavailable when the program cannot be run or fails, kInvalid when its answer cannot be used.
  // After a failure it is not run again for ten seconds.
  Result<Credentials> Get();

  // The server refused `used`: whether there are others to try, asked for just now.
  bool Renew(const Credentials& used);

 private:
  Status RunLocked();
  Result<std::string> Request() const;

  const ClusterConfig cluster_;
  const std::function<Time()> now_;
  std::mutex mutex_;  // guards: everything below
  std::optional<Credentials> current_;
  std::optional<Time> expires_;
  std::optional<Error> failure_;  // of the last run
  Time failed_at_;
};

}  // namespace ballast::kube
