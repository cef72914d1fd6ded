// A kind of object as the API server serves it, and the paths at which its objects lie.
//
// Thread-safety: plain values.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"

namespace ballast::kube {

struct Resource {
  std::string group;  // "" is the core group
  std::string version;
  std::string plural;  // "deployments"
  std::string kind;    // "Deployment"
  bool namespaced = true;
  bool has_scale = false;

  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  // As kubectl has it: "deployments.apps", "pods".
  std::string FullName() const { return group.empty() ? plural : plural + "." + group; }
};

using api::GroupOf;

// Where the objects lie: "/apis/apps/v1/namespaces/shop/deployments". An empty namespace: all.
std::string CollectionPath(const Resource& resource, std::string_view namespace_);

// Where one object or its subresource ("scale", "status", "" for itself) lies. kInvalid when one of
// the names, which come from users, cannot be part of a path (path.h).
Result<std::string> ObjectPath(const Resource& resource, const api::ObjectKey& key,
                               std::string_view subresource = {});

}  // namespace ballast::kube
