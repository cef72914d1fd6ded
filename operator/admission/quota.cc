#include "operator/admission/quota.h"

#include <limits>
#include <string>

#include "api/quantity.h"
#include "operator/engine/requests.h"

namespace ballast::admission {
namespace {

// What a pod asks for, in thousandths; nothing when it asks for none.
std::optional<std::int64_t> RequestOf(const api::Pod& pod, const std::string& resource) {
  const auto requests = engine::RequestsOf(
      {std::shared_ptr<const api::Pod>(std::shared_ptr<void>(), &pod)}, "", resource);
  if (!requests.ok() || requests->empty() || requests->begin()->second <= 0) {
    return std::nullopt;
  }
  return requests->begin()->second;
}

std::optional<std::int64_t> PodsWithin(const std::string& resource, const Quantity& hard,
                                       const api::Pod* pod) {
  if (resource == "pods" || resource == "count/pods") {
    return hard.MilliValue() / 1000;
  }
  const std::string name = resource == "cpu" || resource == "requests.cpu"         ? "cpu"
                           : resource == "memory" || resource == "requests.memory" ? "memory"
                                                                                   : "";
  const auto request = name.empty() || pod == nullptr ? std::nullopt : RequestOf(*pod, name);
  return request ? std::optional(hard.MilliValue() / *request) : std::nullopt;
}

}  // namespace

std::optional<webhooks::Facts::Quota> RoomIn(const json::Cursor& quota, const api::Pod* pod) {
  const json::Cursor spec = quota.Member("spec");
  if (!spec.IsObject() || spec.Member("scopes").present() ||
      spec.Member("scopeSelector").present()) {
    return std::nullopt;
  }
  const json::Cursor metadata = quota.Member("metadata");
  std::optional<webhooks::Facts::Quota> tightest;
  for (const auto& [name, value] : spec.Member("hard").Members()) {
    Quantity hard;
    if (!Read(value, hard)) {
      continue;
    }
    const std::string resource(name);
    const auto room = PodsWithin(resource, hard, pod);
    if (room && (!tightest || *room < tightest->replicas)) {
      tightest = {.name = std::string(metadata.Member("namespace").Text()) + "/" +
                          std::string(metadata.Member("name").Text()),
                  .resource = resource,
                  .replicas = *room};
    }
  }
  return tightest;
}

}  // namespace ballast::admission
