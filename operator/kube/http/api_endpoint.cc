#include "operator/kube/http/api_endpoint.h"

#include "api/base/lower.h"
#include "operator/kube/transport.h"

namespace ballast::kube {
std::vector<std::pair<std::string, std::string>> ApiEndpoint::Headers(
    const Request& request, const std::string& token) const {
  std::vector<std::pair<std::string, std::string>> headers = {{"User-Agent", user_agent},
                                                              {"Accept", request.accept}};
  const auto add = [&headers](const std::string& name, const std::string& value) {
    if (!value.empty()) {
      headers.emplace_back(name, value);
    }
  };
  add("Authorization", token.empty() ? "" : "Bearer " + token);
  add("Impersonate-User", config.impersonate.user);
  add("Impersonate-Uid", config.impersonate.uid);
  for (const std::string& group : config.impersonate.groups) {
    headers.emplace_back("Impersonate-Group", group);
  }
  for (const auto& [key, values] : config.impersonate.extra) {
    for (const std::string& value : values) {
      // Case is ignored in a header's name.
      headers.emplace_back("Impersonate-Extra-" + Escape(Lower(key)), value);
    }
  }
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  return headers;
}

}  // namespace ballast::kube
