// Whether the program lives and is ready, by named checks, told as Kubernetes' own components do:
//
//   GET /readyz            ok, or 503 and the list
//   GET /readyz?verbose    [+]watches ok: nothing was heard of pods for 312 s
//                          [-]shutdown failed: stopping
//   GET /readyz/watches    that check alone
//
// and the same for /livez, and for /healthz, which is /livez' older name. Unlike there, reasons are
// told: nothing in them is secret. Thread-safety: add checks before the first answer; answers from
// any thread, and the checks are called there.
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

  // What a restart of the program would mend.
  void AddLive(std::string name, Check check);
  // What keeps requests away until it passes. While it does, the list says `note` of it; empty:
  // there is nothing to say.
  void AddReady(
      std::string name, Check check, Note note = [] { return std::string(); });

  // `request.path` is one of the above, or the answer is 404.
  net::HttpResponse Answer(const net::HttpRequest& request) const;

 private:
  struct Named {
    std::string name;
    Check check;
    Note note;
  };
  std::vector<Named> live_;
  std::vector<Named> ready_;
};

}  // namespace ballast::server
