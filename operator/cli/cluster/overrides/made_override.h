// What whoever has just made an override, or ended it, should know of it: which others it replaces,
// and whether the operator obeys.
//
// Thread-safety: thread-safe if the transport is.
// Errors: none; what the caller may not read is left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/autoscaling/override.h"
#include "api/base/time.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/command.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

// Sentences about the others of its type that do not count while it does. `target`: null for one by
// labels, which replaces those of its kind whose autoscalers it matches.
std::vector<std::string> TellReplaced(kube::Transport& transport, const OverrideTarget* target,
                                      const api::AutoScaleOverride& made, Time now);

struct OverrideVerdict {
  std::string problem;  // why no autoscaler obeys it; empty: one does, or nobody knows yet
  std::string warning;
};
// What the operator says of it. Asks again and again, with `pause` in between, until it has looked
// at it, or seems not to.
OverrideVerdict AwaitVerdict(kube::Transport& transport, const api::AutoScaleOverride& made,
                             const std::function<void()>& pause);

// Tells both on standard error, within a few seconds.
ExitStatus TellOfMade(const std::string& subcommand, kube::Transport& transport,
                      const OverrideTarget* target, const api::AutoScaleOverride& made);

// Why one that was marked as ended may count all the same; empty: the operator has seen the mark,
// or nobody knows. Waits as AwaitVerdict.
std::string AwaitEnd(kube::Transport& transport, const api::AutoScaleOverride& ended,
                     const std::function<void()>& pause);

// Tells that on standard error.
void TellOfEnd(kube::Transport& transport, const api::AutoScaleOverride& ended);

}  // namespace ballast::cli
