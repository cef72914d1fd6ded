#include "operator/cluster/scale_paths.h"

#include <string_view>

#include "api/kubernetes/label_selector.h"

namespace ballast::cluster {
namespace {

const kube::Resource kDefinitions{.group = "apiextensions.k8s.io",
                                  .version = "v1",
                                  .plural = "customresourcedefinitions",
                                  .kind = "CustomResourceDefinition",
                                  .namespaced = false};

// Follows a path such as ".spec.replicas"; the result is absent if any step is.
json::Cursor At(json::Cursor object, std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(path.front() == '.' ? 1 : 0);
    const std::size_t end = path.find('.');
    object = object.Member(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return object;
}

std::string ReadSelector(const json::Cursor& at, ScalePaths::SelectorForm form) {
  if (form == ScalePaths::SelectorForm::kText) {
    return std::string(at.Text());
  }
  api::LabelSelector selector;
  if (form == ScalePaths::SelectorForm::kLabelSelector) {
    api::Decode(at, selector);
  } else {
    for (const auto& [key, value] : at.Members()) {
      selector.match_labels.emplace(key, value.Text());
    }
  }
  const Result<api::Selector> parsed = api::ToSelector(selector);
  if (!parsed.ok()) {
    at.Fail(parsed.error().message);
    return {};
  }
  return parsed->Print();
}

}  // namespace

Result<ScalePaths> FindScalePaths(kube::Client& client, const kube::Resource& resource) {
  if (resource.group == "apps") {
    return ScalePaths{};
  }
  if (resource.group.empty() && resource.kind == "ReplicationController") {
    return ScalePaths{.form = ScalePaths::SelectorForm::kLabels};
  }
  ASSIGN_OR_RETURN(const json::Document document,
                   client.Get(kDefinitions, {"", resource.FullName()}));
  json::Decoder decoder(document);
  for (const json::Cursor& version :
       decoder.root().Required("spec").Required("versions").Elements()) {
    if (version.Member("name").Text() != resource.version) {
      continue;
    }
    const json::Cursor scale = version.Member("subresources").Member("scale");
    if (!scale.present()) {
      break;
    }
    ScalePaths paths{.selector = "", .form = ScalePaths::SelectorForm::kText};
    scale.Member("specReplicasPath").Read(paths.spec_replicas);
    scale.Member("statusReplicasPath").Read(paths.status_replicas);
    scale.Member("labelSelectorPath").Read(paths.selector);
    TRY(decoder.status());
    return paths;
  }
  TRY(decoder.status());
  return Error{Code::kInvalid,
               resource.FullName() + ": version " + resource.version +
                   " has no scale subresource (spec.versions[].subresources.scale)"};
}

WatchedScale ReadScale(const json::Cursor& object, const ScalePaths& paths) {
  WatchedScale scale;
  const json::Cursor metadata = object.Member("metadata");
  metadata.Member("namespace").Read(scale.metadata.namespace_);
  metadata.Member("name").Read(scale.metadata.name);
  metadata.Member("uid").Read(scale.metadata.uid);
  metadata.Member("resourceVersion").Read(scale.metadata.resource_version);
  scale.has_replicas = At(object, paths.spec_replicas).Read(scale.spec_replicas);
  At(object, paths.status_replicas).Read(scale.status_replicas);
  if (!paths.selector.empty()) {
    scale.selector = ReadSelector(At(object, paths.selector), paths.form);
  }
  return scale;
}

}  // namespace ballast::cluster
