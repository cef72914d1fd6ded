#include "operator/hpa/claim.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/base/invariant.h"
#include "operator/process/log.h"

namespace ballast::hpa {
namespace {

// How long nobody else may have written the status before Ballast scales. It doubles with each
// contest, and is half as much again as the longest pause of the other controller that was seen: it
// may look more rarely than Ballast does.
constexpr Duration kLeastQuiet = Duration::Seconds(60);
constexpr Duration kMostQuiet = Duration::Seconds(300);

// The controller of HPAs whose status nobody has written yet.
constexpr const char* kBuiltIn = "kube-controller-manager";

// No watch is behind for so long: it is read anew before.
constexpr Duration kMostBehind = Duration::Seconds(300);

Duration QuietOf(Duration period, int contests, Duration longest_pause) {
  Duration quiet = std::max(Duration{3 * period.nanoseconds}, kLeastQuiet);
  const Duration most = std::max(quiet, kMostQuiet);
  quiet = std::max(quiet, Duration{longest_pause.nanoseconds * 3 / 2});
  for (int i = 1; i < contests && quiet < most; ++i) {
    quiet.nanoseconds *= 2;
  }
  return std::min(quiet, most);
}

Duration Since(process::SteadyTime then, const process::Instant& now) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now.steady - then).count()};
}

ManageBlocker ContestedBy(const std::string& manager) {
  return {"AnotherController",
          (manager.empty() ? "another controller" : manager) +
              " writes the status of this HorizontalPodAutoscaler, so Ballast does not scale its "
              "target: start kube-controller-manager with --controllers=*,-horizontal-pod-"
              "autoscaler-controller, or change the annotation " +
              std::string(api::kHpaMode)};
}

void Log(const api::ObjectKey& hpa, const char* message, const std::string& detail = {}) {
  const std::string name = api::PrintName({api::kHpaKind, hpa.namespace_, hpa.name});
  log::Info(log::About{name}, message, {{"autoscaler", name}, {"detail", detail}});
}

}  // namespace

Claim::ClaimAction Claim::Take(const api::Autoscaler& hpa, const Circumstances& around,
                               const process::Instant& now, Duration period) {
  INVARIANT(Check());
  if (offered_ || confirms_) {
    Forget();
  }
  const std::optional<ManageBlocker>& blocker = around.blocker;
  if (IsBehind(hpa, around.written, now)) {
    return {.held = state_ == State::kHeld && !blocker && !begun_ && !refused_, .behind = true};
  }
  refused_ = false;
  if (around.blind && since_ && state_ == State::kClaiming) {
    since_ = now.steady;
  }
  if (blocker) {
    const bool news = blocker_ != blocker;
    if (state_ == State::kHeld || IsHeld(hpa)) {
      NoteEnd({});
    }
    state_ = State::kNone;
    blocker_ = blocker;
    ClaimAction action = blocker->in_status ? Mark(hpa, std::nullopt, now) : ClaimAction();
    if (news) {
      Log(hpa.key(), "an HPA is not managed", blocker->message);
      action.events.push_back({"Warning", blocker->reason, blocker->message});
    }
    return action;
  }
  switch (state_) {
    case State::kNone:
      blocker_.reset();
      if (IsHeld(hpa)) {
        return Confirm(hpa);
      }
      state_ = State::kClaiming;
      since_.reset();
      other_ = OtherWriter(hpa);
      return Mark(hpa, kClaimMark, now);
    case State::kClaiming:
      return AwaitClaim(hpa, around, now, period);
    case State::kHeld:
      return OthersWrite(hpa) ? Contest(hpa, now) : ClaimAction{.held = true};
    case State::kContested:
      return AwaitQuiet(hpa, around, now, period);
  }
  return {};
}

bool Claim::Check() const {
  // Nothing keeps it from what it holds; what it does not hold because of another controller says
  // why, and since when; and a hand-over is from or to Ballast.
  return (state_ != State::kHeld || !blocker_) &&
         (state_ != State::kContested || (blocker_ && since_ && contests_ > 0)) &&
         (!hand_over_ || holds_);
}

bool Claim::IsBehind(const api::Autoscaler& hpa, const std::string& written,
                     const process::Instant& now) {
  if (api::VersionNumber(hpa.metadata.resource_version) >=
      std::max(api::VersionNumber(written), api::VersionNumber(version_))) {
    behind_since_.reset();
    return false;
  }
  behind_since_ = behind_since_.value_or(now.steady);
  // What is written then is refused if the API server has another version than the watch.
  return Since(*behind_since_, now) < kMostBehind;
}

Duration Claim::QuietLeft(const Circumstances& around, const process::Instant& now,
                          Duration period) const {
  process::SteadyTime since = *since_;
  Duration longest_pause;
  if (const auto activity = around.others.Of(other_ ? other_->manager : kBuiltIn, now)) {
    since = std::max(since, activity->last);
    longest_pause = activity->longest_gap;
  }
  return {QuietOf(period, contests_, longest_pause).nanoseconds - Since(since, now).nanoseconds};
}

Claim::ClaimAction Claim::AwaitClaim(const api::Autoscaler& hpa, const Circumstances& around,
                                     const process::Instant& now, Duration period) {
  if (!since_) {
    return Mark(hpa, kClaimMark, now);
  }
  if (OthersWrite(hpa) || hpa.status.observed_generation != kClaimMark) {
    return Contest(hpa, now);
  }
  if (const Duration left = QuietLeft(around, now, period); left > Duration()) {
    return {.again = left};
  }
  blocker_.reset();
  return Mark(hpa, HeldMark(hpa), now);
}

Claim::ClaimAction Claim::Contest(const api::Autoscaler& hpa, const process::Instant& now) {
  if (auto other = OtherWriter(hpa)) {  // else whoever dropped the claim changed nothing else
    other_ = std::move(other);
  }
  const ManageBlocker found = ContestedBy(other_ ? other_->manager : "");
  const bool news = blocker_ != found;
  if (state_ == State::kHeld) {
    NoteEnd(other_);
  }
  if (state_ != State::kContested) {
    ++contests_;
  }
  state_ = State::kContested;
  since_ = now.steady;
  blocker_ = found;
  ClaimAction action = Mark(hpa, std::nullopt, now);
  if (news) {
    Log(hpa.key(), "an HPA is not managed: another controller is at work",
        other_ ? other_->manager : "unknown");
    action.events.push_back({"Warning", found.reason, found.message});
  }
  return action;
}

Claim::ClaimAction Claim::AwaitQuiet(const api::Autoscaler& hpa, const Circumstances& around,
                                     const process::Instant& now, Duration period) {
  const auto other = OtherWriter(hpa);
  const bool wrote =
      other && (!other_ || other->manager != other_->manager || other->time != other_->time);
  if (wrote) {
    return Contest(hpa, now);
  }
  if (const Duration left = QuietLeft(around, now, period); left > Duration()) {
    ClaimAction action = Mark(hpa, std::nullopt, now);
    action.again = left;
    return action;
  }
  state_ = State::kClaiming;
  since_.reset();
  return Mark(hpa, kClaimMark, now);
}

Claim::ClaimAction Claim::Confirm(const api::Autoscaler& hpa) {
  confirms_ = hpa.key();
  return {.write = session::WriteStatus{hpa.reference(),
                                        {hpa.metadata.uid, hpa.metadata.resource_version},
                                        R"({"status":{"observedGeneration":)" +
                                            std::to_string(*hpa.status.observed_generation) + "}}"},
          .confirms = true};
}

Claim::ClaimAction Claim::Mark(const api::Autoscaler& hpa, std::optional<std::int64_t> claim,
                               const process::Instant& now) {
  ClaimAction action;
  if (auto patch = PatchMarks(hpa, {claim, blocker_}, now.wall)) {
    offered_ = claim;
    if (ConditionChange change{PrintManaged(hpa.status), Print(blocker_)};
        change.from != change.to) {
      offered_change_ = std::move(change);
    }
    action.write = session::WriteStatus{
        hpa.reference(), {hpa.metadata.uid, hpa.metadata.resource_version}, std::move(*patch)};
  } else if (claim == kClaimMark) {
    since_ = now.steady;  // it stands already
  }
  return action;
}

Claim::ClaimAction Claim::Leave(const api::Autoscaler& hpa, std::string_view mode,
                                const std::string& written, const process::Instant& now) {
  INVARIANT(Check());
  Forget();
  const bool held = state_ == State::kHeld || IsHeld(hpa);
  state_ = State::kNone;
  blocker_.reset();
  contests_ = 0;
  if (IsBehind(hpa, written, now)) {
    return {.behind = true};
  }
  // Once for each version: it may not be allowed any more.
  if (!IsMarked(hpa) || left_ == hpa.metadata.resource_version) {
    return {};
  }
  left_ = hpa.metadata.resource_version;
  ClaimAction action = Mark(hpa, std::nullopt, now);
  if (held) {
    NoteEnd({});
    const std::string message =
        "Ballast no longer scales the target of this HorizontalPodAutoscaler (mode " +
        std::string(mode) +
        "): kube-controller-manager does if its horizontal-pod-autoscaler-controller runs; until "
        "then the replicas stay as they are";
    Log(hpa.key(), "an HPA is no longer managed", std::string(mode));
    action.events.push_back({"Normal", "Released", message});
  }
  return action;
}

void Claim::Forget() {
  offered_.reset();
  offered_change_.reset();
  confirms_.reset();
  state_ = state_ == State::kClaiming ? State::kNone : state_;
}

void Claim::Conflicted(const std::string& version) {
  version_ = version;
  refused_ = true;
}

Boxed<Claim::ConditionChange> Claim::Answered(const session::StatusAnswer& answer,
                                              const process::Instant& now) {
  INVARIANT(Check());
  const auto claim = std::exchange(offered_, std::nullopt);
  const auto confirms = std::exchange(confirms_, std::nullopt);
  auto change = std::exchange(offered_change_, std::nullopt);
  if (!answer.version.ok()) {
    Forget();
    return {};
  }
  if (!answer.written) {
    Conflicted(*answer.version);
    return {};
  }
  version_ = *answer.version;
  if (confirms) {
    state_ = State::kHeld;
    begun_ = true;
    NoteBegin("");
    Log(*confirms, "an HPA that Ballast managed is managed on");
  } else if (claim == kClaimMark) {
    since_ = now.steady;
  } else if (claim && state_ == State::kClaiming) {
    state_ = State::kHeld;
    begun_ = true;
    holds_ = holds_.value_or(false);
    NoteBegin(other_ ? other_->manager : "");
  }
  return change;
}

// What an earlier run or another replica held already is not handed over.
void Claim::NoteBegin(std::string from) {
  if (holds_ == false) {
    hand_over_ = HandOver{std::move(from), api::kFieldManager, {}};
  }
  holds_ = true;
}

void Claim::NoteEnd(const std::optional<api::FieldManager>& other) {
  if (holds_ == false) {
    return;  // its marks are still there
  }
  hand_over_ =
      HandOver{api::kFieldManager, other ? other->manager : "", other ? other->time : std::nullopt};
  holds_ = false;
}

std::optional<Claim::HandOver> Claim::TakeHandOver() {
  return std::exchange(hand_over_, std::nullopt);
}

bool Claim::TakeBegun() { return std::exchange(begun_, false); }

}  // namespace ballast::hpa
