// The current bearer token. A token from a file is read again every minute, because the kubelet
// replaces it while it is still valid; if the file cannot be read, the former token is kept.
//
// Thread-safety: any thread.
// Errors: those of Get; the token never appears in one.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"
#include "operator/process/clock.h"

namespace ballast::kube {

class TokenSource {
 public:
  // `clock` must outlive the TokenSource.
  explicit TokenSource(Material token, const process::Clock& clock = process::RealClock())
      : token_(std::move(token)), clock_(clock) {}

  // Empty if none is configured. The error of reading the file, or kInvalid for an unusable token,
  // only as long as there has been no usable one.
  Result<std::string> Get();

  // Call it after the server has rejected `used`. Returns whether there is now another token to
  // try.
  bool Renew(const std::string& used);

 private:
  Status Read();

  const Material token_;
  const process::Clock& clock_;
  std::mutex mutex_;  // guards: everything below
  std::string current_;
  process::SteadyTime read_again_{};
};

}  // namespace ballast::kube
