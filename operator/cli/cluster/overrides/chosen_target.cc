#include "operator/cli/cluster/overrides/chosen_target.h"

#include <utility>

#include "operator/cli/selection.h"

namespace ballast::cli {

std::optional<ChosenTarget> ChooseTarget(const std::string& subcommand,
                                         const ClusterOptions& cluster, const std::string& name,
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
  auto target = FindTarget(connection->client, *asked, connection->namespace_);
  if (!target.ok()) {
    const bool ambiguous = target.error().code == Code::kConflict;
    status = (ambiguous ? Refuse : Fail)(subcommand, target.error().message);
    return std::nullopt;
  }
  return ChosenTarget{std::move(connection).value(), std::move(target).value()};
}

}  // namespace ballast::cli
