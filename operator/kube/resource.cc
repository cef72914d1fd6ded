#include "operator/kube/resource.h"

#include "operator/kube/path.h"

namespace ballast::kube {
namespace {

Path Collection(const Resource& resource, std::string_view namespace_) {
  Path path;
  path /= resource.group.empty() ? "api" : "apis";
  if (!resource.group.empty()) {
    path /= resource.group;
  }
  path /= resource.version;
  if (resource.namespaced && !namespace_.empty()) {
    path = path / "namespaces" / namespace_;
  }
  return path / resource.plural;
}

}  // namespace

std::string CollectionPath(const Resource& resource, std::string_view namespace_) {
  return Collection(resource, namespace_).text();
}

Result<std::string> ObjectPath(const Resource& resource, const api::ObjectKey& key,
                               std::string_view subresource) {
  if (resource.namespaced && key.namespace_.empty()) {
    return Error{Code::kInvalid, "\"" + key.name + "\" has no namespace"};
  }
  Path path = Collection(resource, key.namespace_) / key.name;
  if (!subresource.empty()) {
    path /= subresource;
  }
  return path.Checked();
}

}  // namespace ballast::kube
