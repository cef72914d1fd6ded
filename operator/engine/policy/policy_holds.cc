#include "operator/engine/policy/policy_holds.h"

#include <optional>
#include <string>

#include "operator/engine/describe.h"

namespace ballast::engine {
namespace {

struct Hold {
  const char* reason;
  std::string message;
};

// Whatever is decided now would be decided on a count that may be about to change.
std::optional<Hold> HoldUnsettled(const Snapshot& snapshot) {
  const auto& write = snapshot.unsettled_write;
  if (!write) {
    return std::nullopt;
  }
  return Hold{"UnsettledWrite",
              "whether the write of the scale from " + std::to_string(write->from) + " to " +
                  std::to_string(write->to) + ", decided at " + Print(write->time) +
                  ", has arrived is not known yet; until it is, nothing else is written"};
}

// What the metrics say of pods that are gone, or that nobody has seen yet, means nothing.
std::optional<Hold> HoldOldView(const Snapshot& snapshot, const Decision& decision) {
  const Duration limit = snapshot.settings.max_view_age;
  if (!snapshot.pods_age || *snapshot.pods_age <= limit ||
      decision.target_replicas >= decision.current_replicas ||
      decision.current_replicas > decision.bounds.max) {
    return std::nullopt;
  }
  return Hold{"OldView", "nothing was heard of the pods for " + Print(*snapshot.pods_age) +
                             ", more than the " + Print(limit) +
                             " of --max-view-age: nothing is scaled in until there is news"};
}

}  // namespace

void ApplyHolds(const Snapshot& snapshot, Conditions& conditions, Decision& decision,
                Trace& trace) {
  std::optional<Hold> hold;
  if (decision.rescale) {
    hold = HoldUnsettled(snapshot);
    hold = hold ? hold : HoldOldView(snapshot, decision);
  }
  if (!hold) {
    conditions.False(api::kHeld, "Active", "the policy scales its target");
    return;
  }
  trace.Add([&] { return DescribeHold(decision, hold->reason, hold->message); });
  conditions.True(api::kHeld, hold->reason, hold->message);
  decision.rescale = false;
  decision.rescale_reason.clear();
  decision.target_replicas = decision.current_replicas;
  decision.status.desired_replicas = decision.current_replicas;
}

}  // namespace ballast::engine
