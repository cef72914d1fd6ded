#include "operator/kube/resource.h"

#include "operator/kube/url.h"

namespace ballast::kube {
namespace {

// What Kubernetes allows as a path segment (IsValidPathSegmentName), and that it is one.
bool IsSegment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         text.find_first_of("/%") == std::string_view::npos;
}

}  // namespace

std::string CollectionPath(const Resource& resource, std::string_view namespace_) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/";
  path += resource.ApiVersion();
  if (resource.namespaced && !namespace_.empty()) {
    path += "/namespaces/" + Escape(namespace_);
  }
  return path + "/" + resource.plural;
}

Result<std::string> ObjectPath(const Resource& resource, const api::ObjectKey& key,
                               std::string_view subresource) {
  if (resource.namespaced && !IsSegment(key.namespace_)) {
    return Error{Code::kInvalid, "\"" + key.namespace_ + "\" cannot be a namespace"};
  }
  if (!IsSegment(key.name)) {
    return Error{Code::kInvalid, "\"" + key.name + "\" cannot be an object's name"};
  }
  std::string path = CollectionPath(resource, key.namespace_) + "/" + Escape(key.name);
  if (!subresource.empty()) {
    path += "/" + std::string(subresource);
  }
  return path;
}

}  // namespace ballast::kube
