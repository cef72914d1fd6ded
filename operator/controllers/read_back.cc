#include "operator/controllers/read_back.h"

#include <string>

namespace ballast::controllers {

using Kind = engine::Outcome::Kind;

std::optional<api::FieldManager> FindManager(kube::Client& client, const kube::Resource& resource,
                                             const api::ObjectKey& key) {
  const Result<json::Document> object = client.Get(resource, key);
  if (!object.ok()) {
    return std::nullopt;
  }
  json::Decoder decoder(*object);
  api::Scale scale;
  api::Decode(decoder.root(), scale);
  return scale.replicas_manager;
}

Result<engine::Outcome> ReadBack(kube::Client& client, const kube::Resource& resource,
                                 const api::ObjectKey& key, const kube::ScaleChange& change) {
  Result<api::Scale> scale = client.GetScale(resource, key);
  if (!scale.ok() && scale.error().code == Code::kNotFound) {
    return engine::Outcome{Kind::kFailed, "the target is gone"};
  }
  if (!scale.ok()) {
    return Error{scale.error().code, "the scale cannot be read back: " + scale.error().message};
  }
  if (!scale->replicas_manager) {
    scale->replicas_manager = FindManager(client, resource, key);
  }
  return Judge(*scale, change);
}

engine::Outcome Judge(const api::Scale& scale, const kube::ScaleChange& change) {
  if (scale.metadata.uid != change.uid) {
    return {Kind::kUnknown, "the target was deleted and made again meanwhile"};
  }
  if (scale.spec_replicas == change.from) {
    return {Kind::kFailed, "the write did not arrive"};
  }
  const bool others = scale.replicas_manager && scale.replicas_manager->manager != kFieldManager;
  if (others || scale.spec_replicas != change.to) {
    return {Kind::kUnknown,
            (others ? "\"" + scale.replicas_manager->manager + "\"" : "somebody else") +
                " set the replicas to " + std::to_string(scale.spec_replicas) + " meanwhile"};
  }
  return {Kind::kWritten, ""};
}

}  // namespace ballast::controllers
