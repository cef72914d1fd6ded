#include "operator/controllers/gather.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/metric_source.h"
#include "api/autoscaling/mode.h"
#include "operator/controllers/evaluation_record.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/timetable.h"

namespace ballast::controllers {
namespace {

// In whole seconds, as snapshots are stored, so that a replay sees the same value.
std::optional<Duration> AgeOf(std::optional<process::SteadyTime> heard, process::SteadyTime now) {
  if (!heard) {
    return std::nullopt;
  }
  return Duration::Seconds(std::chrono::floor<std::chrono::seconds>(now - *heard).count());
}

bool NeedsOwners(const api::Autoscaler& autoscaler) {
  return autoscaler.spec.pod_selection == api::kOwnedPods && api::ModeOf(autoscaler.spec).evaluates;
}

bool HasPods(const api::Scale& scale) {
  return scale.spec_replicas != 0 || scale.status_replicas != 0;
}

// Whether the metric is not requested, because the target has no pods. Some that end may be left.
bool IsOfNoPods(const api::MetricSpec& metric, const api::Scale& scale) {
  return api::IsResourceMetric(metric) && !HasPods(scale);
}

const engine::PodList kNoPods;

// Answers older than this that nobody has taken belong to a deleted autoscaler.
constexpr std::chrono::minutes kUnused{10};
// A scale that was read longer ago, because metrics were waited for since, is read again.
constexpr std::chrono::seconds kTargetKept{1};

}  // namespace

void Gatherer::Use(const api::FeatureGates& gates, int kubernetes_minor) {
  settings_.scale_to_zero = gates.scale_to_zero;
  settings_.configurable_tolerance = gates.configurable_tolerance;
  settings_.kubernetes_minor = engine::HpaRulesOf(kubernetes_minor);
}

std::shared_ptr<Gatherer::Prepared> Gatherer::BeginToPrepare(
    const cluster::AutoscalerPointer& autoscaler) {
  const auto prepared =
      std::make_shared<Prepared>(autoscaler, clock_.Steady(), LastOf(*autoscaler));
  const std::lock_guard lock(mutex_);
  prepared_[autoscaler->reference()] = prepared;
  sweeper_.Sweep(
      [now = prepared->since](const auto& entry) { return now - entry.second->since >= kUnused; },
      prepared_);
  return prepared;
}

bool Gatherer::PrepareScale(const cluster::AutoscalerPointer& autoscaler,
                            const std::function<void()>& done) {
  const auto prepared = BeginToPrepare(autoscaler);
  if (TargetPointer target = ReadAtOnce(*autoscaler)) {
    (void)prepared->Renew(std::move(target));
    return true;
  }
  Submit(*autoscaler, prepared, ReadingTarget(prepared), MissingTarget(prepared), done, done);
  return false;
}

bool Gatherer::Prepare(const cluster::AutoscalerPointer& autoscaler, Duration period,
                       const std::function<void()>& done) {
  const auto prepared = BeginToPrepare(autoscaler);
  const auto unread = rivals_.Unread(*autoscaler);
  if (unread.empty()) {
    return PrepareTarget(prepared, period, done);
  }
  // If there is no time for that, the evaluation says that they are not known.
  const auto prepare_target = [this, prepared, period, done] {
    return PrepareTarget(prepared, period, done);
  };
  Submit(
      *unread.front(), prepared,
      [this, unread, prepare_target] {
        rivals_.Read(unread);
        return prepare_target();
      },
      prepare_target, Rereading(prepared, period, done), done);
  return false;
}

bool Gatherer::PrepareTarget(const std::shared_ptr<Prepared>& prepared, Duration period,
                             const std::function<void()>& done) {
  const cluster::AutoscalerPointer& autoscaler = prepared->autoscaler;
  const auto ready = Rereading(prepared, period, done);
  if (TargetPointer target = ReadAtOnce(*autoscaler)) {
    return PrepareMetrics(*autoscaler, *prepared->Renew(std::move(target)), period, prepared,
                          ready);
  }
  Submit(
      *autoscaler, prepared,
      [this, autoscaler, period, prepared, ready] {
        return PrepareMetrics(*autoscaler, *prepared->Renew(ReadTarget(*autoscaler)), period,
                              prepared, ready);
      },
      MissingTarget(prepared), ready, done);
  return false;
}

void Gatherer::Submit(const api::Autoscaler& autoscaler, const std::shared_ptr<Prepared>& prepared,
                      Step read, Step miss, const std::function<void()>& ready,
                      const std::function<void()>& broken) {
  const auto taking = [prepared, ready, broken](const Step& step) {
    try {
      if (step()) {
        ready();
      }
      return;
    } catch (...) {
      prepared->Break(std::current_exception());
    }
    broken();
  };
  request_pools_.Of(kube::GroupOf(autoscaler.spec.scale_target_ref.api_version))
      .Submit(
          autoscaler.metadata.namespace_,
          [prepared, taking, read = std::move(read)] {
            taking(read);
            return prepared->HasScale();
          },
          [taking, miss = std::move(miss)] { taking(miss); });
}

Gatherer::Step Gatherer::ReadingTarget(const std::shared_ptr<Prepared>& prepared) {
  return [this, prepared] {
    (void)prepared->Renew(ReadTarget(*prepared->autoscaler));
    return true;
  };
}

Gatherer::Step Gatherer::MissingTarget(const std::shared_ptr<Prepared>& prepared) const {
  return [this, prepared] {
    const Error slow = sources::TooSlow(prepared->autoscaler->spec.scale_target_ref.api_version);
    (void)prepared->Renew(std::make_shared<const TargetReading>(
        TargetReading{slow, slow, cluster::Ownership(), clock_.Steady()}));
    return true;
  };
}

bool Gatherer::PrepareMetrics(const api::Autoscaler& autoscaler, const TargetReading& target,
                              Duration period, const std::shared_ptr<Prepared>& prepared,
                              const std::function<void()>& done) {
  const Result<api::Scale>& scale = target.scale;
  if (!scale.ok() || !target.ownership.ok() || !api::ModeOf(autoscaler.spec).evaluates) {
    return true;
  }
  bool ready = true;
  const auto ended = [prepared] {
    const std::lock_guard lock(prepared->mutex);
    return --prepared->missing == 0;
  };
  for (std::size_t i = 0; i < autoscaler.spec.metrics.size(); ++i) {
    const api::MetricSpec& metric = autoscaler.spec.metrics[i];
    if (IsOfNoPods(metric, *scale)) {
      continue;
    }
    {
      const std::lock_guard lock(prepared->mutex);
      ++prepared->missing;
    }
    const auto answered = [this, prepared, ended, done, i] {
      {
        const std::lock_guard lock(prepared->mutex);
        prepared->answered[i] = clock_.Steady();
      }
      if (ended()) {
        done();
      }
    };
    if (sources_.Prepare({.metric = metric,
                          .namespace_ = autoscaler.metadata.namespace_,
                          .selector = scale->selector,
                          .pods = kNoPods,
                          .period = period,
                          .since = prepared->since,
                          .target = autoscaler.spec.scale_target_ref.name,
                          .last = prepared->last},
                         answered)) {
      (void)ended();
    } else {
      ready = false;
    }
  }
  if (ended() && !ready) {
    done();
  }
  return ready;
}

std::shared_ptr<Gatherer::Prepared> Gatherer::TakePrepared(const api::Autoscaler& autoscaler) {
  const std::lock_guard lock(mutex_);
  const auto node = prepared_.extract(autoscaler.reference());
  return node && node.mapped()->IsFor(autoscaler) ? node.mapped() : nullptr;
}

std::optional<process::SteadyTime> Gatherer::LastOf(const api::Autoscaler& autoscaler) {
  const std::lock_guard lock(mutex_);
  const auto found = last_.find(autoscaler.reference());
  return found == last_.end() ? std::nullopt : std::optional(found->second);
}

void Gatherer::Had(const api::Autoscaler& autoscaler) {
  if (!autoscaler.is_policy()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const process::SteadyTime now = clock_.Steady();
  last_[autoscaler.reference()] = now;
  last_sweeper_.Sweep([now](const auto& entry) { return now - entry.second >= kUnused; }, last_);
}

bool Gatherer::Prepared::IsFor(const api::Autoscaler& now) const {
  return autoscaler.get() == &now || (autoscaler->metadata.uid == now.metadata.uid &&
                                      GenerationOf(*autoscaler) == GenerationOf(now));
}

Gatherer::TargetPointer Gatherer::Prepared::Renew(TargetPointer read) {
  const auto takes_metrics = [](const TargetReading& of) {
    return of.scale.ok() && of.ownership.ok();
  };
  const std::lock_guard lock(mutex);
  if (target == nullptr || !takes_metrics(*read) ||
      (takes_metrics(*target) && target->scale->selector == read->scale->selector &&
       (HasPods(*target->scale) || !HasPods(*read->scale)))) {
    target = std::move(read);
  }
  return target;
}

Gatherer::TargetPointer Gatherer::ReadTarget(const api::Autoscaler& autoscaler) {
  auto [resource, scale] =
      targets_.Find(autoscaler.spec.scale_target_ref, cluster::TargetKey(autoscaler));
  Result<cluster::Ownership> ownership = cluster::Ownership();
  if (scale.ok() && NeedsOwners(autoscaler)) {
    ownership = cluster::OwnershipOf(watches_.pods.StoreOf(autoscaler.metadata.namespace_), owners_,
                                     autoscaler, *scale);
  }
  return std::make_shared<const TargetReading>(
      TargetReading{std::move(resource), std::move(scale), std::move(ownership), clock_.Steady()});
}

Gatherer::TargetPointer Gatherer::ReadAtOnce(const api::Autoscaler& autoscaler) {
  auto found =
      targets_.FindAtOnce(autoscaler.spec.scale_target_ref, cluster::TargetKey(autoscaler));
  if (!found) {
    return nullptr;
  }
  std::optional<cluster::Ownership> ownership = cluster::Ownership();
  if (found->scale.ok() && NeedsOwners(autoscaler)) {
    ownership = cluster::OwnershipAtOnce(watches_.pods.StoreOf(autoscaler.metadata.namespace_),
                                         owners_, autoscaler, *found->scale);
  }
  if (!ownership) {
    return nullptr;
  }
  return std::make_shared<const TargetReading>(TargetReading{
      std::move(found->resource), std::move(found->scale), *std::move(ownership), clock_.Steady()});
}

void Gatherer::Reread(const std::shared_ptr<Prepared>& prepared, Duration period,
                      const std::function<void()>& done) {
  const cluster::AutoscalerPointer& autoscaler = prepared->autoscaler;
  if (const auto now = watches_.Find(autoscaler->reference()); now && !prepared->IsFor(*now)) {
    if (Prepare(now, period, done)) {
      done();
    }
    return;
  }
  const auto is_recent = [&] {
    const std::lock_guard lock(prepared->mutex);
    return clock_.Steady() - prepared->target->at < kTargetKept;
  };
  if (is_recent()) {
    done();
  } else if (TargetPointer target = ReadAtOnce(*autoscaler)) {
    (void)prepared->Renew(std::move(target));
    done();
  } else {
    Submit(*autoscaler, prepared, ReadingTarget(prepared), MissingTarget(prepared),
           Rereading(prepared, period, done), done);
  }
}

std::function<void()> Gatherer::Rereading(const std::shared_ptr<Prepared>& prepared,
                                          Duration period, const std::function<void()>& done) {
  return [this, prepared, period, done] { Reread(prepared, period, done); };
}

Gatherer::TargetPointer Gatherer::TargetOf(const api::Autoscaler& autoscaler, Prepared* prepared) {
  TargetPointer before;
  if (prepared != nullptr) {
    const std::lock_guard lock(prepared->mutex);
    if (prepared->defect) {
      std::rethrow_exception(std::exchange(prepared->defect, nullptr));
    }
    before = prepared->target;
  }
  if (before == nullptr) {
    return ReadTarget(autoscaler);
  }
  TargetPointer now = ReadAtOnce(autoscaler);
  return now == nullptr ? before : prepared->Renew(std::move(now));
}

Result<api::Scale> Gatherer::ScaleOf(const api::Autoscaler& autoscaler) {
  return TargetOf(autoscaler, TakePrepared(autoscaler).get())->scale;
}

Gathered Gatherer::Gather(const api::Autoscaler& autoscaler, Duration period, Time now) {
  const std::shared_ptr<Prepared> prepared = TakePrepared(autoscaler);
  Gathered gathered{.snapshot = {.now = now, .settings = settings_, .autoscaler = autoscaler}};
  engine::Snapshot& snapshot = gathered.snapshot;
  for (const cluster::AutoscalerPointer& hpa : watches_.HpasOf(autoscaler)) {
    gathered.hpas.push_back(hpa->metadata.name);
  }
  const Time since = now - engine::TailOf(autoscaler.spec, settings_);
  snapshot.overrides = cluster::WindowsOf(watches_.OverridesOf(autoscaler, since), since);
  const TargetPointer target = TargetOf(autoscaler, prepared.get());
  const auto& [resource, scale, ownership, read_at] = *target;
  if (!scale.ok()) {
    snapshot.scale = engine::Failure{scale.error().message};
    return gathered;
  }
  snapshot.scale = *scale;
  if (!api::ModeOf(autoscaler.spec).evaluates) {
    return gathered;  // nothing is decided, so nothing else is read
  }
  const auto heard = watches_.pods.LastHeard(autoscaler.metadata.namespace_);
  snapshot.pods_age = AgeOf(heard, clock_.Steady());
  if (!ownership.ok()) {
    snapshot.pods = engine::Failure{ownership.error().message};
    return gathered;  // without its pods no metric is meaningful
  }
  cluster::PodSelection selection = cluster::SelectPods(
      watches_.pods.StoreOf(autoscaler.metadata.namespace_), *ownership, autoscaler, *scale);
  CheckCounts(*resource, cluster::TargetKey(autoscaler), *scale, selection.pods);
  if (const auto unread = rivals_.Unread(autoscaler); !unread.empty()) {
    snapshot.pods = engine::Failure{"it is not known whether " + unread.front()->kind + " " +
                                    unread.front()->key().Print() +
                                    " scales the same pods: the scale of its target can neither "
                                    "be watched nor read"};
    return gathered;
  }
  snapshot.rivals = rivals_.Find(autoscaler, scale->selector, selection);
  const auto last = prepared == nullptr ? LastOf(autoscaler) : prepared->last;
  for (std::size_t i = 0; i < autoscaler.spec.metrics.size(); ++i) {
    const api::MetricSpec& metric = autoscaler.spec.metrics[i];
    const process::SteadyTime began = clock_.Steady();
    auto answer =
        sources_.Fetch({metric, autoscaler.metadata.namespace_, scale->selector,
                        IsOfNoPods(metric, *scale) ? kNoPods : selection.pods, selection.owned(),
                        selection.left_out, period,
                        prepared == nullptr ? std::nullopt : std::optional(prepared->since),
                        autoscaler.spec.scale_target_ref.name, last});
    snapshot.metrics.push_back(answer.ok() ? std::move(answer).value()
                                           : engine::Failure{answer.error().message});
    gathered.asked.push_back(clock_.Steady() - began);
    if (prepared != nullptr && i < prepared->answered.size()) {
      const std::lock_guard lock(prepared->mutex);
      gathered.asked.back() += prepared->answered[i] - prepared->since;
    }
  }
  Had(autoscaler);
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
void Gatherer::CheckCounts(const kube::Resource& resource, const api::ObjectKey& target,
                           const api::Scale& scale, const engine::PodList& pods) {
  const auto read_at = watches_.pods.LastRead(target.namespace_);
  if (!read_at || scale.selector.empty()) {
    return;
  }
  switch (staleness_.LookAtCounts(scale.metadata.uid, scale, pods, *read_at)) {
    case Staleness::Remedy::kNone:
      break;
    case Staleness::Remedy::kAskTarget:
      targets_.Refused(resource, target);
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
