// The installation's rules for AutoScalePolicies, by namespace: what is filled into policies that
// leave it out, and limits that none may go beyond. namespace_rules.h applies them.
//
//   rules:
//   - name: batch
//     namespaceSelector: {matchLabels: {tier: batch}}   # absent: every namespace
//     defaults:
//       podSelection: Owned
//       behavior: {scaleDown: {stabilizationWindowSeconds: 600}}
//     limits: {maxReplicas: 100, minSyncPeriodSeconds: 15}
//     enforcement: Deny   # or Warn
//
// docs/admission.md explains the fields.
//
// Errors: kInvalid with the file and the field ("rules.yaml: rules[0].limits.maxReplicas: ...").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/label_selector.h"

namespace ballast::api {

// The label that every namespace has: its name.
inline constexpr const char* kNamespaceName = "kubernetes.io/metadata.name";

struct PolicyRule {
  std::string name;
  // The selector, in two parts that must both match.
  Selector names;             // about kNamespaceName, which is known wherever the name is
  Selector labels;            // about all other labels
  std::string behavior;       // JSON; empty: no default
  std::string pod_selection;  // empty: no default
  std::optional<std::int32_t> max_replicas;
  std::optional<std::int32_t> min_sync_period_seconds;
  bool denies = true;  // what is beyond a limit; false: warns of it
};

using PolicyRules = std::vector<PolicyRule>;

// Whether a rule asks for more than a namespace's name.
bool NeedLabels(const PolicyRules& rules);

// `file`: its name, for errors.
Result<PolicyRules> ParsePolicyRules(const std::string& file, std::string_view yaml);

}  // namespace ballast::api
