// The sources of metrics that an installation defines, from the ConfigMap with the operator's file
// of
// --metric-sources.
//
// Thread-safety: as the client.
// Errors: the client's; kInvalid, with the field, if the file is wrong.
#pragma once

#include <optional>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/cluster/check/installation.h"
#include "operator/kube/client.h"
#include "operator/sources/source_file.h"

namespace ballast::cli {

// nullopt: the file is where only the operator can read it.
Result<std::optional<std::vector<sources::PrometheusSource>>> ReadInstalledSources(
    kube::Client& client, const Installation& installation);

}  // namespace ballast::cli
