#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/cluster/check/installed_sources.h"
#include "operator/engine/policy/suspect_source.h"
#include "operator/sources/source_file.h"

namespace ballast::cli {
namespace {

constexpr const char* kDocument = "docs/prometheus.md";

// By name.
using Sources = std::map<std::string, sources::PrometheusSource>;

// What policies say about a source of metrics.
struct Use {
  int policies = 0;
  int failing = 0;
  std::string failure;    // of one of them
  std::string forbidden;  // the namespace of one that may not use it
};

const api::Condition* Find(const api::Autoscaler& policy, const char* type, const char* status) {
  const auto& all = policy.status.conditions;
  const auto found = std::ranges::find(all, type, &api::Condition::type);
  return found == all.end() || found->status != status ? nullptr : &*found;
}

void Count(const api::Autoscaler& policy, const std::optional<Sources>& sources,
           std::map<std::string, Use>& uses) {
  // A policy may ask a source several times.
  std::map<std::string, const api::PrometheusMetricSource*> asked;
  for (const api::MetricSpec& metric : policy.spec.metrics) {
    if (metric.prometheus) {
      asked.emplace(metric.prometheus->source, &*metric.prometheus);
    }
  }
  const api::Condition* failed = Find(policy, api::kScalingActive, "False");
  for (const auto& [name, metric] : asked) {
    Use& use = uses[name];
    ++use.policies;
    // prometheus_metric.cc names the source.
    if (failed != nullptr && failed->message.find(" from " + name + ":") != std::string::npos) {
      ++use.failing;
      use.failure = failed->message;
    }
    if (sources && sources->contains(name) &&
        !sources->at(name).namespaces.Contain(policy.metadata.namespace_)) {
      use.forbidden = policy.metadata.namespace_;
    }
  }
}

// Neither address has a credential (source_file.cc).
std::string WhereIs(const kube::ClusterConfig& source) {
  return " at " + source.server + (source.proxy_url.empty() ? "" : " through " + source.proxy_url);
}

Finding Judge(const std::string& name, const Use& use, const std::optional<Sources>& sources) {
  const std::string check = "source " + name;
  const std::string policies =
      std::to_string(use.policies) + (use.policies == 1 ? " policy" : " policies");
  if (sources && !sources->contains(name)) {
    return {check, Severity::kFailure,
            "is asked by " + policies + ", and --metric-sources has none", kDocument};
  }
  if (!use.forbidden.empty()) {
    return {check, Severity::kFailure,
            "is asked by a policy in " + use.forbidden + ", which may not use it", kDocument};
  }
  const std::string where = sources ? WhereIs(sources->at(name).connection) : "";
  if (use.failing > 0) {
    return {check, Severity::kWarning,
            "gives " + std::to_string(use.failing) + " of " + policies + " no value" + where +
                ": " + use.failure,
            "docs/troubleshooting.md"};
  }
  return {check, Severity::kOk,
          "is asked by " + (use.policies == 0 ? "no policy" : policies) + where, ""};
}

// What the operator's file of sources has; nullopt: it is where only the operator can read it.
Result<std::optional<Sources>> ReadSources(CheckContext& context) {
  ASSIGN_OR_RETURN(const auto installed,
                   ReadInstalledSources(context.client, context.installation));
  if (!installed) {
    return std::optional<Sources>();
  }
  Sources sources;
  for (const sources::PrometheusSource& source : *installed) {
    sources.emplace(source.name, source);
  }
  return std::optional(std::move(sources));
}

}  // namespace

std::vector<Finding> CheckSources(CheckContext& context) {
  const auto policies = ServedPolicies(context);
  if (!policies.ok()) {
    return {};  // the check of the policies says so
  }
  std::vector<Finding> findings;
  std::optional<Sources> sources;
  if (context.installation.pods.empty()) {
    // Without the operator's flags nobody knows.
  } else if (auto read = ReadSources(context); read.ok()) {
    sources = std::move(read).value();
  } else if (read.error().code == Code::kInvalid) {
    findings.push_back({"sources", Severity::kFailure,
                        "the file of --metric-sources is wrong: " + read.error().message,
                        kDocument});
  } else {
    findings.push_back(Unknown("sources", "the file of --metric-sources", read.error()));
  }
  std::map<std::string, Use> uses;
  for (const auto& [name, namespaces] : sources.value_or(Sources())) {
    uses[name];
  }
  int suspicious = 0;
  std::string suspicion;
  for (const api::Autoscaler& policy : *policies) {
    Count(policy, sources, uses);
    const api::Condition* held = Find(policy, api::kHeld, "True");
    if (held != nullptr && held->reason == engine::kSourceSuspect) {
      ++suspicious;
      suspicion = held->message;
    }
  }
  for (const auto& [name, use] : uses) {
    findings.push_back(Judge(name, use, sources));
  }
  if (suspicious > 0) {
    findings.push_back({"sources", Severity::kWarning,
                        std::to_string(suspicious) + " of " + std::to_string(policies->size()) +
                            " policies are not scaled in: " + suspicion,
                        "docs/policy.md, Suspect sources"});
  }
  return findings;
}

}  // namespace ballast::cli
