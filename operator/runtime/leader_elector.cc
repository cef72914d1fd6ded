#include "operator/runtime/leader_elector.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "operator/os/random.h"
#include "operator/os/thread_name.h"
#include "operator/runtime/log.h"

namespace ballast::runtime {
namespace {

// How much longer a candidate waits at most, so that not all ask at once.
constexpr double kJitter = 1.2;
constexpr std::chrono::milliseconds kShortestTimeout{1000};
// Attempts that do not end for this much longer than the lease lasts: something hangs.
constexpr Duration kAliveMargin = Duration::Seconds(20);

std::chrono::nanoseconds Chrono(Duration span) {
  return std::chrono::nanoseconds(span.nanoseconds);
}

// Two requests fit into the renew deadline, and none goes on much longer than the lease is live.
std::chrono::milliseconds RequestTimeout(Duration renew_deadline) {
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(Chrono(renew_deadline) / 2),
                  kShortestTimeout);
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

LeaderElector::LeaderElector(kube::Transport& transport, Clock& clock,
                             LeaderElectionOptions options,
                             std::function<void(const Error& why)> on_lost)
    : client_(transport, RequestTimeout(options.renew_deadline)),
      clock_(clock),
      options_(std::move(options)),
      on_lost_(std::move(on_lost)),
      random_(options_.random ? options_.random : os::SystemRandom()) {}

LeaderElector::~LeaderElector() = default;

void LeaderElector::Start() {
  {
    const std::lock_guard lock(mutex_);
    attempt_at_ = clock_.Steady();
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

bool LeaderElector::AwaitLeadership(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return elected_.wait(lock, stop, [this] { return leader_; });
}

void LeaderElector::Release() {
  thread_ = {};
  if (!IsLeader()) {
    return;
  }
  SetLeader(false);
  if (const Status given_up = GiveUp(); !given_up.ok()) {
    log::Warn("the lease could not be given up; it expires by itself",
              {{"lease", options_.lease.Print()}, {"error", given_up.error().message}});
    return;
  }
  log::Info("gave up the lease", {{"lease", options_.lease.Print()}});
}

Status LeaderElector::CheckLease() const {
  const std::lock_guard lock(mutex_);
  return CheckLeaseLocked();
}

Result<SteadyTime> LeaderElector::LeaveToWrite() const {
  const std::lock_guard lock(mutex_);
  TRY(CheckLeaseLocked());
  return renewed_at_ + Chrono(options_.lease_duration);
}

Status LeaderElector::CheckLeaseLocked() const {
  if (!leader_) {
    return Error{Code::kForbidden, "not the leader: the lease " + options_.lease.Print() +
                                       " is not held by " + options_.identity};
  }
  const Duration age{std::max(
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.Steady() - renewed_at_).count(),
      (clock_.Now() - renewed_wall_).nanoseconds)};
  if (age >= options_.renew_deadline) {
    return Error{Code::kForbidden, "not the leader for sure: the lease " + options_.lease.Print() +
                                       " was last renewed " + Print(age) + " ago"};
  }
  return Done{};
}

Status LeaderElector::CheckAlive() const {
  const std::lock_guard lock(mutex_);
  if (!attempt_at_) {
    return Done{};  // its turn has not come: what it waits for says so itself
  }
  const Duration silent{
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.Steady() - *attempt_at_).count()};
  if (silent.nanoseconds > (options_.lease_duration.nanoseconds + kAliveMargin.nanoseconds)) {
    return Error{Code::kUnavailable,
                 "no attempt to renew the lease has ended for " + Print(silent)};
  }
  return Done{};
}

void LeaderElector::Run(const std::stop_token& stop) {
  os::NameThisThread("leader-elector");
  while (!stop.stop_requested()) {
    const bool leads = held_.has_value();
    const Attempt attempt = Try();
    {
      const std::lock_guard lock(mutex_);
      attempt_at_ = clock_.Steady();
    }
    if (attempt.lost) {
      Lose(attempt.status.error());
      return;
    }
    if (!attempt.status.ok()) {
      const std::string lease = options_.lease.Print();
      log::Warn(log::About{lease, Name(attempt.status.error().code)},
                leads ? "the lease could not be renewed" : "the lease could not be taken",
                {{"lease", lease}, {"error", attempt.status.error().message}});
    }
    if (const Status live = CheckLease(); leads && !live.ok()) {
      Lose(live.error());
      return;
    }
    SleepFor(clock_, Pause(), stop);
  }
}

// A defect that an answer meets passes like any other failure.
LeaderElector::Attempt LeaderElector::Try() {
  try {
    return held_ ? Renew() : Acquire();
  } catch (const std::exception& defect) {
    return {Error{Code::kInternal, defect.what()}};
  }
}

// The short way: nobody but the holder writes the lease, so its version is known.
LeaderElector::Attempt LeaderElector::Renew() {
  LeaseRecord record = held_->record;
  record.renew_time = PrintMicro(clock_.Now());
  const Status written = Write(record, held_->resource_version);
  if (written.ok()) {
    return {};
  }
  if (!CheckLease().ok()) {
    return {written};
  }
  options_.metrics.slowpath.Add();
  const Attempt attempt = Acquire();
  return attempt.status.ok() || attempt.lost ? attempt : Attempt{written};
}

LeaderElector::Attempt LeaderElector::Acquire() {
  const auto document = client_.Get(kLeases, options_.lease);
  if (document.ok()) {
    const auto lease = ReadLease(*document);
    return lease.ok() ? TakeFrom(*lease) : Attempt{lease.error()};
  }
  if (document.error().code != Code::kNotFound) {
    return {document.error()};
  }
  return TakeFrom({});
}

LeaderElector::Attempt LeaderElector::TakeFrom(const Lease& lease) {
  const bool exists = !lease.resource_version.empty();
  if (exists || !observed_) {
    Observe(lease.record);  // one that vanished may still be written for by its holder
  }
  if (held_ && exists && !IsOwn(lease.record)) {
    return {Error{Code::kConflict,
                  "the lease " + options_.lease.Print() + " was lost to " +
                      (lease.record.holder.empty() ? "nobody"
                       : lease.record.holder == options_.identity
                           ? "another process of the same identity, " + options_.identity
                           : lease.record.holder)},
            true};
  }
  if (IsHeldByOther()) {
    return {};
  }
  const std::string now = PrintMicro(clock_.Now());
  LeaseRecord record = lease.record;
  if (record.holder != options_.identity) {
    record.holder = options_.identity;
    record.acquire_time = now;
    record.transitions += exists ? 1 : 0;
  }
  record.renew_time = now;
  record.duration_seconds = static_cast<std::int32_t>(options_.lease_duration.seconds());
  const bool inherited = lease.record.holder == options_.identity && !IsOwn(lease.record);
  Status written =
      inherited ? Touch(record, lease.resource_version) : Write(record, lease.resource_version);
  if (!written.ok() && written.error().code == Code::kConflict) {
    return {};  // another candidate was quicker: look again
  }
  return {std::move(written)};
}

Result<Lease> LeaderElector::Send(const LeaseRecord& record, const std::string& resource_version) {
  if (!held_) {
    attempted_.clear();
  }
  attempted_.push_back(record);
  const std::string body = PrintLease(options_.lease, record, resource_version);
  const auto document =
      resource_version.empty()
          ? client_.Create(kLeases, options_.lease.namespace_, body)
          : client_.PatchObject(kLeases, options_.lease, "", kube::Patch::kMerge, body);
  if (!document.ok()) {
    return document.error();
  }
  ASSIGN_OR_RETURN(Lease lease, ReadLease(*document));
  if (lease.record != record) {
    return Error{Code::kCorrupt, "the answer is not the Lease that was written"};
  }
  return lease;
}

// Renews what a process of this identity holds, so that nobody else takes it.
Status LeaderElector::Touch(const LeaseRecord& record, const std::string& resource_version) {
  TRY(Send(record, resource_version));
  log::Info("renewed the lease of this identity; it is taken unless somebody else renews it too",
            {{"lease", options_.lease.Print()}, {"identity", options_.identity}});
  return Done{};
}

// Sends the record; whoever was the holder before, this process is if that is confirmed.
Status LeaderElector::Write(const LeaseRecord& record, const std::string& resource_version) {
  const SteadyTime sent = clock_.Steady();
  const Time sent_wall = clock_.Now();
  ASSIGN_OR_RETURN(Lease lease, Send(record, resource_version));
  const bool elected = !held_;
  held_ = std::move(lease);
  attempted_.clear();
  {
    const std::lock_guard lock(mutex_);
    renewed_at_ = sent;
    renewed_wall_ = sent_wall;
    term_ = record.transitions;
  }
  if (elected) {
    log::Info("became the leader", {{"lease", options_.lease.Print()},
                                    {"identity", options_.identity},
                                    {"transitions", record.transitions}});
    SetLeader(true);
  }
  return Done{};
}

std::int64_t LeaderElector::term() const {
  const std::lock_guard lock(mutex_);
  return term_;
}

Status LeaderElector::GiveUp() {
  ASSIGN_OR_RETURN(const json::Document document, client_.Get(kLeases, options_.lease));
  ASSIGN_OR_RETURN(const Lease lease, ReadLease(document));
  if (!IsOwn(lease.record)) {
    return Error{Code::kConflict, "it is held by " + lease.record.holder};
  }
  LeaseRecord record = lease.record;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquire_time = record.renew_time = PrintMicro(clock_.Now());
  TRY(client_.PatchObject(kLeases, options_.lease, "", kube::Patch::kMerge,
                          PrintLease(options_.lease, record, lease.resource_version)));
  return Done{};
}

void LeaderElector::Observe(const LeaseRecord& record) {
  if (observed_ == record) {
    return;
  }
  if (!record.holder.empty() && record.holder != options_.identity &&
      (!observed_ || observed_->holder != record.holder)) {
    log::Info(log::About{record.holder}, "another one leads",
              {{"lease", options_.lease.Print()}, {"holder", record.holder}});
    if (options_.on_other) {
      options_.on_other(record.holder);
    }
  }
  observed_ = record;
  observed_at_ = clock_.Steady();
}

bool LeaderElector::IsHeldByOther() const {
  if (observed_->holder.empty() || observed_->holder == options_.identity) {
    return false;
  }
  const auto duration = observed_->duration_seconds > 0
                            ? std::chrono::seconds(observed_->duration_seconds)
                            : Chrono(options_.lease_duration);
  return clock_.Steady() < observed_at_ + duration;
}

// Written by this very process: confirmed, or sent without an answer.
bool LeaderElector::IsOwn(const LeaseRecord& record) const {
  return (held_ && held_->record == record) ||
         std::find(attempted_.begin(), attempted_.end(), record) != attempted_.end();
}

std::chrono::nanoseconds LeaderElector::Pause() {
  const auto period = Chrono(options_.retry_period);
  return held_ ? period
               : period + std::chrono::duration_cast<std::chrono::nanoseconds>(period * kJitter *
                                                                               random_());
}

void LeaderElector::Lose(const Error& why) {
  SetLeader(false);
  log::Error("no longer the leader", {{"lease", options_.lease.Print()}, {"error", why.message}});
  on_lost_(why);
}

void LeaderElector::SetLeader(bool leader) {
  options_.metrics.master_status.Set(leader ? 1 : 0);
  const std::lock_guard lock(mutex_);
  leader_ = leader;
  elected_.notify_all();
}

}  // namespace ballast::runtime
