#include "operator/cluster/scale_targets.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "api/kubernetes/parse_selector.h"
#include "operator/cluster/end_silence.h"
#include "operator/cluster/key_of_parts.h"
#include "operator/cluster/label_pairs.h"
#include "operator/cluster/watch_lag.h"
#include "operator/process/log.h"

namespace ballast::cluster {
namespace {

// How long the scales of a kind that cannot be watched are read one by one before another try.
constexpr std::chrono::minutes kRetryWatch{10};

std::string TargetKey(const kube::Resource& resource, const api::ObjectKey& key) {
  return KeyOfParts({resource.group, resource.plural, key.namespace_, key.name});
}

Status CheckScale(const kube::Resource& resource) {
  if (!resource.has_scale) {
    return Error{Code::kInvalid,
                 resource.ApiVersion() + " " + resource.kind +
                     " has no scale subresource, so it cannot be scaled; name a "
                     "Deployment, a StatefulSet, or a custom resource that has one"};
  }
  return Done{};
}

}  // namespace

Result<kube::Resource> ScaleTargets::Resolve(const api::CrossVersionObjectReference& reference) {
  ASSIGN_OR_RETURN(kube::Resource resource, mapper_.Find(reference.api_version, reference.kind));
  TRY(CheckScale(resource));
  return resource;
}

Result<kube::Resource> ScaleTargets::ResolveKnown(
    const api::CrossVersionObjectReference& reference) {
  const auto known = mapper_.Cached(reference.api_version, reference.kind);
  if (known == nullptr) {
    return Resolve(reference);
  }
  TRY(CheckScale(*known));
  return *known;
}

Result<api::Scale> ScaleTargets::Read(const kube::Resource& resource, const api::ObjectKey& key) {
  const std::string target = TargetKey(resource, key);
  const ScaleWatch* watch = WatchOf(resource);
  const bool silent = watch == nullptr || IsSilent(*watch, key.namespace_);
  std::shared_ptr<const WatchedScale> seen;
  if (watch != nullptr && watch->scales.HasSynced()) {
    seen = watch->scales.Get(key);
    auto found = silent ? std::nullopt : live_.Find(target, seen.get());
    if (found && (seen == nullptr || seen->has_replicas)) {
      return *std::move(found);
    }
  }
  Result<api::Scale> scale = client_.GetScale(resource, key);
  if (watch != nullptr) {
    // With the view from before the request: a 404 says nothing of an object that appeared since.
    live_.Learn(target, seen.get(), scale);
    const auto since = live_.BehindSince(target);
    const auto read_at = watch->scales.LastRead(key.namespace_);
    if (since && read_at && IsBehind(*since, *read_at, clock_.Steady())) {
      watch->scales.Reread(key.namespace_);
    }
  }
  if (silent) {
    const std::lock_guard lock(mutex_);
    kinds_[resource].read.Remember(key, scale, clock_.Steady());
  }
  return scale;
}

Result<api::Scale> ScaleTargets::Find(const api::CrossVersionObjectReference& reference,
                                      const api::ObjectKey& key) {
  ASSIGN_OR_RETURN(const kube::Resource resource, Resolve(reference));
  return Read(resource, key);
}

std::optional<Result<api::Scale>> ScaleTargets::FindAtOnce(
    const api::CrossVersionObjectReference& reference, const api::ObjectKey& key) {
  const auto known = mapper_.FindAtOnce(reference.api_version, reference.kind);
  if (!known) {
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(const kube::ResourcePointer resource, *known);
  TRY(CheckScale(*resource));
  const auto watch = WatchNow(*resource);
  if (!watch || *watch == nullptr || !(*watch)->scales.HasSynced() ||
      IsSilent(**watch, key.namespace_)) {
    return std::nullopt;
  }
  const auto seen = (*watch)->scales.Get(key);
  auto scale = live_.Find(TargetKey(*resource, key), seen.get());
  if (!scale || (seen != nullptr && !seen->has_replicas)) {
    return std::nullopt;
  }
  return scale;
}

std::vector<std::shared_ptr<const api::Scale>> ScaleTargets::MaySelect(
    const api::CrossVersionObjectReference& kind, const std::string& namespace_,
    const std::set<std::string>& pairs) {
  std::vector<std::shared_ptr<const api::Scale>> found;
  const auto resource = mapper_.Cached(kind.api_version, kind.kind);
  if (!resource) {
    return found;
  }
  const auto watch = WatchNow(*resource);
  if (!watch || *watch == nullptr || IsSilent(**watch, namespace_)) {
    const std::lock_guard lock(mutex_);
    return kinds_[*resource].read.MaySelect(namespace_, pairs);
  }
  for (const std::string& name : (*watch)->selectors.Find(namespace_, pairs)) {
    if (auto scale = (*watch)->scales.Get({namespace_, name})) {
      found.push_back(std::move(scale));
    }
  }
  return found;
}

bool ScaleTargets::CannotWatch(const api::CrossVersionObjectReference& kind,
                               const std::string& namespace_) {
  const auto resource = mapper_.Cached(kind.api_version, kind.kind);
  const std::lock_guard lock(mutex_);
  return resource && CannotWatch(kinds_[*resource], namespace_);
}

bool ScaleTargets::CannotWatch(const Kind& kind, const std::string& namespace_) const {
  return kind.watch == nullptr ? kind.tried : IsSilent(*kind.watch, namespace_);
}

bool ScaleTargets::MustRead(const api::CrossVersionObjectReference& target,
                            const std::string& namespace_) {
  if (!CannotWatch(target, namespace_)) {
    return false;
  }
  const auto resource = mapper_.Cached(target.api_version, target.kind);
  const std::lock_guard lock(mutex_);
  return resource && !kinds_[*resource].read.Knows({namespace_, target.name}, clock_.Steady());
}

void ScaleTargets::StartWatching(const api::CrossVersionObjectReference& kind) {
  if (const Result<kube::Resource> resource = Resolve(kind); resource.ok()) {
    (void)WatchOf(*resource);
  }
}

bool ScaleTargets::MustStart(const api::CrossVersionObjectReference& kind) {
  const auto known = mapper_.FindAtOnce(kind.api_version, kind.kind);
  if (!known) {
    return true;
  }
  const kube::ResourcePointer resource = known->ok() ? **known : nullptr;
  if (resource == nullptr || !resource->has_scale) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  const Kind& started = kinds_[*resource];
  return started.watch == nullptr && started.try_at && clock_.Steady() >= *started.try_at;
}

std::vector<api::CrossVersionObjectReference> ScaleTargets::Selecting(
    const std::string& namespace_, const api::Labels& labels) const {
  std::vector<api::CrossVersionObjectReference> found;
  const std::set<std::string> pairs = PairsOf(labels);
  for (const ScaleWatch* watch : Watched()) {
    for (const std::string& name : watch->selectors.Find(namespace_, pairs)) {
      const auto scale = watch->scales.Get({namespace_, name});
      const auto selector = api::ParseSelector(scale == nullptr ? "" : scale->selector);
      if (scale != nullptr && selector.ok() && selector->Matches(labels)) {
        found.push_back({watch->kind.api_version, watch->kind.kind, name});
      }
    }
  }
  return found;
}

std::vector<const ScaleTargets::ScaleWatch*> ScaleTargets::Watched() const {
  std::vector<const ScaleWatch*> watched;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, kind] : kinds_) {
    if (kind.watch != nullptr) {
      watched.push_back(kind.watch.get());
    }
  }
  return watched;
}

void ScaleTargets::OnAnswered(const kube::Resource& resource, const api::ObjectKey& key,
                              const Result<api::Scale>& answer) {
  if (const auto watch = WatchNow(resource)) {
    const auto seen = *watch == nullptr ? nullptr : (*watch)->scales.Get(key);
    live_.Learn(TargetKey(resource, key), seen.get(), answer);
  }
}

void ScaleTargets::Invalidate(const api::CrossVersionObjectReference& reference,
                              const api::ObjectKey& key) {
  const auto resource = mapper_.Cached(reference.api_version, reference.kind);
  if (resource && WatchNow(*resource)) {
    live_.Invalidate(TargetKey(*resource, key));
  }
}

std::optional<const ScaleTargets::ScaleWatch*> ScaleTargets::WatchNow(
    const kube::Resource& resource) {
  const std::lock_guard lock(mutex_);
  const Kind& kind = kinds_[resource];
  if (kind.watch == nullptr && kind.try_at) {
    return std::nullopt;
  }
  return kind.watch.get();
}

process::SteadyTime ScaleTargets::LastHeard(const ScaleWatch& watch,
                                            const std::string& namespace_) {
  return watch.scales.LastHeard(namespace_).value_or(watch.started);
}

bool ScaleTargets::IsSilent(const ScaleWatch& watch, const std::string& namespace_) const {
  return clock_.Steady() - LastHeard(watch, namespace_) > max_silence_;
}

bool ScaleTargets::KeepWatched(const std::string& namespace_) {
  const process::SteadyTime now = clock_.Steady();
  const std::chrono::nanoseconds kept = ListedAgainAfter(max_silence_);
  bool all_watched = true;
  {
    const std::lock_guard lock(mutex_);
    process::SteadyTime& until = in_order_until_[namespaces_.empty() ? "" : namespace_];
    if (now < until) {
      return true;
    }
    until = now + kept;
    for (const auto& [resource, kind] : kinds_) {
      all_watched = all_watched && !CannotWatch(kind, namespace_);
      if (kind.watch != nullptr) {
        until = std::min(until, LastHeard(*kind.watch, namespace_) + kept);
      }
    }
    until = all_watched ? until : process::SteadyTime();
  }
  for (const ScaleWatch* watch : Watched()) {
    (void)EndSilence(watch->scales, namespace_, now, max_silence_);
  }
  return all_watched;
}

std::map<std::string, std::optional<process::SteadyTime>> ScaleTargets::LastHeard() const {
  std::map<std::string, std::optional<process::SteadyTime>> heard;
  for (const ScaleWatch* watch : Watched()) {
    heard.emplace(watch->scales.name(), watch->scales.LastHeard());
  }
  return heard;
}

std::vector<telemetry::WatchDebugState> ScaleTargets::DebugState() const {
  std::vector<telemetry::WatchDebugState> all;
  for (const ScaleWatch* watch : Watched()) {
    const auto some = watch->scales.DebugState();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

ScaleTargets::ScaleWatch* ScaleTargets::WatchOf(const kube::Resource& resource) {
  std::unique_lock lock(mutex_);
  Kind& kind = kinds_[resource];  // std::map: the reference stays valid
  if (kind.watch != nullptr || !kind.try_at || clock_.Steady() < *kind.try_at) {
    return kind.watch.get();
  }
  kind.try_at.reset();
  lock.unlock();
  std::unique_ptr<ScaleWatch> watch;
  std::exception_ptr defect;
  try {
    watch = StartWatch(resource);  // not under the lock: it sends requests
  } catch (...) {
    defect = std::current_exception();
  }
  lock.lock();
  kind.watch = std::move(watch);
  kind.tried = true;
  in_order_until_.clear();
  kind.try_at = clock_.Steady() + kRetryWatch;
  if (defect) {
    std::rethrow_exception(defect);
  }
  return kind.watch.get();
}

std::unique_ptr<ScaleTargets::ScaleWatch> ScaleTargets::StartWatch(const kube::Resource& resource) {
  Result<ScalePaths> paths = FindScalePaths(client_, resource);
  if (!paths.ok() || !MayList(resource)) {
    log::Info("a kind of scale target cannot be watched; its scales are read one by one",
              {{"kind", resource.kind},
               {"reason", paths.ok() ? "no right to list it" : paths.error().message}});
    return nullptr;
  }
  auto watch = std::unique_ptr<ScaleWatch>(
      new ScaleWatch{{resource.ApiVersion(), resource.kind, ""},
                     clock_.Steady(),
                     {},
                     {transport_,
                      clock_,
                      {.resource = resource},
                      namespaces_,
                      runtime::ByCursor<WatchedScale>([paths = *paths](const json::Cursor& object) {
                        return ReadScale(object, paths);
                      }),
                      pool_}});
  watch->scales.AddHandler([this, resource, &selectors = watch->selectors](const auto& change) {
    live_.OnDelivered(TargetKey(resource, change.key), change.before.get(), change.after.get());
    if (change.after == nullptr) {
      selectors.Remove(change.key);
    } else if (change.before == nullptr || change.before->selector != change.after->selector) {
      selectors.Put(change.key, change.after->selector);
    }
  });
  watch->scales.Start();
  return watch;
}

bool ScaleTargets::MayList(const kube::Resource& resource) {
  kube::Request request{
      .path = kube::CollectionPath(resource, namespaces_.empty() ? "" : namespaces_.front()),
      .query = {{"limit", "1"}}};
  const auto answer = transport_.Do(request);
  return answer.ok() || answer.error().code != Code::kForbidden;
}

}  // namespace ballast::cluster
