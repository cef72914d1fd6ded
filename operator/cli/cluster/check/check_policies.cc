#include <algorithm>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/cluster/summary.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

constexpr const char* kPoliciesCheck = "policies";
constexpr const char* kStore = "store";

struct Tally {
  int count = 0;
  int not_ready = 0;
  int degraded = 0;
  std::string example;  // of one that is degraded
};

void Count(const api::Autoscaler& policy, Tally& tally) {
  ++tally.count;
  tally.not_ready += Summarize(policy).healthy() ? 0 : 1;
  const auto degraded = std::ranges::find_if(policy.status.conditions, [](const auto& condition) {
    return condition.type == api::kHistoryDegraded && condition.status == "True";
  });
  if (degraded != policy.status.conditions.end()) {
    ++tally.degraded;
    tally.example = degraded->message;
  }
}

}  // namespace

Result<std::vector<api::Autoscaler>> ServedPolicies(CheckContext& context) {
  std::vector<api::Autoscaler> policies;
  const auto& serves = context.installation.serves;
  for (const std::string& namespace_ : serves.empty() ? std::vector<std::string>{""} : serves) {
    TRY(context.client.List(cluster::kPolicies, {.namespace_ = namespace_},
                            [&](const json::Cursor& item) {
                              api::Autoscaler& policy = policies.emplace_back();
                              api::Decode(item, policy);
                              policy.kind = cluster::kPolicies.kind;
                              return Status(Done{});
                            }));
  }
  return policies;
}

std::vector<Finding> CheckPolicies(CheckContext& context) {
  const auto policies = ServedPolicies(context);
  if (!policies.ok()) {
    return {Unknown(kPoliciesCheck, "policies", policies.error())};
  }
  Tally tally;
  for (const api::Autoscaler& policy : *policies) {
    Count(policy, tally);
  }
  const std::string count =
      std::to_string(tally.count) + (tally.count == 1 ? " policy" : " policies");
  std::vector<Finding> findings;
  findings.push_back(
      tally.not_ready == 0
          ? Finding{kPoliciesCheck, Severity::kOk,
                    tally.count == 0 ? "there are none" : count + ", all ready", ""}
          : Finding{kPoliciesCheck, Severity::kWarning,
                    count + ", of which " + std::to_string(tally.not_ready) + " not ready",
                    "ballast get -A --unhealthy"});
  if (tally.degraded > 0) {
    findings.push_back({kStore, Severity::kFailure,
                        "the history of " + std::to_string(tally.degraded) + " of " + count +
                            " is not complete: " + tally.example,
                        "docs/store.md"});
  } else if (tally.count > 0) {
    findings.push_back({kStore, Severity::kOk, "no policy misses a part of its history", ""});
  }
  return findings;
}

}  // namespace ballast::cli
