#include "operator/session/attempt_settler.h"

#include <cstddef>
#include <string>
#include <tuple>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/process/log.h"
#include "operator/session/intent_recovery.h"
#include "operator/session/status_memory.h"

namespace ballast::session {
namespace {

using Kind = engine::Outcome::Kind;

// Of an attempt to the count that the target has now, or from it. All replicas are one field
// manager.
constexpr const char* kOthersMayHave =
    "another process may have set the present replicas since, without a record here";
constexpr const char* kAnotherMayHave =
    "another autoscaler of the same target may have set the present replicas";

bool IsOfTarget(const Attempt& attempt, const api::Autoscaler& autoscaler) {
  const auto target_of = [](const api::Autoscaler& of) {
    const api::CrossVersionObjectReference& target = of.spec.scale_target_ref;
    return std::tie(target.api_version, target.kind, target.name);
  };
  return target_of(attempt.snapshot->autoscaler) == target_of(autoscaler);
}

}  // namespace

std::shared_ptr<const api::Autoscaler> AttemptSettler::NeedsLive() const {
  if (attempts_.empty()) {
    return nullptr;
  }
  return {attempts_[0].snapshot, &attempts_[0].snapshot->autoscaler};
}

void AttemptSettler::Settle(const api::Autoscaler& autoscaler, const MetricsAnswer& read,
                            const Conclude& conclude) {
  if (!others_led_ && HasLeftOver()) {
    others_led_ = OthersLed(autoscaler, read.stored);  // before this process writes the status
  }
  bool credited = false;  // at most one attempt can have set the present replicas
  for (std::size_t at = 0; at < attempts_.size();) {
    std::optional<engine::Outcome> outcome;
    if (attempts_[at].left_over && others_led_.value_or(false)) {
      // At once: once this process has written the status, a later one would not know it.
      outcome = {Kind::kUnknown, kOthersMayHave};
    } else if (read.live && IsOfTarget(attempts_[at], *read.request.live)) {
      outcome = ReadBack(attempts_[at], *read.live);
    }
    const bool awaits_leader =
        outcome && outcome->kind != Kind::kUnknown && attempts_[at].left_over && !others_led_;
    if (!outcome || awaits_leader) {
      ++at;
      continue;
    }
    const Attempt attempt = attempts_.End(at);
    if (credited && outcome->kind == Kind::kWritten) {
      *outcome = {Kind::kUnknown, "an earlier attempt to the same count arrived"};
    }
    credited = credited || outcome->kind == Kind::kWritten;
    log::Info("the outcome of an earlier scale write is known",
              {{"autoscaler", autoscaler.Print()},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"written", outcome->kind == Kind::kWritten},
               {"detail", outcome->message}});
    conclude(attempt, *outcome);
  }
}

void AttemptSettler::StatusIsReplaced() {
  if (!others_led_ && HasLeftOver()) {
    others_led_ = true;
  }
}

std::optional<engine::Outcome> AttemptSettler::OutcomeOf(const api::Autoscaler& autoscaler,
                                                         const ScaleAnswer& answer) {
  const Attempt& attempt = attempts_.newest();
  auto outcome = answer.live ? ReadBack(attempt, *answer.live) : std::nullopt;
  if (outcome && outcome->kind != Kind::kWritten) {
    outcome->message = answer.lost + " (" + outcome->message + ")";
  }
  if (!outcome) {
    const std::string name = autoscaler.Print();
    log::Warn(log::About{name},
              "it is not known yet whether the scale was written; no other scale is written until "
              "it is known",
              {{"autoscaler", name},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"error", answer.lost}});
  }
  return outcome;
}

std::optional<engine::Outcome> AttemptSettler::ReadBack(const Attempt& attempt,
                                                        const LiveScale& live) const {
  auto outcome = FindOutcome(attempt, live);
  if (!outcome || outcome->kind == Kind::kUnknown) {
    return outcome;
  }
  // One that was under way when the scale was read from which the attempt was decided, too.
  const process::SteadyTime since =
      attempt.deadline - kLongestIntent - kLongestWait - 3 * kSettleTime;
  if (!attempt.left_over && !options_.leadership->leads()) {
    *outcome = {Kind::kUnknown, kOthersMayHave};
  } else if (ports_.scale.SentForAnother(attempt.change.uid,
                                         attempt.snapshot->autoscaler.metadata.uid, since)) {
    *outcome = {Kind::kUnknown, kAnotherMayHave};
  }
  return outcome;
}

std::optional<bool> AttemptSettler::OthersLed(
    const api::Autoscaler& autoscaler,
    const std::optional<Result<StoredAutoscaler>>& stored) const {
  if (engine::IsTrue(autoscaler.status.conditions, api::kHistoryDegraded)) {
    return true;
  }
  if (!options_.others_lead || !options_.ModeOf(autoscaler).reports) {
    return false;
  }
  if (options_.leadership->others_have_led()) {
    return true;  // its status may not have arrived
  }
  if (!stored || !stored->ok()) {
    return std::nullopt;
  }
  const Result<StatusMemory>& memory = (*stored)->memory;
  if (!memory.ok()) {
    return true;
  }
  // A later leader's status may not have arrived, or this process may not have seen that it led.
  const bool in_between = memory->term + 1 < options_.leadership->term();
  return !memory->writer.empty() && (memory->writer != options_.writer || in_between);
}

}  // namespace ballast::session
