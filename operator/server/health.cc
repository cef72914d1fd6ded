#include "operator/server/health.h"

#include <string_view>
#include <utility>

namespace ballast::server {
namespace {

bool IsVerbose(std::string_view query) {
  for (std::size_t at = 0; at <= query.size();) {
    const std::string_view parameter = query.substr(at, query.find('&', at) - at);
    if (parameter.substr(0, parameter.find('=')) == "verbose") {
      return true;
    }
    at += parameter.size() + 1;
  }
  return false;
}

}  // namespace

void Health::AddLive(std::string name, Check check) {
  live_.push_back({std::move(name), std::move(check), [] { return std::string(); }});
}

void Health::AddReady(std::string name, Check check, Note note) {
  ready_.push_back({std::move(name), std::move(check), std::move(note)});
}

net::HttpResponse Health::Answer(const net::HttpRequest& request) const {
  const std::size_t slash = request.path.find('/', 1);
  const std::string kind = request.path.substr(0, slash);
  const std::string only = slash == std::string::npos ? "" : request.path.substr(slash + 1);
  if (kind != "/readyz" && kind != "/livez" && kind != "/healthz") {
    return net::Refuse(404, "no such page");
  }
  bool all_passed = true;
  bool any = only.empty();
  std::string list;
  for (const NamedCheck& named : kind == "/readyz" ? ready_ : live_) {
    if (!only.empty() && named.name != only) {
      continue;
    }
    any = true;
    const Status status = named.check();
    const std::string text = status.ok() ? named.note() : status.error().message;
    list += (status.ok() ? "[+]" + named.name + " ok" : "[-]" + named.name + " failed") +
            (text.empty() ? "" : ": " + text) + "\n";
    all_passed = all_passed && status.ok();
  }
  if (!any) {
    return net::Refuse(404, "no such check");
  }
  const std::string name = kind.substr(1);
  if (!all_passed) {
    return net::Refuse(503, list + name + " check failed");
  }
  return {.status = 200, .body = IsVerbose(request.query) ? list + name + " check passed\n" : "ok"};
}

}  // namespace ballast::server
