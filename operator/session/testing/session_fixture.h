// A fixture for tests of sessions and their parts: the policy shop/web, whose Deployment has two
// replicas, and all that a session sees of them. Nothing here has a thread, a socket or a file.
//
// Thread-safety: one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "operator/engine/testing/test_snapshot.h"
#include "operator/session/session.h"
#include "operator/session/testing/fake_leadership.h"
#include "operator/session/testing/fake_ports.h"
#include "operator/session/testing/in_memory_ledger.h"
#include "tests/support/fake_clock.h"

namespace ballast::session {

class SessionFixture : public testing::Test {
 protected:
  SessionFixture() {
    api::Autoscaler& policy = autoscaler_.object;
    policy.api_version = api::kPolicyApiVersion;
    policy.kind = api::kPolicyKind;
    policy.metadata.namespace_ = "shop";
    policy.metadata.name = "web";
    policy.metadata.uid = "p1";
    policy.metadata.generation = 1;
    policy.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
    policy.spec.min_replicas = 1;
    policy.spec.max_replicas = 10;
    policy.spec.mode = "Active";
    policy.spec.metrics = {engine::testing::QueueMetric()};
  }

  Ports With(store::Ledger& ledger) {
    return {clock_,
            source_,
            scale_,
            autoscaler_,
            ledger,
            [this](const api::Autoscaler&, const engine::Event& event) {
              events_.push_back(event); }};
  }

  // As a watch that is never late has it.
  std::shared_ptr<const api::Autoscaler> Watched() const {
    return std::make_shared<const api::Autoscaler>(autoscaler_.object);
  }

  // A session of this process, or of the next one with the same store.
  std::unique_ptr<Session> NewSession() { return NewSession(ports_, options_); }
  std::unique_ptr<Session> NewSession(const Ports& ports, const SessionOptions& options) {
    return std::make_unique<Session>(ports, options, autoscaler_.object);
  }
  std::unique_ptr<Session> Restart() {
    ledger_.Restart();
    return NewSession();
  }

  // What follows is about another policy, as new as the first.
  void BeginCase(const std::string& uid) {
    autoscaler_.object.metadata.uid = uid;
    autoscaler_.object.status = {};
    autoscaler_.memory = StatusMemory();
    autoscaler_.writes.clear();
    scale_.Set(2, "");
    scale_.writes.clear();
    events_.clear();
  }

  // The answer to what an evaluation asks for.
  MetricsAnswer Read(const FetchMetrics& request) {
    MetricsAnswer answer;
    source_.Start(request, [&](MetricsAnswer read) { answer = std::move(read); });
    return answer;
  }
  // Reads what the evaluation, of a Session or a Reconciler, asks for, until it writes or ends.
  template <typename Evaluated>
  Progress GoOn(Evaluated& session, Progress progress) {
    for (;;) {
      const auto* request = std::get_if<Request>(&progress);
      const auto* fetch = request == nullptr ? nullptr : std::get_if<FetchMetrics>(request);
      if (fetch == nullptr) {
        return progress;
      }
      if constexpr (std::is_same_v<Evaluated, Session>) {
        progress = session.Evaluate(fetch->autoscaler, Read(*fetch));
      } else {
        progress = session.Begin(fetch->autoscaler, Read(*fetch));
      }
    }
  }
  // Carries out all that it asks for, until it ends.
  template <typename Evaluated>
  NextEvaluation Finish(Evaluated& session, Progress progress) {
    progress = GoOn(session, std::move(progress));
    while (const auto* request = std::get_if<Request>(&progress)) {
      const auto* scale = std::get_if<WriteScale>(request);
      progress = session.Resume(scale != nullptr
                                    ? Answer(scale_.Write(*scale))
                                    : Answer(autoscaler_.Write(std::get<WriteStatus>(*request))));
      progress = GoOn(session, std::move(progress));
    }
    return std::get<NextEvaluation>(progress);
  }
  NextEvaluation Evaluate(Session& session) {
    return Finish(session, session.Evaluate(Watched(), {}));
  }
  // The same once a period for so long, each time after the period.
  void EvaluateFor(Session& session, std::chrono::seconds span,
                   std::chrono::seconds period = std::chrono::seconds(15)) {
    for (std::chrono::seconds passed{0}; passed < span; passed += period) {
      clock_.Advance(period);
      Evaluate(session);
    }
  }

  // The status that the API server has.
  const api::AutoscalerStatus& status() const { return autoscaler_.object.status; }
  const api::Condition* ConditionOf(const char* type) const {
    return engine::Find(status().conditions, type);
  }
  // The reason of that condition; empty: there is none.
  std::string ReasonOf(const char* type) const {
    const api::Condition* condition = ConditionOf(type);
    return condition == nullptr ? "" : condition->reason;
  }
  std::vector<std::string> EventsOf(const std::string& reason) const {
    std::vector<std::string> messages;
    for (const engine::Event& event : events_) {
      if (event.reason == reason) {
        messages.push_back(event.message);
      }
    }
    return messages;
  }

  support::FakeClock clock_;
  FakeScalePort scale_{clock_};
  FakeAutoscalerPort autoscaler_;
  FakeSnapshotSource source_{scale_, autoscaler_, clock_};
  InMemoryLedger ledger_;
  std::vector<engine::Event> events_;
  std::chrono::nanoseconds asleep_{0};  // how long the process stood still, until awake_
  process::SteadyTime awake_;
  FakeLeadership leadership_;
  SessionOptions options_{.leadership = &leadership_,
                          .longest_stall = [this](process::SteadyTime since) {
                            return awake_ > since ? asleep_ : std::chrono::nanoseconds(0);
                          }};
  Ports ports_ = With(ledger_);
};

}  // namespace ballast::session
