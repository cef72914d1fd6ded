// Reads and writes overrides with the caller's rights.
//
// Thread-safety: thread-safe if the client and the transport are.
// Errors: the transport's, as sentences for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/result.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

// An autoscaler that an override is about, which the caller need not be able to read.
struct OverrideTarget {
  api::ObjectReference name;
  std::optional<api::ObjectMeta> metadata;  // absent: it cannot be read
};
// What the name means: of a name without a kind, the one that the cluster has. kConflict: there is
// one of each kind. kUnavailable: there is none, or without its kind it cannot be found.
Result<OverrideTarget> FindTarget(kube::Client& client, const AutoscalerName& name,
                                  const std::string& default_namespace);

// Tells on standard error if it is an HPA that another controller seems to scale, where nothing
// that is made here counts. `what`: "the pause".
void WarnOfForeignHpa(const OverrideTarget& target, const std::string& what);

// Of these kNotFound means that the cluster has no such kind. Of what is read status.owner is the
// owner: whatever the spec says of that, anybody may have written.
Result<api::AutoScaleOverride> CreateOverride(kube::Transport& transport,
                                              const std::string& namespace_,
                                              const api::OverrideSpec& spec);

// Empty `namespace_`: of all. By namespace and end.
Result<std::vector<api::AutoScaleOverride>> ListOverrides(kube::Transport& transport,
                                                          const std::string& namespace_);

Result<api::AutoScaleOverride> ReadOverride(kube::Transport& transport, const api::ObjectKey& key);

// Marks it as ended, so that people can look it up for a while. A cluster whose definition of
// overrides is older, and has no such mark, deletes it.
Status EndOverride(kube::Transport& transport, const api::AutoScaleOverride& override, Time now);

// Whether it is over, or was never valid.
bool HasEnded(const api::AutoScaleOverride& override, Time now);

}  // namespace ballast::cli
