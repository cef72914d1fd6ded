// The address of a server's name to which all of a Transport's connections go, for as long as it
// can be connected to and is the name's.
//
// The name is looked up once a minute, because an address that has become another's must not get
// the credentials. A name that has one address costs nothing else. One that has several has them
// tried when one is chosen: a connection that is closed at once.
//
// Thread-safety: any thread.
// Errors: kUnavailable.
#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/kube/http/resolve.h"
#include "operator/kube/url.h"
#include "operator/process/clock.h"

namespace ballast::kube {

class KeptAddress {
 public:
  struct Address {
    std::string text;
    // How long connecting to it may take: a while if there are others, else as long as any step.
    std::chrono::milliseconds patience = std::chrono::hours(1);
  };

  // Of `server`. `clock` is for looking it up again, and must outlive it.
  KeptAddress(Endpoint server, Resolver resolve, const process::Clock& clock)
      : server_(std::move(server)), resolve_(std::move(resolve)), clock_(clock) {}

  const Endpoint& server() const { return server_; }
  // The kept one; else the only one, or the first that accepts a connection.
  Result<Address> Get(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);
  // It did not serve: the next Get() chooses anew.
  void Forget(const std::string& address);

 private:
  const Endpoint server_;
  const Resolver resolve_;
  const process::Clock& clock_;
  std::mutex mutex_;  // guards: the rest
  Address kept_;      // without text: none
  process::SteadyTime look_again_{};
};

}  // namespace ballast::kube
