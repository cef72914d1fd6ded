#include <string>

#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/kube/get_document.h"
#include "operator/kube/path.h"

namespace ballast::cli {
namespace {

struct MetricsApi {
  const char* group;
  std::vector<std::string> versions;  // that Ballast reads, the newest first
  const char* serves;                 // the types of metrics that need it
  const char* server;                 // what usually serves it
};

const MetricsApi kApis[] = {
    {"metrics.k8s.io", {"v1beta1"}, "Resource and ContainerResource", "metrics-server"},
    {"custom.metrics.k8s.io", {"v1beta2", "v1beta1"}, "Pods and Object", "a metrics adapter"},
    {"external.metrics.k8s.io", {"v1beta1"}, "External", "a metrics adapter"},
};

const kube::Resource kApiServices{.group = "apiregistration.k8s.io",
                                  .version = "v1",
                                  .plural = "apiservices",
                                  .kind = "APIService",
                                  .namespaced = false};

// Why the API server does not reach who serves the API, if it says so; empty: it does not.
std::string ReasonOf(CheckContext& context, const std::string& api_service) {
  const auto read = context.client.Get(kApiServices, {.name = api_service});
  if (!read.ok()) {
    return "";
  }
  json::Decoder decoder(*read);
  const json::Cursor status = decoder.root().Member("status");
  for (const json::Cursor& condition : status.Member("conditions").Elements()) {
    if (condition.Member("type").Text() == "Available" &&
        condition.Member("status").Text() != "True") {
      return std::string(condition.Member("message").Text());
    }
  }
  return "";
}

// Not installed: most clusters need only the first.
Finding Absent(CheckContext& context, const MetricsApi& api) {
  const bool other_version =
      kube::GetDocument(context.transport, (kube::Path() / "apis" / api.group).text()).ok();
  const std::string needed = std::string("; metrics of type ") + api.serves + " need it";
  if (other_version) {
    return {api.group, Severity::kWarning, "is served, but not as " + api.versions.front() + needed,
            "a newer version of the adapter"};
  }
  const bool usual = &api == &kApis[0];
  return {api.group, usual ? Severity::kWarning : Severity::kOk, "is not installed" + needed,
          usual ? std::string("install ") + api.server : ""};
}

// Whether there are values in it, as far as the caller may see.
Finding CheckPodMetrics(CheckContext& context, const MetricsApi& api) {
  const auto& serves = context.installation.serves;
  const kube::Resource pods{
      .group = api.group, .version = api.versions.front(), .plural = "pods", .kind = "PodMetrics"};
  const auto answer =
      context.transport.Do({.path = CollectionPath(pods, serves.empty() ? "" : serves.front()),
                            .query = {{"limit", "1"}},
                            .limit = kube::kPodMetrics});
  if (!answer.ok() && answer.error().code != Code::kForbidden) {
    return {api.group, Severity::kFailure, "does not answer: " + answer.error().message,
            "kubectl get --raw /apis/metrics.k8s.io/v1beta1/pods"};
  }
  return {api.group, Severity::kOk, "answers", ""};
}

// The answer of the newest version that is served; of the last one if none is.
Result<json::Document> Discover(CheckContext& context, const MetricsApi& api,
                                std::string& version) {
  Result<json::Document> answer = Error{Code::kNotFound, ""};
  for (const std::string& one : api.versions) {
    version = one;
    answer = kube::GetDocument(context.transport, (kube::Path() / "apis" / api.group / one).text());
    if (answer.ok() || answer.error().code != Code::kNotFound) {
      break;
    }
  }
  return answer;
}

Finding CheckApi(CheckContext& context, const MetricsApi& api) {
  std::string version;
  const auto discovery = Discover(context, api, version);
  if (discovery.ok()) {
    return &api == &kApis[0] ? CheckPodMetrics(context, api)
                             : Finding{api.group, Severity::kOk, "answers", ""};
  }
  if (discovery.error().code == Code::kNotFound) {
    return Absent(context, api);
  }
  if (discovery.error().code == Code::kForbidden) {
    return Unknown(api.group, api.group, discovery.error());
  }
  const std::string api_service = version + "." + api.group;
  const std::string reason = ReasonOf(context, api_service);
  return {api.group, Severity::kFailure,
          "does not answer: " + (reason.empty() ? discovery.error().message : reason),
          std::string("see to ") + api.server + ": kubectl describe apiservice " + api_service};
}

}  // namespace

std::vector<Finding> CheckMetricsApis(CheckContext& context) {
  std::vector<Finding> findings;
  for (const MetricsApi& api : kApis) {
    findings.push_back(CheckApi(context, api));
  }
  return findings;
}

}  // namespace ballast::cli
