#include "operator/controllers/read_back.h"

#include <string>

namespace ballast::controllers {

using Kind = engine::Outcome::Kind;

engine::Outcome ReadBack(kube::Client& client, const kube::Resource& resource,
                         const api::ObjectKey& key, const kube::ScaleChange& change, Time since) {
  const Result<api::Scale> scale = client.GetScale(resource, key);
  if (!scale.ok()) {
    return {Kind::kUnknown, "the scale cannot be read back: " + scale.error().message};
  }
  return Judge(*scale, change, since);
}

engine::Outcome Judge(const api::Scale& scale, const kube::ScaleChange& change, Time since) {
  if (scale.metadata.uid != change.uid) {
    return {Kind::kUnknown, "the target was deleted and made again meanwhile"};
  }
  const bool set_since =
      scale.replicas_manager && scale.replicas_manager->time >= Time(since.unix_seconds(), 0);
  if (!set_since) {
    return {Kind::kFailed, "the write did not arrive"};
  }
  if (scale.replicas_manager->manager != kFieldManager) {
    return {Kind::kUnknown, "\"" + scale.replicas_manager->manager + "\" set the replicas to " +
                                std::to_string(scale.spec_replicas) + " meanwhile"};
  }
  if (scale.spec_replicas != change.to) {
    return {Kind::kFailed, "the replicas are those of an earlier write"};
  }
  return {Kind::kWritten, ""};
}

}  // namespace ballast::controllers
