// The resources that Ballast serves, and those that it reads beside them.
#pragma once

#include "api/autoscaling/override.h"
#include "api/autoscaling/types.h"
#include "operator/kube/resource.h"

namespace ballast::cluster {

inline const kube::Resource kPolicies{.group = "ballast.dev",
                                      .version = "v1alpha1",
                                      .plural = "autoscalepolicies",
                                      .kind = api::kPolicyKind};
inline const kube::Resource kOverrides{.group = "ballast.dev",
                                       .version = "v1alpha1",
                                       .plural = "autoscaleoverrides",
                                       .kind = api::kOverrideKind};
inline const kube::Resource kHpas{.group = "autoscaling",
                                  .version = "v2",
                                  .plural = "horizontalpodautoscalers",
                                  .kind = api::kHpaKind};
inline const kube::Resource kPods{.version = "v1", .plural = "pods", .kind = "Pod"};

}  // namespace ballast::cluster
