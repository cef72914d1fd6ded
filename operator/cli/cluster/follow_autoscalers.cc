#include "operator/cli/cluster/follow_autoscalers.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "operator/cluster/resources.h"
#include "operator/process/clock.h"
#include "operator/runtime/informer.h"

namespace ballast::cli {
namespace {

using Informer = runtime::Informer<api::Autoscaler>;

runtime::ObjectReader<api::Autoscaler> ReadAs(const std::string& kind) {
  return runtime::ByCursor<api::Autoscaler>([kind](const json::Cursor& object) {
    api::Autoscaler autoscaler;
    api::Decode(object, autoscaler);
    autoscaler.kind = kind;  // items of lists do not name theirs
    return autoscaler;
  });
}

}  // namespace

void FollowAutoscalers(kube::Transport& transport, const FollowedAutoscalers& followed,
                       const std::function<bool(const AutoscalerChange& change)>& tell,
                       std::stop_token stop) {
  std::mutex mutex;  // guards: told, and is held by `tell`
  std::condition_variable_any ended;
  bool told = true;
  process::SystemClock clock;
  std::vector<std::unique_ptr<Informer>> informers;
  for (const kube::Resource* resource : {&cluster::kPolicies, &cluster::kHpas}) {
    if (!followed.kinds.contains(resource->kind)) {
      continue;
    }
    informers.push_back(std::make_unique<Informer>(
        transport, clock,
        runtime::WatchSource{.resource = *resource, .namespace_ = followed.namespace_},
        ReadAs(resource->kind)));
    for (const api::Autoscaler& known : followed.known) {
      if (known.kind == resource->kind) {
        informers.back()->cache().Put(known.key(),
                                      {known.metadata.uid, known.metadata.resource_version,
                                       std::make_shared<const api::Autoscaler>(known)});
      }
    }
    informers.back()->AddHandler([&](const Informer::Change& change) {
      const std::lock_guard lock(mutex);
      const bool deleted = change.after == nullptr;
      if (told && !tell({deleted ? *change.before : *change.after, deleted})) {
        told = false;
        ended.notify_all();
      }
    });
  }
  for (const auto& informer : informers) {
    informer->Start();
  }
  {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, std::move(stop), followed.at_most, [&] { return !told; });
  }
  for (const auto& informer : informers) {
    informer->Stop();
  }
}

}  // namespace ballast::cli
