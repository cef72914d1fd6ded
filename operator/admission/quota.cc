#include "operator/admission/quota.h"

#include <algorithm>
#include <string>

#include "api/kubernetes/quantity.h"
#include "operator/engine/metric/pod_requests.h"
#include "operator/engine/numbers.h"

namespace ballast::admission {
namespace {

// A quota counts what is requested, also while a resize is not done, and the overhead.
constexpr engine::Quirks kCounting = {.requests_overhead = true, .trusts_pending_resizes = true};
constexpr engine::Numbers kNumbers(kCounting);  // what does not fit is as much as there can be

// What a limit of a quota counts in a pod.
struct Measure {
  std::string request;        // "cpu"; empty: the pod itself
  bool counts_ended = false;  // pods that have ended count too
};

std::optional<Measure> MeasureOf(const std::string& resource) {
  if (resource == "pods" || resource == "count/pods") {
    return Measure{"", resource == "count/pods"};
  }
  for (const char* name : {"cpu", "memory"}) {
    if (resource == name || resource == std::string("requests.") + name) {
      return Measure{name};
    }
  }
  return std::nullopt;
}

// A pod's part of the measure, in thousandths; 0: the pod does not count.
std::int64_t ShareOf(const std::shared_ptr<const api::Pod>& pod, const Measure& measure) {
  if (pod->has_ended() && !measure.counts_ended) {
    return 0;
  }
  if (measure.request.empty()) {
    return 1000;
  }
  const auto requests = engine::RequestsOf({pod}, "", measure.request, kCounting);
  return requests.ok() ? std::max<std::int64_t>(requests->begin()->second, 0) : 0;
}

// How many pods like these fit, if all other usage stays as it is.
std::optional<std::int64_t> PodsWithin(const Quantity& limit, const Quantity& used,
                                       const Measure& measure, const engine::PodList& pods) {
  std::int64_t own = 0;
  std::int64_t one = measure.request.empty() ? 1000 : 0;
  for (const auto& pod : pods) {
    const std::int64_t share = ShareOf(pod, measure);
    one = std::max(one, share);
    own = kNumbers.Add(own, share);
  }
  if (one == 0) {
    return std::nullopt;  // what a pod requests is unknown
  }
  const auto left = [](std::int64_t of, std::int64_t without) {
    return std::max<std::int64_t>(kNumbers.Add(of, -without), 0);
  };
  const std::int64_t others = left(kNumbers.Milli(used), own);
  return left(kNumbers.Milli(limit), others) / one;
}

}  // namespace

std::optional<webhooks::Facts::Quota> RoomIn(const json::Cursor& quota,
                                             const engine::PodList& pods) {
  const json::Cursor spec = quota.Member("spec");
  if (!spec.IsObject() || spec.Member("scopes").present() ||
      spec.Member("scopeSelector").present()) {
    return std::nullopt;
  }
  const json::Cursor metadata = quota.Member("metadata");
  const json::Cursor in_use = quota.Member("status").Member("used");
  std::optional<webhooks::Facts::Quota> tightest;
  for (const auto& [name, value] : spec.Member("hard").Members()) {
    const std::string resource(name);
    const auto measure = MeasureOf(resource);
    Quantity limit;
    if (!measure || !Read(value, limit)) {
      continue;
    }
    Quantity used;  // 0 if the cluster has not counted yet
    Read(in_use.Member(resource), used);
    const auto room = PodsWithin(limit, used, *measure, pods);
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
