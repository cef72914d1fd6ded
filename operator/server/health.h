// Liveness and readiness by named checks, in the format of Kubernetes' own components:
//
//   GET /readyz            ok, or 503 and the list
//   GET /readyz?verbose    [+]watches ok: the API server has been silent about pods for 312 s
//                          [-]shutdown failed: stopping
//   GET /readyz/watches    that check alone
//
// and the same for /livez and its older name /healthz. Unlike Kubernetes' components it shows the
// reasons of failed checks, since they contain nothing secret.
//
// Thread-safety: add checks before the first Answer; Answer from any thread, on which it calls the
// checks.
// Errors: none; a failed check is a response of 503.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/net/http_server.h"

namespace ballast::server {

class Health {
 public:
  // Done, or an error whose message is the reason. Must not block.
  using Check = std::function<Status()>;
  using Note = std::function<std::string()>;

  // A failure that a restart of the program would fix.
  void AddLive(std::string name, Check check);
  // A reason to get no requests. While the check passes, the list shows what `note` returns, if
  // anything.
  void AddReady(
      std::string name, Check check, Note note = [] { return std::string(); });

  // 404 unless `request.path` is one of the above.
  net::HttpResponse Answer(const net::HttpRequest& request) const;

 private:
  struct NamedCheck {
    std::string name;
    Check check;
    Note note;
  };
  std::vector<NamedCheck> live_;
  std::vector<NamedCheck> ready_;
};

}  // namespace ballast::server
