// The rights that an operator needs, as its flags have it: what the chart's roles grant
// (charts/ballast/templates/_rules.tpl), but for the kinds in customTargets and customOwners,
// and for namespaces, which policyRules may ask for.
//
// Thread-safety: plain values and a pure function.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/cluster/check/installation.h"

namespace ballast::cli {

struct Right {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string namespace_;  // empty: all namespaces, or the cluster
  std::string name;        // empty: of any name
};

std::vector<Right> RequiredRights(const Installation& installation);

// "patch deployments.apps/scale in shop"
std::string Print(const Right& right);

}  // namespace ballast::cli
