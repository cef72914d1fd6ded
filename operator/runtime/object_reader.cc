#include "operator/runtime/object_reader.h"

namespace ballast::runtime {

ObjectIdentity Identify(const json::Cursor& object) {
  const json::Cursor metadata = object.Required("metadata");
  ObjectIdentity id;
  metadata.Member("namespace").Read(id.key.namespace_);
  metadata.Required("name").Read(id.key.name);
  metadata.Member("uid").Read(id.uid);
  metadata.Required("resourceVersion").Read(id.resource_version);
  return id;
}

}  // namespace ballast::runtime
