#include "operator/session/intent_recovery.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/decision/snapshot_json.h"
#include "operator/engine/engine.h"
#include "operator/engine/memory/continuity.h"
#include "operator/engine/memory/remember.h"
#include "operator/process/log.h"
#include "operator/session/read_back.h"
#include "operator/session/who_set.h"

namespace ballast::session {
namespace {

using Kind = engine::Outcome::Kind;

// How long the write may still take to arrive. Only the wall clock outlives a process; if it was
// set back, the longest possible time. The write may have been sent as late as kLongestWait.
std::chrono::nanoseconds LeftToSettle(Time decided, Time now) {
  const std::chrono::nanoseconds longest = kLongestIntent + kLongestWait + kSettleTime;
  const std::chrono::nanoseconds passed((now - decided).nanoseconds);
  return passed < std::chrono::nanoseconds(0)
             ? longest
             : std::max(longest - passed, std::chrono::nanoseconds(0));
}

}  // namespace

std::vector<Attempt> IntentRecovery::LeftOver(const std::string& uid) {
  std::vector<Attempt> attempts;
  for (const store::OpenIntent& intent : ledger_.OpenIntents()) {
    if (intent.given_up || intent.subject.uid != uid) {
      continue;
    }
    auto attempt = Restore(intent);
    if (attempt.ok()) {
      attempts.push_back(std::move(attempt).value());
    } else {
      SettleAsUnknown(intent, attempt.error().message);
    }
  }
  return attempts;
}

void IntentRecovery::SettleAbandoned(const std::function<bool(const store::Subject&)>& is_served) {
  for (const store::OpenIntent& intent : ledger_.OpenIntents()) {
    if (!intent.given_up && !is_served(intent.subject)) {
      SettleAsUnknown(intent, "its autoscaler was deleted or is no longer served");
    }
  }
}

// Decides again from the recorded snapshot. If the result is not the recorded count, the record
// proves nothing: kCorrupt.
Result<Attempt> IntentRecovery::Restore(const store::OpenIntent& intent) const {
  ASSIGN_OR_RETURN(engine::Snapshot parsed, engine::ParseSnapshot(intent.snapshot));
  auto snapshot = std::make_shared<const engine::Snapshot>(std::move(parsed));
  const auto* scale = std::get_if<api::Scale>(&snapshot->scale);
  if (scale == nullptr) {
    return Error{Code::kCorrupt, "its snapshot has no scale"};
  }
  Attempt attempt{.id = intent.id,
                  .snapshot = snapshot,
                  .decision = engine::Decide(*snapshot),
                  .change = {scale->metadata.uid, intent.from, intent.to},
                  .deadline = clock_.Steady() + LeftToSettle(intent.decided, clock_.Now()),
                  .left_over = true};
  if (!attempt.decision.rescale || attempt.decision.target_replicas != intent.to) {
    return Error{Code::kCorrupt, "its snapshot leads to a different decision"};
  }
  return attempt;
}

void IntentRecovery::SettleAsUnknown(const store::OpenIntent& intent, const std::string& problem) {
  const Time now = clock_.Now();
  const auto recalled = ledger_.Recall(intent.subject.uid, now);
  engine::Memory memory = recalled ? recalled->memory : engine::Memory{};
  engine::Seed(memory, intent.time, intent.to);
  engine::CountChange(memory, intent.time, intent.from, intent.to);
  const engine::Outcome unknown{Kind::kUnknown, problem};
  ledger_.Append(store::Concluded{intent.id, unknown, now, memory, nullptr});
  log::Error(
      "the outcome of a scale write by an earlier run cannot be determined; it counts as written",
      {{"autoscaler", api::PrintName(intent.subject.kind, intent.subject.key.Print())},
       {"from", intent.from},
       {"to", intent.to},
       {"problem", problem}});
}

std::optional<engine::Outcome> FindOutcome(const Attempt& attempt, const LiveScale& live) {
  if (live.asked < attempt.sent) {
    return std::nullopt;
  }
  // By the time before the reading: the scale shows every write that had arrived by then.
  const bool may_arrive = live.asked < attempt.deadline;
  const Result<api::Scale>& scale = live.scale;
  if (!scale.ok()) {
    return scale.error().code == Code::kNotFound
               ? std::optional(engine::Outcome{Kind::kUnknown,
                                               "the target is gone: " + scale.error().message})
               : std::nullopt;
  }
  std::optional<api::FieldManager> manager;
  if (scale->spec_replicas == attempt.change.to ||
      (scale->spec_replicas == attempt.change.from && !may_arrive)) {
    auto who = WhoSet(live.managed, *scale);
    if (!who.ok()) {
      return std::nullopt;  // somebody else may have set the very same count
    }
    manager = *std::move(who);
  }
  return Judge(*scale, manager, attempt.change, attempt.snapshot->now, may_arrive);
}

}  // namespace ballast::session
