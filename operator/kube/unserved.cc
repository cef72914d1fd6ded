#include "operator/kube/unserved.h"

#include "operator/kube/get_document.h"

namespace ballast::kube {

bool IsUnserved(Transport& transport, const Resource& resource) {
  const auto document =
      GetDocument(transport, (resource.group.empty() ? "/api/" : "/apis/") + resource.ApiVersion());
  if (!document.ok()) {
    return document.error().code == Code::kNotFound;
  }
  json::Decoder decoder(*document);
  const json::Cursor resources = decoder.root().Member("resources");
  for (const json::Cursor served : resources.Elements()) {
    if (served.Member("name").Text() == resource.plural) {
      return false;
    }
  }
  return resources.present();
}

}  // namespace ballast::kube
