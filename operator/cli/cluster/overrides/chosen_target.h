// The autoscaler that an override is to be about: connects to the caller's cluster and looks for
// it.
//
// Thread-safety: main thread only.
// Errors: told on standard error; an exit status.
#pragma once

#include <optional>
#include <string>

#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/command.h"

namespace ballast::cli {

struct ChosenTarget {
  ClusterConnection connection;
  OverrideTarget target;
};

// As Choose (chosen_autoscaler.h), but the caller need not be able to read it.
std::optional<ChosenTarget> ChooseTarget(const std::string& subcommand,
                                         const ClusterOptions& cluster, const std::string& name,
                                         ExitStatus& status);

}  // namespace ballast::cli
