// One TLS context for all connections of a configuration, because each would have its own CA store,
// ciphers and keys.
//
// Thread-safety: any thread.
// Errors: those of ConfigureTls.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::kube {

class SharedTls {
 public:
  // A context as ConfigureTls makes it. Reads the files again; if they are as they were the last
  // time, it is the same context. `peer` is the same in each call.
  Result<std::shared_ptr<ssl_ctx_st>> Get(const ClusterConfig& config, const std::string& peer);

 private:
  std::mutex mutex_;      // guards: the rest
  std::string material_;  // that context_ was made from
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace ballast::kube
