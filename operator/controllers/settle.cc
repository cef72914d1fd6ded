#include "operator/controllers/settle.h"

#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include "operator/controllers/evaluation.h"
#include "operator/controllers/read_back.h"
#include "operator/engine/engine.h"
#include "operator/engine/snapshot_json.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

Result<WriteAttempt> AttemptOf(const store::OpenIntent& intent, const engine::Snapshot& snapshot) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr) {
    return Error{Code::kCorrupt, "the recorded snapshot has no scale"};
  }
  return WriteAttempt{intent.id,
                      intent.subject.key.namespace_,
                      snapshot.autoscaler.spec.scale_target_ref,
                      {scale->metadata.uid, intent.from, intent.to}};
}

}  // namespace

void Settler::SettleAll() {
  for (const store::OpenIntent& intent : ledger_.OpenIntents()) {
    if (const Status settled = TrySettle(intent); !settled.ok()) {
      log::Error("an intent of an earlier run cannot be settled",
                 {{"policy", intent.subject.key.Print()}, {"error", settled.error().message}});
    }
  }
}

// A defect that one intent meets must not keep the operator from starting, again and again.
Status Settler::TrySettle(const store::OpenIntent& intent) {
  try {
    return Settle(intent);
  } catch (const std::exception& defect) {
    return Error{Code::kInternal, defect.what()};
  }
}

Status Settler::Settle(const store::OpenIntent& intent) {
  if (intent.snapshot.empty()) {
    SettleBlindly(intent);
    return Done{};
  }
  ASSIGN_OR_RETURN(const engine::Snapshot snapshot, engine::ParseSnapshot(intent.snapshot));
  ASSIGN_OR_RETURN(const WriteAttempt attempt, AttemptOf(intent, snapshot));
  if (intent.given_up) {
    AskAgain(intent.subject.uid, attempt);
    Retry(intent.subject.uid);
    return Done{};
  }
  const auto found = Find(attempt);
  const engine::Outcome outcome =
      found.ok() ? *found : engine::Outcome{Kind::kUnknown, found.error().message};
  const engine::Conclusion conclusion =
      engine::Conclude(snapshot, engine::Decide(snapshot), outcome);
  ledger_.RecordOutcome(intent.id, outcome, clock_.Now(), conclusion.memory,
                        [&] { return Print(conclusion); });
  if (!found.ok()) {
    AskAgain(intent.subject.uid, attempt);
  }
  log::Info("settled an intent of an earlier run", {{"policy", intent.subject.key.Print()},
                                                    {"from", intent.from},
                                                    {"to", intent.to},
                                                    {"written", outcome.kind == Kind::kWritten},
                                                    {"detail", outcome.message}});
  return Done{};
}

// Nobody knows which object it was to be written to.
void Settler::SettleBlindly(const store::OpenIntent& intent) {
  if (intent.given_up) {
    return;
  }
  const Time now = clock_.Now();
  const auto recalled = ledger_.Recall(intent.subject.uid, now);
  engine::Memory memory = recalled ? recalled->memory : engine::Memory{};
  memory.recommendations.push_back({intent.time, intent.to});
  auto& events = intent.to > intent.from ? memory.scale_ups : memory.scale_downs;
  events.push_back({intent.time, std::abs(intent.to - intent.from)});
  ledger_.RecordOutcome(intent.id, {Kind::kUnknown, "its snapshot cannot be read"}, now, memory,
                        nullptr);
  log::Error("the snapshot of an intent of an earlier run cannot be read; it counts as written",
             {{"policy", intent.subject.key.Print()}, {"from", intent.from}, {"to", intent.to}});
}

void Settler::AskAgain(const std::string& uid, const WriteAttempt& attempt) {
  const std::lock_guard lock(mutex_);
  open_[uid] = attempt;
}

void Settler::GiveUp(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  open_.erase(uid);
}

void Settler::Retry(const std::string& uid) {
  std::optional<WriteAttempt> attempt;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = open_.find(uid); found != open_.end()) {
      attempt = found->second;
    }
  }
  if (!attempt) {
    return;
  }
  const auto found = Find(*attempt);
  if (!found.ok()) {
    return;  // next time
  }
  GiveUp(uid);
  if (found->kind != Kind::kUnknown) {
    ledger_.RecordFate(attempt->id, *found, clock_.Now());
  }
  log::Info("found out what became of a write of a scale",
            {{"target", attempt->namespace_ + "/" + attempt->target.name},
             {"from", attempt->change.from},
             {"to", attempt->change.to},
             {"written", found->kind == Kind::kWritten},
             {"detail", found->message}});
}

Result<engine::Outcome> Settler::Find(const WriteAttempt& attempt) {
  const auto resource = targets_.Resolve(attempt.target);
  if (!resource.ok()) {
    if (resource.error().code == Code::kNotFound) {
      return engine::Outcome{Kind::kFailed, "the target is gone: " + resource.error().message};
    }
    return resource.error();
  }
  return ReadBack(client_, *resource, {attempt.namespace_, attempt.target.name}, attempt.change);
}

}  // namespace ballast::controllers
