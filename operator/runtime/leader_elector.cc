#include "operator/runtime/leader_elector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "operator/process/guarded.h"
#include "operator/process/log.h"

namespace ballast::runtime {
namespace {

constexpr std::chrono::milliseconds kShortestTimeout{1000};

// Two requests fit into the renew deadline, and none outlasts the lease by much.
std::chrono::milliseconds RequestTimeout(Duration renew_deadline) {
  const std::chrono::nanoseconds deadline(renew_deadline.nanoseconds);
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline / 2),
                  kShortestTimeout);
}

std::string HostOf(const std::string& identity) { return identity.substr(0, identity.rfind('_')); }

}  // namespace

LeaderElector::LeaderElector(kube::Transport& transport, process::Clock& clock,
                             const LeaderElectionOptions& options, ElectionHooks hooks)
    : client_(transport, RequestTimeout(options.renew_deadline)),
      clock_(clock),
      hooks_(std::move(hooks)),
      election_(options),
      runner_("leader-elector", clock, [this](const std::stop_token&) { return Turn(); }) {}

void LeaderElector::Start() {
  {
    const std::lock_guard lock(mutex_);
    election_.Start(clock_.Steady());
  }
  runner_.Start();
}

bool LeaderElector::AwaitLeadership(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return elected_.wait(lock, stop, [this] { return election_.leads(); });
}

bool LeaderElector::Release() {
  runner_.Stop();
  {
    const std::lock_guard lock(mutex_);
    election_.Release();
  }
  Turn();
  const std::lock_guard lock(mutex_);
  return election_.released();
}

Status LeaderElector::CheckLease() const {
  const std::lock_guard lock(mutex_);
  return election_.CheckLease(process::ReadBoth(clock_));
}

Result<process::SteadyTime> LeaderElector::LeaveToWrite() const {
  const std::lock_guard lock(mutex_);
  return election_.LeaveToWrite(process::ReadBoth(clock_));
}

std::int64_t LeaderElector::term() const {
  const std::lock_guard lock(mutex_);
  return election_.term();
}

Status LeaderElector::CheckAlive() const {
  const std::lock_guard lock(mutex_);
  return election_.CheckAlive(clock_.Steady());
}

// Makes one attempt: up to three requests.
process::SteadyTime LeaderElector::Turn() {
  ElectionStep step = Step(std::nullopt);
  while (step.request) {
    step = Step(Answer(*step.request));
  }
  return step.wake_at;
}

ElectionStep LeaderElector::Step(const std::optional<Result<Lease>>& answer) {
  ElectionStep step;
  bool leads = false;
  {
    const std::lock_guard lock(mutex_);
    step = election_.Step(process::ReadBoth(clock_), answer);
    leads = election_.leads();
  }
  hooks_.metrics.master_status.Set(leads ? 1 : 0);
  for (const ElectionEvent& event : step.events) {
    OnEvent(event);
  }
  if (leads) {
    elected_.notify_all();
  }
  return step;
}

// A defect that an answer triggers is a failure like any other.
Result<Lease> LeaderElector::Answer(const LeaseRequest& request) {
  return process::Guarded([&] { return Send(client_, election_.options().lease, request); });
}

void LeaderElector::OnEvent(const ElectionEvent& event) {
  using Kind = ElectionEvent::Kind;
  const std::string& identity = election_.options().identity;
  const std::string name = election_.options().lease.Print();
  const log::Field lease{"lease", name};
  const std::string why = event.why ? event.why->message : "";
  switch (event.kind) {
    case Kind::kElected:
      log::Info("became the leader", {lease, {"identity", identity}, {"transitions", term()}});
      return;
    case Kind::kReclaimed:
      log::Info(
          "renewed the lease of this identity; it is taken unless somebody else renews it too",
          {lease, {"identity", identity}});
      return;
    case Kind::kOtherLeads:
      log::Info(log::About{event.holder}, "another replica leads",
                {lease, {"holder", event.holder}});
      others_have_led_ = others_have_led_ || HostOf(event.holder) != HostOf(identity);
      hooks_.on_other(event.holder);
      return;
    case Kind::kOtherHasLed:
      log::Info("another replica has led meanwhile", {lease});
      others_have_led_ = true;
      return;
    case Kind::kReadAgain:
      hooks_.metrics.slowpath.Add();
      return;
    case Kind::kNotRenewed:
    case Kind::kNotTaken:
      log::Warn(log::About{name, Name(event.why->code)},
                event.kind == Kind::kNotRenewed ? "the lease could not be renewed"
                                                : "the lease could not be taken",
                {lease, {"error", why}});
      return;
    case Kind::kLost:
      log::Error("no longer the leader", {lease, {"error", why}});
      hooks_.on_lost(*event.why);
      return;
    case Kind::kReleased:
      log::Info("released the lease", {lease});
      return;
    case Kind::kNotReleased:
      log::Warn("the lease could not be released; it will expire", {lease, {"error", why}});
      return;
  }
}

}  // namespace ballast::runtime
