// Configures TLS for both HTTP libraries: which servers to trust and which certificate to present.
//
// Thread-safety: any thread; a context belongs to one thread at a time.
// Errors: kInvalid for what is malformed or does not match, and those of reading a file; each names
// the file or the field.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::kube {

// Configures a client's context: TLS 1.2 or newer; the configured CA only, or the system's roots if
// none is configured; the client certificate; and that the server's certificate must be for `peer`,
// a name or an address. A name is sent as SNI. The context forgets whatever it trusted before.
// Reads the files again. After an error every handshake with the context fails, so that half a
// rotated client certificate never connects as anonymous.
Status ConfigureTls(ssl_ctx_st* context, const ClusterConfig& config, const std::string& peer);

// What ConfigureTls would read, for comparison: CA, certificate and key (a secret).
Result<std::string> ReadMaterial(const ClusterConfig& config);

// The same, with all errors that ConfigureTls would report.
Result<std::string> ReadTls(const ClusterConfig& config);

}  // namespace ballast::kube
