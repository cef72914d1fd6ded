// The certificate and key that a server presents; they can be replaced at any time.
//
// A handshake that begins after Set() uses the new ones; existing connections are unaffected. TLS
// 1.2 or newer, without session cache or tickets: each handshake stands alone, and memory does not
// grow with their number.
//
// Thread-safety: any thread.
// Errors: kInvalid.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "api/base/result.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::net {

class TlsIdentity {
 public:
  // Both in PEM: the certificate, followed by those that lead to its authority, and its key.
  // kInvalid if one is not PEM or they do not match; then the former identity stays.
  Status Set(const std::string& chain, const std::string& key);

  // Null before the first Set().
  std::shared_ptr<ssl_ctx_st> context() const;

 private:
  mutable std::mutex mutex_;  // guards: context_
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace ballast::net
