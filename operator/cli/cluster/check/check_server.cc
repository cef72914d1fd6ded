#include "api/autoscaling/feature_gates.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/kube/server_version.h"

namespace ballast::cli {
namespace {

constexpr const char* kServer = "API server";
constexpr int kOldestMinor = 29;

}  // namespace

Finding CheckServer(kube::Transport& transport) {
  const auto version = kube::ReadServerVersion(transport);
  if (!version.ok()) {
    return {kServer, Severity::kFailure, version.error().message,
            "see whether kubectl version works with the same kubeconfig"};
  }
  const std::string answers = "Kubernetes " + version->text + " answers";
  if (version->minor < kOldestMinor) {
    return {kServer, Severity::kFailure, answers,
            "Ballast needs Kubernetes 1." + std::to_string(kOldestMinor) + " or newer"};
  }
  if (version->minor > api::kTestedMinor) {
    return {kServer, Severity::kOk,
            answers + "; this version was tested up to 1." + std::to_string(api::kTestedMinor), ""};
  }
  return {kServer, Severity::kOk, answers, ""};
}

}  // namespace ballast::cli
