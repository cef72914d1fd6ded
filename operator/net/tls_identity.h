// The certificate and key with which a server presents itself; they can be swapped at any time.
//
// A handshake that begins after Set() sees the new ones; connections made before stay as they are.
// TLS 1.2 and newer, no session cache or tickets: each handshake stands for itself, and memory does
// not grow with them. Thread-safety: any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "api/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::net {

class TlsIdentity {
 public:
  // PEM: the certificate first, then what leads to its authority; its key. kInvalid (the two do not
  // belong together, one is not PEM): what was there before stays.
  Status Set(const std::string& chain, const std::string& key);

  // Null before the first Set().
  std::shared_ptr<ssl_ctx_st> context() const;

 private:
  mutable std::mutex mutex_;  // guards: context_
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace ballast::net
