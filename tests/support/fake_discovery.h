// A fake server's discovery of the workloads that tests scale.
#pragma once

#include <optional>
#include <string>

#include "operator/kube/transport.h"

namespace ballast::support {

// The group apps with Deployments and StatefulSets, their scales, and ReplicaSets; nullopt: any
// other path.
inline std::optional<kube::Response> DiscoverApps(const std::string& path) {
  if (path == "/apis/apps") {
    return kube::Response{
        200,
        R"({"kind":"APIGroup","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],)"
        R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})"};
  }
  if (path == "/apis/apps/v1") {
    return kube::Response{
        200, R"({"resources":[{"name":"deployments","kind":"Deployment","namespaced":true},)"
             R"({"name":"deployments/scale","kind":"Scale","namespaced":true},)"
             R"({"name":"replicasets","kind":"ReplicaSet","namespaced":true},)"
             R"({"name":"statefulsets","kind":"StatefulSet","namespaced":true},)"
             R"({"name":"statefulsets/scale","kind":"Scale","namespaced":true}]})"};
  }
  return std::nullopt;
}

}  // namespace ballast::support
