#include <algorithm>
#include <string>

#include "api/base/human_duration.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/runtime/lease.h"

namespace ballast::cli {
namespace {

constexpr const char* kOperator = "operator";
constexpr const char* kLeader = "leader";
// Clocks of machines differ: a lease counts as dead only after several times its duration.
constexpr int kLeaseDurations = 4;

std::string Age(Time then, Time now) { return HumanDuration(std::max(now - then, Duration())); }

Finding CheckPods(const Installation& installation) {
  const std::string logs =
      "kubectl -n " + installation.namespace_ + " logs " + installation.pods.front().name;
  std::string trouble;
  std::string others;
  std::int32_t restarts = 0;
  for (const OperatorPod& pod : installation.pods) {
    if (!pod.ready) {
      trouble += (trouble.empty() ? "" : "; ") + pod.name + " is not ready" +
                 (pod.trouble.empty() ? "" : " (" + pod.trouble + ")");
    }
    if (!pod.version.empty() && pod.version != BALLAST_VERSION) {
      others = "; " + pod.name + " is of version " + pod.version + ", this program of " +
               BALLAST_VERSION;
    }
    restarts += pod.restarts;
  }
  const auto ready = std::ranges::count(installation.pods, true, &OperatorPod::ready);
  const std::string counted =
      std::to_string(ready) + " of " + std::to_string(installation.pods.size()) +
      " pods ready in " + installation.namespace_ +
      (restarts > 0 ? ", " + std::to_string(restarts) + " restarts" : "") + others;
  if (!trouble.empty()) {
    return {kOperator, ready == 0 ? Severity::kFailure : Severity::kWarning,
            counted + ": " + trouble, logs};
  }
  return {kOperator, others.empty() ? Severity::kOk : Severity::kWarning, counted,
          others.empty() ? "" : "use the program of the same version"};
}

Finding CheckLease(CheckContext& context) {
  const api::ObjectKey& key = *context.installation.lease;
  const std::string name = "Lease " + key.Print();
  const std::string look = "kubectl -n " + key.namespace_ + " get lease " + key.name + " -o yaml";
  const auto lease = runtime::Send(context.client, key, {});
  if (!lease.ok()) {
    return lease.error().code == Code::kNotFound
               ? Finding{kLeader, Severity::kFailure, "nobody has led yet: there is no " + name,
                         "see the operator's log"}
               : Unknown(kLeader, name, lease.error());
  }
  const runtime::LeaseRecord& record = lease->record;
  if (record.holder.empty()) {
    return {kLeader, Severity::kFailure, "nobody leads: " + name + " has no holder",
            "see the operator's log"};
  }
  const auto renewed = ParseTime(record.renew_time);
  if (renewed.ok() && context.now - *renewed > Duration::Seconds(std::int64_t{kLeaseDurations} *
                                                                 record.duration_seconds)) {
    return {kLeader, Severity::kFailure,
            "nobody leads: " + record.holder + " renewed " + name + " last " +
                Age(*renewed, context.now) + " ago, by this machine's clock",
            look};
  }
  const auto since = ParseTime(record.acquire_time);
  return {kLeader, Severity::kOk,
          record.holder + " leads" + (since.ok() ? " since " + Age(*since, context.now) : ""), ""};
}

}  // namespace

std::vector<Finding> CheckOperator(CheckContext& context) {
  const Installation& installation = context.installation;
  std::vector<Finding> findings;
  if (!installation.pods.empty()) {
    findings.push_back(CheckPods(installation));
  }
  if (installation.lease) {
    findings.push_back(CheckLease(context));
  }
  if (installation.pods.empty()) {
    const bool leads = !findings.empty() && findings.front().level == Severity::kOk;
    const std::string where =
        installation.namespace_.empty() ? "any namespace" : "namespace " + installation.namespace_;
    findings.insert(findings.begin(),
                    {kOperator, leads ? Severity::kWarning : Severity::kFailure,
                     "no pod of the operator is in " + where +
                         (leads ? "; it seems to run outside of the cluster" : ""),
                     leads ? "" : "docs/install.md"});
  }
  return findings;
}

}  // namespace ballast::cli
