#include "operator/runtime/election.h"

#include <algorithm>
#include <utility>

#include "api/base/invariant.h"
#include "operator/os/random.h"

namespace ballast::runtime {
namespace {

using Kind = ElectionEvent::Kind;

// A candidate waits for up to this many times the period, so that not all ask at once.
constexpr double kJitter = 1.2;
// If no attempt ends for this much longer than the lease lasts, something hangs.
constexpr Duration kAliveMargin = Duration::Seconds(20);

std::chrono::nanoseconds Chrono(Duration span) {
  return std::chrono::nanoseconds(span.nanoseconds);
}

}  // namespace

Status Validate(const LeaderElectionOptions& options) {
  if (options.lease_duration.nanoseconds % Duration::Seconds(1).nanoseconds != 0) {
    return Error{Code::kInvalid, "--leader-elect-lease-duration must be whole seconds, and is " +
                                     Print(options.lease_duration)};
  }
  if (options.lease_duration <= options.renew_deadline) {
    return Error{Code::kInvalid, "--leader-elect-lease-duration (" + Print(options.lease_duration) +
                                     ") must be longer than --leader-elect-renew-deadline (" +
                                     Print(options.renew_deadline) + ")"};
  }
  if (options.renew_deadline.seconds() <= kJitter * options.retry_period.seconds()) {
    return Error{Code::kInvalid, "--leader-elect-renew-deadline (" + Print(options.renew_deadline) +
                                     ") must be longer than 1.2 times "
                                     "--leader-elect-retry-period (" +
                                     Print(options.retry_period) + ")"};
  }
  if (options.retry_period <= Duration{}) {
    return Error{Code::kInvalid, "--leader-elect-retry-period must be longer than 0"};
  }
  return Done{};
}

Election::Election(LeaderElectionOptions options)
    : options_(std::move(options)),
      random_(options_.random ? options_.random : os::SystemRandom()) {}

void Election::Start(process::SteadyTime now) {
  attempt_at_ = now;
  due_ = now;
}

ElectionStep Election::Step(process::Instant now, const std::optional<Result<Lease>>& answer) {
  if (answer) {
    TakeAnswer(now, *answer);
  }
  if (phase_ == Phase::kIdle && releasing_) {
    BeginRelease(now);
  } else if (phase_ == Phase::kIdle && now.steady >= due_) {
    BeginAttempt(now);
  }
  INVARIANT(Check());
  return {std::exchange(request_, std::nullopt),
          phase_ == Phase::kIdle ? due_ : process::SteadyTime::max(), std::exchange(events_, {})};
}

bool Election::Check() const {
  const bool ends = phase_ >= Phase::kReleaseRead;
  const bool writes =
      phase_ == Phase::kRenew || phase_ == Phase::kWrite || phase_ == Phase::kReleaseWrite;
  // It leads for as long as it holds the lease, and an election that ends has no leader.
  return leads_ == (held_ && !ends) && (phase_ != Phase::kRenew || leads_) &&
         (!released_ || phase_ == Phase::kOver) &&
         // Only what is awaited is sent, and what was sent may be found in the lease.
         (!request_ || (phase_ != Phase::kIdle && phase_ != Phase::kOver)) &&
         (!writes || !attempted_.empty());
}

void Election::TakeAnswer(process::Instant now, const Result<Lease>& answer) {
  switch (phase_) {
    case Phase::kIdle:
    case Phase::kOver:
      return;
    case Phase::kRenew:
      return OnRenewed(now, answer);
    case Phase::kRead:
      return OnRead(now, answer);
    case Phase::kWrite:
      return OnWritten(now, answer);
    case Phase::kReleaseRead:
      return OnReleaseRead(now, answer);
    case Phase::kReleaseWrite:
      return EndRelease(answer.ok() ? Status(Done{}) : answer.error());
  }
}

// A leader writes without reading first: nobody else writes the lease, so its version is known.
void Election::BeginAttempt(process::Instant now) {
  renews_ = held_.has_value();
  inherits_ = false;
  renewal_failed_.reset();
  if (!renews_) {
    Read(Phase::kRead);
    return;
  }
  LeaseRecord record = held_->record;
  record.renew_time = PrintMicro(now.wall);
  Write(Phase::kRenew, now, std::move(record), held_->resource_version);
}

void Election::EndAttempt(process::Instant now, const Status& status) {
  attempt_at_ = now.steady;
  if (!status.ok()) {
    events_.push_back({.kind = renews_ ? Kind::kNotRenewed : Kind::kNotTaken,
                       .why = renewal_failed_.value_or(status.error())});
  }
  if (const Status live = CheckLease(now); renews_ && !live.ok()) {
    Lose(now, live.error());
    return;
  }
  phase_ = Phase::kIdle;
  due_ = now.steady + Pause(now);
}

void Election::OnRenewed(process::Instant now, const Result<Lease>& answer) {
  const Status confirmed = Confirm(answer);
  if (confirmed.ok() || !CheckLease(now).ok()) {
    EndAttempt(now, confirmed);
    return;
  }
  renewal_failed_ = confirmed.error();
  events_.push_back({Kind::kReadAgain});
  Read(Phase::kRead);
}

void Election::OnRead(process::Instant now, const Result<Lease>& answer) {
  if (answer.ok()) {
    TakeFrom(now, *answer);
  } else if (answer.error().code == Code::kNotFound) {
    TakeFrom(now, {});
  } else {
    EndAttempt(now, answer.error());
  }
}

void Election::TakeFrom(process::Instant now, const Lease& lease) {
  const bool exists = !lease.resource_version.empty();
  if (exists || !observed_) {
    Observe(now, lease.record);  // the holder of a deleted lease may still be writing
  }
  if (held_ && exists && !IsOwn(lease.record)) {
    Lose(now,
         {Code::kConflict, "the lease " + options_.lease.Print() + " was lost to " +
                               (lease.record.holder.empty() ? "nobody"
                                : lease.record.holder == options_.identity
                                    ? "another process of the same identity, " + options_.identity
                                    : lease.record.holder)});
    return;
  }
  if (IsHeldByOther(now)) {
    EndAttempt(now, Done{});
    return;
  }
  const std::string time = PrintMicro(now.wall);
  LeaseRecord record = lease.record;
  if (record.holder != options_.identity) {
    record.holder = options_.identity;
    record.acquire_time = time;
    record.transitions += exists ? 1 : 0;
  }
  record.renew_time = time;
  record.duration_seconds = static_cast<std::int32_t>(options_.lease_duration.seconds());
  inherits_ = lease.record.holder == options_.identity && !IsOwn(lease.record);
  Write(Phase::kWrite, now, std::move(record), lease.resource_version);
}

void Election::OnWritten(process::Instant now, const Result<Lease>& answer) {
  const Status confirmed = Confirm(answer);
  const bool overtaken = !confirmed.ok() && confirmed.error().code == Code::kConflict;
  EndAttempt(now, overtaken ? Status(Done{}) : confirmed);  // the next attempt reads it again
}

void Election::Read(Phase phase) {
  phase_ = phase;
  request_ = LeaseRequest{};
}

void Election::Write(Phase phase, process::Instant now, LeaseRecord record,
                     std::string resource_version) {
  if (!held_) {
    attempted_.clear();
  }
  attempted_.push_back(record);
  phase_ = phase;
  sent_at_ = now;
  request_ = LeaseRequest{std::move(record), std::move(resource_version)};
}

// Makes the last write count if the answer confirms it, from the time when it was sent: this
// process leads, unless the lease was a former process's.
Status Election::Confirm(const Result<Lease>& answer) {
  TRY(answer);
  const LeaseRecord& record = attempted_.back();
  if (answer->record != record) {
    return Error{Code::kCorrupt, "the answer is not the Lease that was written"};
  }
  if (inherits_) {
    events_.push_back({Kind::kReclaimed});
    return Done{};
  }
  renewed_at_ = sent_at_;
  term_ = record.transitions;
  if (!held_) {
    leads_ = true;
    events_.push_back({Kind::kElected});
  }
  held_ = *answer;
  attempted_.clear();
  return Done{};
}

void Election::BeginRelease(process::Instant now) {
  const bool live = CheckLease(now).ok();
  leads_ = false;
  phase_ = Phase::kOver;
  if (live) {
    Read(Phase::kReleaseRead);
  }
}

void Election::OnReleaseRead(process::Instant now, const Result<Lease>& answer) {
  if (!answer.ok()) {
    EndRelease(answer.error());
    return;
  }
  if (!IsOwn(answer->record)) {
    EndRelease(Error{Code::kConflict, "it is held by " + answer->record.holder});
    return;
  }
  LeaseRecord record = answer->record;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquire_time = record.renew_time = PrintMicro(now.wall);
  Write(Phase::kReleaseWrite, now, std::move(record), answer->resource_version);
}

void Election::EndRelease(const Status& status) {
  phase_ = Phase::kOver;
  released_ = status.ok();
  if (released_) {
    events_.push_back({Kind::kReleased});
  } else {
    events_.push_back({.kind = Kind::kNotReleased, .why = status.error()});
  }
}

void Election::Lose(process::Instant now, const Error& why) {
  attempt_at_ = now.steady;
  leads_ = false;
  phase_ = Phase::kOver;
  events_.push_back({.kind = Kind::kLost, .why = why});
}

void Election::Observe(process::Instant now, const LeaseRecord& record) {
  if (observed_ == record) {
    return;
  }
  if (!record.holder.empty() && record.holder != options_.identity &&
      (!observed_ || observed_->holder != record.holder)) {
    events_.push_back({Kind::kOtherLeads, record.holder});
  } else if (record.holder.empty() && observed_ && record.transitions > observed_->transitions) {
    events_.push_back({Kind::kOtherHasLed});
  }
  observed_ = record;
  observed_at_ = now.steady;
}

bool Election::IsHeldByOther(process::Instant now) const { return now.steady < HeldByOtherUntil(); }

process::SteadyTime Election::HeldByOtherUntil() const {
  if (!observed_ || observed_->holder.empty() || observed_->holder == options_.identity) {
    return process::SteadyTime::min();
  }
  return observed_at_ + (observed_->duration_seconds > 0
                             ? std::chrono::seconds(observed_->duration_seconds)
                             : Chrono(options_.lease_duration));
}

// Whether this process wrote the record: confirmed, or sent without an answer.
bool Election::IsOwn(const LeaseRecord& record) const {
  return (held_ && held_->record == record) ||
         std::find(attempted_.begin(), attempted_.end(), record) != attempted_.end();
}

std::chrono::nanoseconds Election::Pause(process::Instant now) {
  const auto period = Chrono(options_.retry_period);
  if (held_) {
    return period;
  }
  const auto pause = std::chrono::duration_cast<std::chrono::nanoseconds>(
      period * (1 + (kJitter - 1) * random_()));
  // Another's lease that was not renewed meanwhile is taken in the moment when it ends.
  return IsHeldByOther(now) ? std::min(pause, HeldByOtherUntil() - now.steady) : pause;
}

Status Election::CheckLease(process::Instant now) const {
  if (!leads_) {
    return Error{Code::kForbidden, "not the leader: the lease " + options_.lease.Print() +
                                       " is not held by " + options_.identity};
  }
  const Duration age{std::max(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.steady - renewed_at_.steady).count(),
      (now.wall - renewed_at_.wall).nanoseconds)};
  if (age >= options_.renew_deadline) {
    return Error{Code::kForbidden, "not the leader for sure: the lease " + options_.lease.Print() +
                                       " was last renewed " + Print(age) + " ago"};
  }
  return Done{};
}

Result<process::SteadyTime> Election::LeaveToWrite(process::Instant now) const {
  TRY(CheckLease(now));
  return renewed_at_.steady + Chrono(options_.lease_duration);
}

Status Election::CheckAlive(process::SteadyTime now) const {
  if (!attempt_at_) {
    return Done{};  // not started: another part holds up the start, and reports it
  }
  const Duration silent{
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - *attempt_at_).count()};
  if (silent.nanoseconds > (options_.lease_duration.nanoseconds + kAliveMargin.nanoseconds)) {
    return Error{Code::kUnavailable,
                 "no attempt to renew the lease has ended for " + Print(silent)};
  }
  return Done{};
}

}  // namespace ballast::runtime
