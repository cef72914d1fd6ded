#include "operator/controllers/gather.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/metric_source.h"
#include "api/autoscaling/mode.h"
#include "operator/cluster/end_silence.h"
#include "operator/controllers/sample_moments.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/timetable.h"

namespace ballast::controllers {
namespace {

// As snapshots are stored, so that a replay sees the same value.
std::optional<Duration> InWholeSeconds(std::optional<std::chrono::nanoseconds> age) {
  if (!age) {
    return std::nullopt;
  }
  return Duration::Seconds(std::chrono::floor<std::chrono::seconds>(*age).count());
}

bool NeedsOwners(const api::Autoscaler& autoscaler) {
  return autoscaler.spec.pod_selection == api::kOwnedPods && api::ModeOf(autoscaler.spec).evaluates;
}

bool HasPods(const api::Scale& scale) {
  return scale.spec_replicas != 0 || scale.status_replicas != 0;
}

// Whether the metric is of pods and the target has none. Some that end may be left.
bool IsOfNoPods(const api::MetricSpec& metric, const api::Scale& scale) {
  return api::IsResourceMetric(metric) && !HasPods(scale);
}

const engine::PodList kNoPods;

// A scale that was read longer ago, because metrics were waited for since, is read again.
constexpr std::chrono::seconds kTargetKept{1};

void Tell(const std::shared_ptr<ClusterReading>& fetched, std::exception_ptr defect = nullptr) {
  std::exchange(fetched->done, nullptr)({fetched->request, fetched, std::move(defect)});
}

// Takes a step of a request; one that throws is the last.
template <typename Step>
void Take(const std::shared_ptr<ClusterReading>& fetched, const Step& step) {
  try {
    step();
  } catch (...) {
    Tell(fetched, std::current_exception());
  }
}

}  // namespace

void Gatherer::Use(const api::FeatureGates& gates, int kubernetes_minor) {
  settings_.scale_to_zero = gates.scale_to_zero;
  settings_.configurable_tolerance = gates.configurable_tolerance;
  settings_.kubernetes_minor = engine::HpaRulesOf(kubernetes_minor);
}

const ClusterReading::ReadingPointer& ClusterReading::Renew(ReadingPointer read) {
  const auto takes_metrics = [](const TargetReading& of) {
    return of.scale.ok() && of.ownership.ok();
  };
  if (target == nullptr || !takes_metrics(*read) ||
      (takes_metrics(*target) && target->scale->selector == read->scale->selector &&
       (HasPods(*target->scale) || !HasPods(*read->scale)))) {
    target = std::move(read);
  }
  return target;
}

void Gatherer::Start(const session::FetchMetrics& request, Done done) {
  const api::Autoscaler& autoscaler = *request.autoscaler;
  const auto fetched = std::make_shared<ClusterReading>(request, std::move(done));
  Take(fetched, [&] {
    const auto unread = rivals_.Unread(autoscaler);
    if (!request.metrics || unread.empty()) {
      FindTarget(fetched);
      return;
    }
    // If there is no time for that, the evaluation says that they are not known.
    Submit(
        scale_pools_, unread.front()->spec.scale_target_ref.api_version, fetched,
        [this, unread] {
          rivals_.Read(unread);
          return true;
        },
        [] {}, [this, fetched] { FindTarget(fetched); });
  });
}

void Gatherer::FindTarget(const FetchedPointer& fetched) {
  const api::Autoscaler& autoscaler = *fetched->request.autoscaler;
  if (fetched->request.anew) {
    targets_.Invalidate(autoscaler.spec.scale_target_ref, cluster::TargetKey(autoscaler));
  }
  if (ReadingPointer target = ReadAtOnce(autoscaler)) {
    (void)fetched->Renew(std::move(target));
    AskForMetrics(fetched);
    return;
  }
  SubmitTarget(fetched, [this, fetched] { AskForMetrics(fetched); });
}

void Gatherer::Submit(Pools& pools, const std::string& api_version, const FetchedPointer& fetched,
                      std::function<bool()> read, std::function<void()> miss,
                      std::function<void()> next) {
  sources::RequestPool& pool = pools.Of(kube::GroupOf(api_version));
  pool.Submit(
      fetched->request.autoscaler->metadata.namespace_,
      [fetched, read = std::move(read), next] {
        bool served = false;
        Take(fetched, [&] {
          served = read();
          next();
        });
        return served;
      },
      [fetched, miss = std::move(miss), next] {
        Take(fetched, [&] {
          miss();
          next();
        });
      });
}

void Gatherer::SubmitTarget(const FetchedPointer& fetched, std::function<void()> next) {
  const api::CrossVersionObjectReference& of = fetched->request.autoscaler->spec.scale_target_ref;
  const api::ObjectKey key = cluster::TargetKey(*fetched->request.autoscaler);
  const auto found = std::make_shared<std::optional<Result<api::Scale>>>();
  Submit(
      scale_pools_, of.api_version, fetched,
      [this, &of, key, found] {
        *found = targets_.Find(of, key);
        return (*found)->ok();
      },
      [&of, found] { *found = sources::TooSlow(of.api_version); },
      [this, fetched, found, next = std::move(next)] { FindOwners(fetched, **found, next); });
}

void Gatherer::FindOwners(const FetchedPointer& fetched, Result<api::Scale> scale,
                          std::function<void()> next) {
  const api::Autoscaler& autoscaler = *fetched->request.autoscaler;
  const auto renew = [this, fetched, scale](Result<cluster::Ownership> ownership) {
    (void)fetched->Renew(
        std::make_shared<const TargetReading>(scale, std::move(ownership), clock_.Steady()));
  };
  if (auto known = OwnersAtOnce(autoscaler, scale)) {
    renew(*std::move(known));
    next();
    return;
  }
  Submit(
      owner_pools_, autoscaler.spec.scale_target_ref.api_version, fetched,
      [this, &autoscaler, scale, renew] {
        auto ownership = cluster::OwnershipOf(watches_.pods.StoreOf(autoscaler.metadata.namespace_),
                                              owners_, autoscaler, *scale);
        const bool served = ownership.ok();
        renew(std::move(ownership));
        return served;
      },
      [renew] { renew(sources::TooSlow("the API server")); }, std::move(next));
}

void Gatherer::AskForMetrics(const FetchedPointer& fetched) {
  const api::Autoscaler& autoscaler = *fetched->request.autoscaler;
  const Result<api::Scale>& scale = fetched->target->scale;
  if (fetched->request.metrics && scale.ok() && fetched->target->ownership.ok() &&
      api::ModeOf(autoscaler.spec).evaluates) {
    const std::size_t count = autoscaler.spec.metrics.size();
    fetched->answers.resize(count);
    fetched->took.resize(count);
    const process::SteadyTime began = clock_.Steady();
    for (std::size_t i = 0; i < count; ++i) {
      ++fetched->missing;
      sources_.Start({.metric = autoscaler.spec.metrics[i],
                      .namespace_ = autoscaler.metadata.namespace_,
                      .selector = scale->selector,
                      .replicas = std::max(scale->spec_replicas, scale->status_replicas),
                      .period = fetched->request.period,
                      .target = autoscaler.spec.scale_target_ref.name,
                      .last = fetched->request.last},
                     [this, fetched, i, began](sources::PodsAnswer answer) {
                       fetched->answers[i] = std::move(answer);
                       fetched->took[i] = clock_.Steady() - began;
                       Answered(fetched);
                     });
    }
  }
  Answered(fetched);
}

void Gatherer::Answered(const FetchedPointer& fetched) {
  if (--fetched->missing == 0) {
    Take(fetched, [&] { Finish(fetched); });
  }
}

void Gatherer::Finish(const FetchedPointer& fetched) {
  if (clock_.Steady() - fetched->target->at < kTargetKept) {
    Tell(fetched);
  } else if (ReadingPointer target = ReadAtOnce(*fetched->request.autoscaler)) {
    (void)fetched->Renew(std::move(target));
    Tell(fetched);
  } else {
    SubmitTarget(fetched, [fetched] { Tell(fetched); });
  }
}

std::optional<cluster::Ownership> Gatherer::OwnersAtOnce(const api::Autoscaler& autoscaler,
                                                         const Result<api::Scale>& scale) {
  if (!scale.ok() || !NeedsOwners(autoscaler)) {
    return cluster::Ownership();
  }
  return cluster::OwnershipAtOnce(watches_.pods.StoreOf(autoscaler.metadata.namespace_), owners_,
                                  autoscaler, *scale);
}

Gatherer::ReadingPointer Gatherer::ReadAtOnce(const api::Autoscaler& autoscaler) {
  auto scale =
      targets_.FindAtOnce(autoscaler.spec.scale_target_ref, cluster::TargetKey(autoscaler));
  if (!scale) {
    return nullptr;
  }
  std::optional<cluster::Ownership> ownership = OwnersAtOnce(autoscaler, *scale);
  if (!ownership) {
    return nullptr;
  }
  return std::make_shared<const TargetReading>(*std::move(scale), *std::move(ownership),
                                               clock_.Steady());
}

session::TargetPointer Gatherer::TargetOf(const session::MetricsAnswer& answer) {
  auto& fetched = static_cast<ClusterReading&>(*answer.fetched);
  ReadingPointer now = ReadAtOnce(*answer.request.autoscaler);
  return now == nullptr ? fetched.target : fetched.Renew(std::move(now));
}

session::Gathered Gatherer::Gather(const session::MetricsAnswer& answer,
                                   const session::SeenTarget& target, engine::Snapshot& snapshot) {
  session::Gathered gathered;
  snapshot.settings = settings_;
  const api::Autoscaler& autoscaler = snapshot.autoscaler;
  for (const cluster::AutoscalerPointer& hpa : watches_.HpasOf(autoscaler)) {
    gathered.hpas.push_back(hpa->metadata.name);
  }
  const Time since = snapshot.now - engine::TailOf(autoscaler.spec, settings_);
  snapshot.overrides =
      cluster::WindowsOf(watches_.OverridesOf(autoscaler, since), since, snapshot.now);
  const Result<api::Scale>& scale = target.scale;
  if (!scale.ok()) {
    snapshot.scale = engine::Failure{scale.error().message};
    return gathered;
  }
  snapshot.scale = *scale;
  if (!api::ModeOf(autoscaler.spec).evaluates) {
    return gathered;  // nothing is decided, so nothing else is read
  }
  snapshot.pods_age = InWholeSeconds(
      cluster::EndSilence(watches_.pods, autoscaler.metadata.namespace_, clock_.Steady(),
                          std::chrono::nanoseconds(settings_.max_view_age.nanoseconds)));
  const auto& ownership = static_cast<const TargetReading&>(target).ownership;
  if (!ownership.ok()) {
    snapshot.pods = engine::Failure{ownership.error().message};
    return gathered;  // without its pods no metric is meaningful
  }
  cluster::PodSelection selection = cluster::SelectPods(
      watches_.pods.StoreOf(autoscaler.metadata.namespace_), *ownership, autoscaler, *scale);
  CheckCounts(autoscaler, *scale, selection.pods);
  if (const auto unread = rivals_.Unread(autoscaler); !unread.empty()) {
    snapshot.pods = engine::Failure{"it is not known whether " + unread.front()->Print() +
                                    " scales the same pods: the scale of its target can neither "
                                    "be watched nor read"};
    return gathered;
  }
  snapshot.rivals = rivals_.Find(autoscaler, scale->selector, selection);
  const auto& fetched = static_cast<const ClusterReading&>(*answer.fetched);
  for (std::size_t i = 0; i < autoscaler.spec.metrics.size(); ++i) {
    const api::MetricSpec& metric = autoscaler.spec.metrics[i];
    auto value =
        fetched.answers.at(i)({.pods = IsOfNoPods(metric, *scale) ? kNoPods : selection.pods,
                               .owned = selection.owned(),
                               .left_out = selection.left_out});
    snapshot.metrics.push_back(value.ok() ? std::move(value).value()
                                          : engine::Failure{value.error().message});
  }
  gathered.asked = fetched.took;
  if (const auto rhythm = sources_.pod_metrics().rhythm();
      rhythm && NextBehindSamples(autoscaler, *rhythm, answer.request.period, clock_.Steady())) {
    snapshot.samples_every = Duration{rhythm->interval.count()};
  }
  if (const auto longest = std::ranges::max_element(gathered.asked);
      longest != gathered.asked.end()) {
    gathered.slowest = engine::IdentityOf(
        autoscaler.spec.metrics[static_cast<std::size_t>(longest - gathered.asked.begin())]);
  }
  snapshot.pods_left_out = selection.left_out;
  snapshot.pods = std::move(selection.pods);
  return gathered;
}

// A target without a selector counts its pods, but none can be found for it.
void Gatherer::CheckCounts(const api::Autoscaler& autoscaler, const api::Scale& scale,
                           const engine::PodList& pods) {
  const api::ObjectKey target = cluster::TargetKey(autoscaler);
  const auto read_at = watches_.pods.LastRead(target.namespace_);
  if (!read_at || scale.selector.empty()) {
    return;
  }
  switch (staleness_.LookAtCounts(scale.metadata.uid, scale, pods, *read_at)) {
    case Staleness::Remedy::kNone:
      break;
    case Staleness::Remedy::kAskTarget:
      targets_.Invalidate(autoscaler.spec.scale_target_ref, target);
      break;
    case Staleness::Remedy::kReadPods:
      watches_.pods.Reread(target.namespace_);
      break;
  }
}

std::size_t Gatherer::CountPods(const std::string& namespace_) const {
  const cluster::PodCache* store = watches_.pods.StoreOf(namespace_);
  if (store == nullptr) {
    return 0;
  }
  return namespace_.empty() ? store->size() : store->CountIn(namespace_);
}

void Gatherer::CheckNames(const std::string& namespace_,
                          const std::shared_ptr<const sources::NamespaceMetrics>& metrics) {
  const auto read_at = watches_.pods.LastRead(namespace_);
  const cluster::PodCache* store = watches_.pods.StoreOf(namespace_);
  if (read_at && store != nullptr &&
      staleness_.LookAtNames(namespace_, metrics, *store, *read_at)) {
    watches_.pods.Reread(namespace_);
  }
}

}  // namespace ballast::controllers
