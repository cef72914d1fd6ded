// The autoscaler that a subcommand works on: connects to the caller's cluster and looks for it.
//
//   auto chosen = Choose("pause", options.cluster, options.name, FindTarget, status);
//   if (!chosen) {
//     return status;
//   }
//
// Thread-safety: main thread only.
// Errors: told on standard error; an exit status.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/command.h"
#include "operator/cli/selection.h"
#include "operator/kube/client.h"

namespace ballast::cli {

template <typename Found>
struct Chosen {
  ClusterConnection connection;
  Found found;
};

// `find` looks for what the name means (autoscalers.h; overrides/override_objects.h for a caller
// who need not be able to read it). Absent: there is none; `status` is then kUsedWrong for a name
// or a kubeconfig that is wrong, and kFoundWrong if the cluster does not have it or does not show
// it.
template <typename Found>
std::optional<Chosen<Found>> Choose(const std::string& subcommand, const ClusterOptions& cluster,
                                    const std::string& name,
                                    Result<Found> (*find)(kube::Client&, const AutoscalerName&,
                                                          const std::string& default_namespace),
                                    ExitStatus& status) {
  const auto asked = Combine({.name = name, .namespace_ = cluster.namespace_});
  if (!asked.ok()) {
    status = Refuse(subcommand, asked.error().message);
    return std::nullopt;
  }
  auto connection = Connect(cluster);
  if (!connection.ok()) {
    status = Refuse(subcommand, connection.error().message);
    return std::nullopt;
  }
  auto found = find(connection->client, *asked, connection->namespace_);
  if (!found.ok()) {
    const bool ambiguous = found.error().code == Code::kConflict;
    status = (ambiguous ? Refuse : Fail)(subcommand, found.error().message);
    return std::nullopt;
  }
  return Chosen<Found>{std::move(connection).value(), std::move(found).value()};
}

}  // namespace ballast::cli
