// The rights that an operator needs, as its flags have it: what the chart's roles grant
// (charts/ballast/templates/_rules.tpl), but for the kinds in customOwners, and for namespaces,
// which policyRules may ask for.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/cluster/check/installation.h"
#include "operator/kube/resource.h"

namespace ballast::cli {

struct Right {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string namespace_;  // empty: all namespaces, or the cluster
  std::string name;        // empty: of any name
};

// `custom`: the resources that policies scale beside Kubernetes' own.
std::vector<Right> RequiredRights(const Installation& installation,
                                  const std::vector<kube::Resource>& custom = {});

// "patch deployments.apps/scale in shop"
std::string Print(const Right& right);

}  // namespace ballast::cli
