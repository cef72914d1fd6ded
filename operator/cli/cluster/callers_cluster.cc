#include "operator/cli/cluster/callers_cluster.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "operator/kube/auth/config.h"
#include "operator/kube/http/connect.h"

namespace ballast::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The file that kubectl reads where none is named; empty: there is none.
std::string UsersKubeconfig() {
  const std::string home = Environment("HOME");
  const std::string file = home + "/.kube/config";
  std::error_code ignored;
  return !home.empty() && std::filesystem::exists(file, ignored) ? file : "";
}

}  // namespace

void AddKubeconfig(flags::Command& command, ClusterOptions& options) {
  command.AddOption("--kubeconfig", options.kubeconfig,
                    "How to reach the cluster; default: $KUBECONFIG, else ~/.kube/config, else the "
                    "pod's service account");
  command.AddOption("--context", options.context,
                    "The kubeconfig's context; default: its current one");
}

void AddCluster(flags::Command& command, ClusterOptions& options) {
  AddKubeconfig(command, options);
  command.AddOption("-n,--namespace", options.namespace_,
                    "The namespace; default: that of the kubeconfig's context");
}

void PrintWarning(const std::string& text) { std::cerr << "Warning: " << text << "\n"; }

Result<Connection> Connect(const ClusterOptions& options,
                           const std::function<void(const std::string&)>& on_warning) {
  const bool named = !options.kubeconfig.empty() || !Environment("KUBECONFIG").empty();
  ASSIGN_OR_RETURN(
      const kube::ClusterConfig config,
      kube::LoadConfig(named ? options.kubeconfig : UsersKubeconfig(), options.context));
  // The name of what is written in managedFields begins with the agent's.
  ASSIGN_OR_RETURN(auto transport,
                   kube::Connect(config, {.user_agent = "kubectl-ballast/" BALLAST_VERSION,
                                          .on_warning = on_warning}));
  return Connection{
      .transport = std::move(transport),
      .namespace_ = options.namespace_.empty() ? config.namespace_ : options.namespace_};
}

}  // namespace ballast::cli
