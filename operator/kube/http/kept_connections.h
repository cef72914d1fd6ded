// Connections on which a write has just been answered, for the next one: in a burst of writes, a
// TLS handshake for each would cost both sides about as much as the write.
//
// A connection serves one write at a time. One that is idle for a second, was opened a minute ago
// (certificates and addresses change) or was opened with another client certificate is not used
// again, nor is one that the server has closed or on which it has said anything since.
//
// Thread-safety: any thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "operator/kube/http/api_endpoint.h"
#include "operator/process/clock.h"

namespace ballast::kube {

class OwnConnection;

class KeptConnections {
 public:
  struct KeptConnection {
    std::unique_ptr<OwnConnection> connection;
    process::SteadyTime opened;
  };

  // `clock` must outlive them.
  explicit KeptConnections(const process::Clock& clock);
  ~KeptConnections();

  // The line used last that serves; without a connection if there is none.
  KeptConnection Take(const ApiEndpoint& server);
  void Keep(KeptConnection line);
  // Closes those that would not be used again. Call it now and then.
  void CloseOld();

 private:
  struct Idle {
    KeptConnection line;
    process::SteadyTime since;
  };
  bool IsOld(const Idle& idle) const;

  const process::Clock& clock_;
  std::mutex mutex_;  // guards: idle_
  std::vector<Idle> idle_;
};

}  // namespace ballast::kube
