#include "operator/session/scale_observer.h"

#include <algorithm>
#include <variant>

#include "api/decision/schedule_window.h"
#include "operator/session/read_back.h"

namespace ballast::session {
namespace {

// Since when as many pods are ready as `write` asked for; absent: there are fewer.
std::optional<Time> ReadyTime(const engine::PodList& pods, const store::ScaleWrite& write,
                              Time now) {
  Time latest = write.time;
  std::int32_t ready = 0;
  for (const auto& pod : pods) {
    if (pod->ready && pod->ready->status == "True") {
      ++ready;
      latest = std::max(latest, pod->ready->last_transition_time.value_or(write.time));
    }
  }
  if (write.to < write.from) {  // scale-in: counts when first seen
    return pods.size() <= static_cast<std::size_t>(write.to) ? std::optional(now) : std::nullopt;
  }
  return ready >= write.to ? std::optional(std::min(latest, now)) : std::nullopt;
}

}  // namespace

ScaleObserver::ScaleObserver(const store::RecalledState& known) : replicas_(known.replicas) {
  if (known.last_write && !known.last_write->ready) {
    unready_ = known.last_write;
  }
}

void ScaleObserver::RememberStartup(const api::AutoscalerStatus& status) {
  if (!status.schedules || !status.schedules->startup_seconds) {
    return;
  }
  const Duration startup = Duration::Seconds(*status.schedules->startup_seconds);
  if (startup > Duration() && startup != engine::kUnknownStartup) {
    startups_.Remember(startup);
  }
}

Observation ScaleObserver::See(const engine::Snapshot& snapshot,
                               const std::optional<api::FieldManager>& manager) {
  Observation seen;
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr) {
    return seen;
  }
  if (IsChanged(*scale)) {
    // The operator's own name: another of its replicas did it.
    if (!manager || manager->manager != api::kFieldManager) {
      seen.change = store::ForeignChange{snapshot.now, *replicas_, scale->spec_replicas, "", {}};
      if (manager) {
        seen.change->manager = manager->manager;
        seen.change->managed = manager->time;
      }
    }
    unready_.reset();
  }
  replicas_ = scale->spec_replicas;
  clock_was_set_ |= snapshot.clock_jumped;
  if (const auto* pods = std::get_if<engine::PodList>(&snapshot.pods); pods && unready_) {
    seen.ready = ReadyTime(*pods, *unready_, snapshot.now);
    if (seen.ready) {
      const Duration took = *seen.ready - unready_->time;
      if (unready_->to > unready_->from && !clock_was_set_ && took >= Duration()) {
        startups_.Add(took);
      }
      unready_.reset();
    }
  }
  return seen;
}

void ScaleObserver::Wrote(const store::ScaleWrite& write) {
  replicas_ = write.to;
  unready_ = write;
  clock_was_set_ = false;
}

void ScaleObserver::MayHaveWritten() {
  replicas_.reset();
  unready_.reset();
}

}  // namespace ballast::session
