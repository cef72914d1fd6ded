// The autoscaler that a subcommand works on: connects to the caller's cluster and reads it.
//
// Thread-safety: main thread only.
// Errors: told on standard error; an exit status.
#pragma once

#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/command.h"

namespace ballast::cli {

struct ChosenAutoscaler {
  ClusterConnection connection;
  api::Autoscaler autoscaler;
};

// Absent: there is none; `status` is then kUsedWrong for a name or a kubeconfig that is wrong, and
// kFoundWrong if the cluster does not have it or does not show it.
std::optional<ChosenAutoscaler> Choose(const std::string& subcommand, const ClusterOptions& cluster,
                                       const std::string& name, ExitStatus& status);

}  // namespace ballast::cli
