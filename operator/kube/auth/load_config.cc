#include "operator/kube/auth/load_config.h"

#include <utility>

#include "operator/kube/auth/kubeconfig.h"
#include "operator/kube/headers.h"
#include "operator/kube/url.h"
#include "operator/os/environment.h"
#include "operator/os/file.h"

namespace ballast::kube {
namespace {

Status CheckHeaderTexts(const KubeconfigChoice& choice) {
  const auto check = [](const char* flag, const std::string& text) {
    return IsHeaderText(text) ? Status(Done{})
                              : Error{Code::kInvalid, std::string(flag) + ": " + kNotHeaderText};
  };
  TRY(check("--as", choice.as));
  TRY(check("--as-uid", choice.as_uid));
  for (const std::string& group : choice.as_groups) {
    TRY(check("--as-group", group));
  }
  return Done{};
}

}  // namespace

Result<ClusterConfig> LoadInCluster(const std::string& directory) {
  const std::string host = os::Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = os::Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{Code::kNotFound,
                 "this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are unset"};
  }
  ClusterConfig config;
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port;
  if (const auto endpoint = ParseEndpoint(config.server); !endpoint.ok()) {
    return endpoint.error().In("KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT");
  }
  config.token.file = directory + "/token";
  config.ca.file = directory + "/ca.crt";
  TRY(config.token.Read());
  TRY(config.ca.Read());
  ASSIGN_OR_RETURN(config.namespace_, os::ReadFile(directory + "/namespace"));
  return config;
}

Result<ClusterConfig> LoadConfig(const std::string& kubeconfig, const KubeconfigChoice& choice) {
  TRY(CheckHeaderTexts(choice));
  if (!kubeconfig.empty()) {
    return LoadKubeconfigFile(kubeconfig, choice);
  }
  if (const std::string list = os::Environment("KUBECONFIG"); !list.empty()) {
    return LoadKubeconfig(list, choice);
  }
  for (const auto& [flag, value] :
       {std::pair{"--context ", &choice.context}, std::pair{"--cluster ", &choice.cluster},
        std::pair{"--user ", &choice.user}}) {
    if (!value->empty()) {
      return Error{Code::kInvalid, flag + *value + ": there is no kubeconfig"};
    }
  }
  auto config = LoadInCluster();
  if (config.ok()) {
    Override(choice, config->impersonate);
    if (!config->impersonate.complete()) {
      return Error{Code::kInvalid, "--as-uid and --as-group need --as"};
    }
  }
  if (!config.ok() && config.error().code == Code::kNotFound) {
    return Error{Code::kNotFound, "there is no kubeconfig, and " + config.error().message +
                                      "; name a file with --kubeconfig or $KUBECONFIG"};
  }
  return config;
}

}  // namespace ballast::kube
