#include "operator/controllers/targets.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/label_selector.h"
#include "operator/controllers/label_pairs.h"
#include "operator/controllers/scale_paths.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {
namespace {

// How long a kind that could not be watched is asked for object by object before trying again.
constexpr std::chrono::minutes kRetryWatch{10};

// Under what a selector is found that may match any labels.
constexpr const char* kAnyLabels = "";
constexpr const char* kByPair = "pair";

// Without a selector that can be read, a target selects no pods.
std::vector<std::string> IndexPairs(const api::ObjectKey& key, const api::Scale& scale) {
  const auto selector = api::ParseSelector(scale.selector);
  if (!selector.ok() || selector->empty()) {
    return {};
  }
  std::vector<std::string> values;
  for (const std::string& pair : PairsAskedFor(*selector)) {
    values.push_back(key.namespace_ + "/" + pair);
  }
  if (values.empty()) {
    values.push_back(key.namespace_ + "/" + kAnyLabels);
  }
  return values;
}

std::string KindKey(const kube::Resource& resource) {
  return resource.ApiVersion() + "/" + resource.plural;
}

std::string TargetKey(const kube::Resource& resource, const api::ObjectKey& key) {
  return resource.group + "/" + resource.plural + "/" + key.Print();
}

}  // namespace

Result<kube::Resource> Targets::Resolve(const api::CrossVersionObjectReference& reference) {
  ASSIGN_OR_RETURN(kube::Resource resource, mapper_.Find(reference.api_version, reference.kind));
  if (!resource.has_scale) {
    return Error{Code::kInvalid,
                 resource.ApiVersion() + " " + resource.kind +
                     " has no scale subresource, so it cannot be scaled; name a "
                     "Deployment, a StatefulSet, or a custom resource that has one"};
  }
  return resource;
}

Result<api::Scale> Targets::Read(const kube::Resource& resource, const api::ObjectKey& key) {
  const ScaleWatch* watch = WatchOf(resource);
  if (watch != nullptr && watch->HasSynced()) {
    const auto seen = watch->Get(key);
    if (auto found = live_.Find(TargetKey(resource, key), seen.get())) {
      return *std::move(found);
    }
  }
  Result<api::Scale> scale = client_.GetScale(resource, key);
  Learned(resource, key, scale);
  return scale;
}

std::vector<std::shared_ptr<const api::Scale>> Targets::MaySelect(
    const api::CrossVersionObjectReference& kind, const std::string& namespace_,
    const std::set<std::string>& pairs) {
  std::vector<std::shared_ptr<const api::Scale>> found;
  const Result<kube::Resource> resource = mapper_.Find(kind.api_version, kind.kind);
  const ScaleWatch* watch = resource.ok() && resource->has_scale ? WatchOf(*resource) : nullptr;
  if (watch == nullptr) {
    return found;
  }
  const auto add = [&](const std::string& pair) {
    const auto some = watch->ByIndex(namespace_, kByPair, namespace_ + "/" + pair);
    found.insert(found.end(), some.begin(), some.end());
  };
  add(kAnyLabels);
  std::ranges::for_each(pairs, add);
  return found;
}

void Targets::Learned(const kube::Resource& resource, const api::ObjectKey& key,
                      const Result<api::Scale>& answer) {
  if (const auto watch = WatchNow(resource)) {
    const auto seen = *watch == nullptr ? nullptr : (*watch)->Get(key);
    live_.Learn(TargetKey(resource, key), seen.get(), answer);
  }
}

void Targets::Refused(const kube::Resource& resource, const api::ObjectKey& key) {
  if (WatchNow(resource)) {
    live_.Doubt(TargetKey(resource, key));
  }
}

std::optional<const Targets::ScaleWatch*> Targets::WatchNow(const kube::Resource& resource) {
  const std::lock_guard lock(mutex_);
  const Kind& kind = kinds_[KindKey(resource)];
  if (kind.watch == nullptr && kind.try_at) {
    return std::nullopt;
  }
  return kind.watch.get();
}

Targets::ScaleWatch* Targets::WatchOf(const kube::Resource& resource) {
  std::unique_lock lock(mutex_);
  Kind& kind = kinds_[KindKey(resource)];  // stays where it is
  if (kind.watch != nullptr || !kind.try_at || clock_.Steady() < *kind.try_at) {
    return kind.watch.get();
  }
  kind.try_at.reset();
  lock.unlock();
  auto watch = StartWatch(resource);  // with requests: not under the lock
  lock.lock();
  kind.watch = std::move(watch);
  kind.try_at = clock_.Steady() + kRetryWatch;
  return kind.watch.get();
}

std::unique_ptr<Targets::ScaleWatch> Targets::StartWatch(const kube::Resource& resource) {
  Result<ScalePaths> paths = FindScalePaths(client_, resource);
  if (!paths.ok() || !MayList(resource)) {
    log::Info("a kind of target is not watched; each scale is asked for",
              {{"kind", resource.kind},
               {"reason", paths.ok() ? "no right to list it" : paths.error().message}});
    return nullptr;
  }
  auto watch = std::make_unique<ScaleWatch>(
      transport_, clock_, resource, namespaces_,
      runtime::ByCursor<api::Scale>(
          [paths = *paths](const json::Cursor& object) { return ReadScale(object, paths); }));
  watch->AddIndex(kByPair, IndexPairs);
  watch->AddHandler([this, resource](const ScaleWatch::Informer::Change& change) {
    live_.Saw(TargetKey(resource, change.key), change.before.get(), change.after.get());
  });
  watch->Start();
  return watch;
}

bool Targets::MayList(const kube::Resource& resource) {
  kube::Request request{
      .path = kube::CollectionPath(resource, namespaces_.empty() ? "" : namespaces_.front()),
      .query = {{"limit", "1"}}};
  const auto answer = transport_.Do(request);
  return answer.ok() || answer.error().code != Code::kForbidden;
}

}  // namespace ballast::controllers
