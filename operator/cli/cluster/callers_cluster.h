// The cluster that a subcommand works on, with the caller's kubeconfig and rights.
//
// Thread-safety: main thread only.
// Errors: Connect: those of kube::LoadConfig and kube::Connect.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/cli/command.h"
#include "operator/cli/kubectl_flags.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

struct ClusterOptions : KubectlFlags {
  std::string namespace_;
};
// kubectl's flags and -n; or without -n.
void AddCluster(flags::Command& command, ClusterOptions& options);
void AddKubeconfig(flags::Command& command, ClusterOptions& options);

struct ClusterConnection {
  std::unique_ptr<kube::Transport> transport;
  kube::Client client{*transport};
  std::string namespace_;  // --namespace, else that of the kubeconfig's context
};

// Prints the server's warning as kubectl does.
void PrintWarning(const std::string& text);

// Where no kubeconfig is named: $KUBECONFIG, else ~/.kube/config, else the pod's service account.
Result<ClusterConnection> Connect(
    const ClusterOptions& options,
    const std::function<void(const std::string&)>& on_warning = PrintWarning);

}  // namespace ballast::cli
