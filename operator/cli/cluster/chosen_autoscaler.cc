#include "operator/cli/cluster/chosen_autoscaler.h"

#include <utility>

#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/selection.h"

namespace ballast::cli {

std::optional<ChosenAutoscaler> Choose(const std::string& subcommand, const ClusterOptions& cluster,
                                       const std::string& name, ExitStatus& status) {
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
  auto autoscaler = FindAutoscaler(connection->client, *asked, connection->namespace_);
  if (!autoscaler.ok()) {
    const bool ambiguous = autoscaler.error().code == Code::kConflict;
    status = (ambiguous ? Refuse : Fail)(subcommand, autoscaler.error().message);
    return std::nullopt;
  }
  return ChosenAutoscaler{std::move(connection).value(), std::move(autoscaler).value()};
}

}  // namespace ballast::cli
