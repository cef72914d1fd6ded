// The world of a session as plain values: a target with a scale, a queue as its only metric, and an
// API server that has one autoscaler.
//
// Thread-safety: one thread at a time.
// Errors: those that a test sets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "operator/engine/testing/test_snapshot.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/status_memory.h"
#include "tests/support/fake_clock.h"

namespace ballast::session {

class FakeScalePort final : public ScalePort {
 public:
  explicit FakeScalePort(const support::FakeClock& clock) : clock_(clock) { Set(2, ""); }

  // `manager` set so many replicas; empty: managedFields do not say who.
  void Set(std::int32_t replicas, const std::string& manager) {
    present.spec_replicas = present.status_replicas = replicas;
    present.replicas_manager =
        manager.empty() ? std::nullopt : std::optional(api::FieldManager{manager, clock_.Now()});
  }

  // As a watch has it.
  Result<api::Scale> Seen() const {
    if (unreadable) {
      return *unreadable;
    }
    api::Scale seen = present;
    seen.replicas_manager.reset();
    return seen;
  }
  Result<api::Scale> Read() {
    ++reads;
    on_read();
    return Seen();
  }
  Result<api::Scale> ReadScale() {
    Result<api::Scale> read = Read();
    return unseen ? *unseen : read;
  }
  LiveScale ReadLive() {
    const process::SteadyTime asked = clock_.Steady();
    Result<api::Scale> scale = ReadScale();
    return {asked, std::move(scale), ReadManaged()};
  }
  Result<api::Scale> ReadManaged() {
    const Result<api::Scale> read = Read();
    if (unmanaged) {
      return *unmanaged;
    }
    return unseen ? *unseen : read.ok() ? present : read;
  }
  ScaleAnswer Write(const WriteScale& request) override {
    on_write();
    writes.push_back(request.change);
    if (refused) {
      return NotWritten(*refused, clock_.Steady());
    }
    if (arrives) {
      Set(request.change.to, api::kFieldManager);
    }
    return lost ? ScaleAnswer{.lost = *lost, .sent = clock_.Steady(), .live = ReadLive()}
                : ScaleAnswer{.outcome = engine::Outcome{engine::Outcome::Kind::kWritten, ""},
                              .sent = clock_.Steady()};
  }

  bool SentForAnother(const std::string& /*target*/, const std::string& /*autoscaler*/,
                      process::SteadyTime /*since*/) const override {
    return sent_for_another;
  }

  api::Scale present{.metadata = {.name = "web", .namespace_ = "shop", .uid = "d1"},
                     .selector = "app=web"};
  std::optional<Result<api::Scale>> unseen;  // what the API server has and the watch does not
  std::optional<Error> unreadable;
  std::optional<Error> unmanaged;      // why managedFields cannot be read
  std::optional<std::string> refused;  // why writes are
  std::optional<std::string> lost;     // why the answers to writes are
  bool arrives = true;                 // a write that is not refused
  bool sent_for_another = false;
  std::function<void()> on_read = [] {};
  std::function<void()> on_write = [] {};
  int reads = 0;
  std::vector<api::ScaleChange> writes;

 private:
  const support::FakeClock& clock_;
};

// The API server's view of the autoscaler `object`.
class FakeAutoscalerPort final : public AutoscalerPort {
 public:
  FakeAutoscalerPort() { object.metadata.resource_version = "3"; }

  Result<StoredAutoscaler> Read() {
    ++reads;
    if (unreadable) {
      return *unreadable;
    }
    return StoredAutoscaler{object.metadata.resource_version,
                            generation.value_or(object.metadata.generation), memory};
  }
  StatusAnswer Write(const WriteStatus& request) override {
    if (request.merge_patch.empty()) {
      forgotten.push_back(request.autoscaler.key());
      return {true, object.metadata.resource_version};
    }
    if (refused) {
      return {false, *refused};
    }
    std::string& version = object.metadata.resource_version;
    if (request.of.resource_version != version) {
      return {false, version};
    }
    version = std::to_string(std::stoi(version) + 1);
    writes.push_back(request);
    const json::Document patch = json::Parse(request.merge_patch).value();
    json::Decoder decoder(patch);
    const json::Cursor status = decoder.root().Member("status");
    api::Autoscaler written{.status = object.status};
    if (status.Member("conditions").present()) {
      written.status.conditions.clear();
    }
    written.status.current_metrics.clear();
    api::Decode(decoder.root(), written);
    object.status = written.status;
    if (status.Member("memory").present()) {
      memory = DecodeStatusMemory(patch);
    }
    return {true, version};
  }

  const std::string& last_write() const { return writes.back().merge_patch; }

  api::Autoscaler object;
  Result<StatusMemory> memory = StatusMemory();
  std::optional<std::int64_t> generation;  // of the object; absent: as `object` has it
  std::optional<Error> unreadable;
  std::optional<Error> refused;  // why a status is
  int reads = 0;
  std::vector<WriteStatus> writes;
  std::vector<api::ObjectKey> forgotten;
};

// The queue has `queue` entries, ten of which are to be there for each replica.
class FakeSnapshotSource final : public SnapshotSource {
 public:
  FakeSnapshotSource(FakeScalePort& scales, FakeAutoscalerPort& autoscalers,
                     const support::FakeClock& clock)
      : scales_(scales), autoscalers_(autoscalers), clock_(clock) {}

  void Start(const FetchMetrics& request, Done done) override {
    asked_for_metrics += request.metrics ? 1 : 0;
    MetricsAnswer answer{request, nullptr};
    if (request.stored) {
      answer.stored = autoscalers_.Read();
    }
    if (request.managed) {
      answer.managed = scales_.ReadManaged();
    }
    if (request.live != nullptr) {
      answer.live = scales_.ReadLive();
    }
    done(std::move(answer));
  }
  TargetPointer TargetOf(const MetricsAnswer& answer) override {
    const bool anew = answer.request.anew;
    return std::make_shared<const SeenTarget>(anew ? scales_.ReadScale() : scales_.Seen());
  }
  Gathered Gather(const MetricsAnswer& /*answer*/, const SeenTarget& target,
                  engine::Snapshot& snapshot) override {
    if (target.scale.ok()) {
      snapshot.scale = *target.scale;
    } else {
      snapshot.scale = engine::Failure{target.scale.error().message};
    }
    snapshot.pods = pods;
    if (pods_heard) {
      snapshot.pods_age = snapshot.now - *pods_heard;
    }
    snapshot.overrides = overrides;
    for (std::size_t i = 0; i < snapshot.autoscaler.spec.metrics.size(); ++i) {
      if (queue && i == 0) {
        snapshot.metrics.emplace_back(
            engine::testing::QueueOf(std::to_string(*queue), sampled.value_or(clock_.Now())));
      } else {
        snapshot.metrics.emplace_back(engine::Failure{"no answer"});
      }
    }
    on_gather();
    Gathered gathered;
    gathered.asked.resize(snapshot.autoscaler.spec.metrics.size());
    return gathered;
  }

  engine::PodList pods;
  std::optional<Time> pods_heard;  // absent: it is not known when
  std::vector<engine::ScheduleWindow> overrides;
  std::optional<int> queue = 20;  // absent: it cannot be read
  std::optional<Time> sampled;    // absent: now
  int asked_for_metrics = 0;      // how often
  std::function<void()> on_gather = [] {};

 private:
  FakeScalePort& scales_;
  FakeAutoscalerPort& autoscalers_;
  const support::FakeClock& clock_;
};

}  // namespace ballast::session
