// Reads and writes overrides with the caller's rights.
//
// Thread-safety: thread-safe if the client is.
// Errors: the client's, as sentences for people.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/result.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/kube/client.h"

namespace ballast::cli {

// What the name means: of a name without a kind, the one that the cluster has. kUnavailable: there
// is no such autoscaler. One that the caller may not read counts as there: overrides need no right
// on autoscalers.
Result<api::ObjectReference> FindTarget(kube::Client& client, const AutoscalerName& name,
                                        const std::string& default_namespace);

Result<api::AutoScaleOverride> CreateOverride(kube::Client& client, const std::string& namespace_,
                                              const api::OverrideSpec& spec);

// Empty `namespace_`: of all. By namespace and end.
Result<std::vector<api::AutoScaleOverride>> ListOverrides(kube::Client& client,
                                                          const std::string& namespace_);

Result<api::AutoScaleOverride> ReadOverride(kube::Client& client, const api::ObjectKey& key);

Status EndOverride(kube::Client& client, const api::AutoScaleOverride& override);

// Whether it is over, or was never valid.
bool HasEnded(const api::AutoScaleOverride& override, Time now);

}  // namespace ballast::cli
