// Whom a TLS connection trusts and as whom it presents itself, for both HTTP libraries alike.
//
// Thread-safety: pure but for the context given.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/kube/config.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::kube {

// Sets up a client's context: TLS 1.2 or newer, the configured CA and no other (or the system's
// roots when none is configured), the client certificate, and that the server's certificate must be
// for `peer`, a name or an address; a name is asked for (SNI). Whatever the context trusted before
// is forgotten. After a failure no handshake with it succeeds: half a rotated client certificate
// makes nobody anonymous. Reads files anew. kInvalid, kNotFound, ... name what is wrong.
Status ConfigureTls(ssl_ctx_st* context, const ClusterConfig& config, const std::string& peer);

// Reads all that ConfigureTls would, to tell problems early. Returns what it read: CA, certificate
// and key (a secret), to be compared.
Result<std::string> ReadTls(const ClusterConfig& config);

}  // namespace ballast::kube
