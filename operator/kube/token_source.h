// The bearer token to send now. A token from a file is read again every minute, because the kubelet
// replaces it while it is still valid; when the file cannot be read, the former token is kept.
//
// The token never appears in an error. Thread-safety: any thread.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "api/base/result.h"
#include "operator/kube/config.h"

namespace ballast::kube {

class TokenSource {
 public:
  using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

  explicit TokenSource(Material token, SteadyNow now = std::chrono::steady_clock::now)
      : token_(std::move(token)), now_(std::move(now)) {}

  // Empty: none is configured. The error of reading the file, only if it was never read.
  Result<std::string> Get();

  // The server refused `used`: whether there is another one to try, read just now.
  bool Renew(const std::string& used);

 private:
  Status Read();

  const Material token_;
  const SteadyNow now_;
  std::mutex mutex_;  // guards: everything below
  std::string current_;
  std::chrono::steady_clock::time_point read_again_{};
};

}  // namespace ballast::kube
