#include "operator/app/leader_part.h"

#include <chrono>
#include <random>
#include <string>
#include <utility>

#include "operator/os/host_name.h"

namespace ballast::app {
namespace {

// How long events may still be sent after the Lease was given up: as long as evaluations may still
// take, and then the events.
constexpr std::chrono::seconds kLastReports{10};

std::string UniqueIdentity() {
  std::random_device random;
  return os::HostName() + "_" + std::to_string(random()) + std::to_string(random());
}

}  // namespace

Result<std::unique_ptr<LeaderPart>> LeaderPart::Make(
    const OperatorOptions& options, const kube::ClusterConfig& config, kube::ConnectOptions connect,
    process::Clock& clock, telemetry::Registry& registry, Callbacks callbacks) {
  auto made = std::make_unique<LeaderPart>();
  if (!options.leader_elect) {
    made->identity_ = os::HostName();
    return made;
  }
  runtime::LeaderElectionOptions election = options.election;
  TRY(Validate(election));
  if (election.identity.empty()) {
    election.identity = UniqueIdentity();
  }
  if (election.lease.namespace_.empty()) {
    election.lease.namespace_ = config.namespace_;
  }
  made->identity_ = election.identity;
  connect.user_agent += " leader-election";
  connect.stop = {};  // the Lease is released last
  ASSIGN_OR_RETURN(made->transport_, kube::Connect(config, connect));
  made->clock_ = &clock;
  made->elector_ = std::make_unique<runtime::LeaderElector>(
      *made->transport_, clock, election,
      runtime::LeaderElector::ElectionHooks{
          .on_lost = std::move(callbacks.lost),
          .on_other = std::move(callbacks.other_leads),
          .metrics = runtime::LeaderElectionMetrics(registry, election.lease.name)});
  return made;
}

process::Manager::Part LeaderPart::Part() {
  if (elector_ == nullptr) {
    return {"leadership", [](const std::stop_token&) { return Status(Done{}); }};
  }
  return {"leadership",
          [this](const std::stop_token& stop) {
            elector_->Start();
            elector_->AwaitLeadership(stop);
            return Status(Done{});
          },
          [this] { GiveUp(); }};
}

void LeaderPart::GiveUp() {
  if (elector_ != nullptr && elector_->Release()) {
    report_until_ = clock_->Steady() + kLastReports;
  }
}

Result<process::SteadyTime> LeaderPart::LeaveToReport() const {
  Result<process::SteadyTime> leave = LeaveToWrite();
  const process::SteadyTime until = report_until_;
  return leave.ok() || clock_->Steady() >= until ? std::move(leave) : until;
}

}  // namespace ballast::app
