#include "operator/engine/policy_holds.h"

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

}  // namespace

void ApplyHolds(const Snapshot& snapshot, Conditions& conditions, Decision& decision,
                Trace& trace) {
  const auto hold = decision.rescale ? HoldUnsettled(snapshot) : std::nullopt;
  if (!hold) {
    conditions.False(kHeld, "Active", "the policy scales its target");
    return;
  }
  trace.Add([&] { return DescribeHold(decision, hold->reason, hold->message); });
  conditions.True(kHeld, hold->reason, hold->message);
  decision.rescale = false;
  decision.rescale_reason.clear();
  decision.target_replicas = decision.current_replicas;
  decision.status.desired_replicas = decision.current_replicas;
}

}  // namespace ballast::engine
