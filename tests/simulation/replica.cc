#include "tests/simulation/replica.h"

#include <chrono>
#include <utility>

#include "operator/app/controller_part.h"
#include "operator/app/watches_part.h"
#include "operator/kube/connect.h"
#include "operator/runtime/leader_elector.h"
#include "operator/runtime/manager.h"
#include "store/ledger.h"
#include "tests/simulation/link.h"
#include "tests/simulation/world.h"

namespace ballast {
namespace simulation {
namespace {

app::OperatorOptions OptionsOf(const std::string& identity) {
  app::OperatorOptions options;
  options.leader_elect = true;
  options.store = identity.substr(0, identity.find('_'));  // the volume's name
  options.metric_sources = {
      {.name = "main", .namespaces = {{"*"}}, .connection = {.server = identity}}};
  options.election = {.lease = {"ballast", "ballast"}, .identity = identity};
  return options;
}

}  // namespace

Process::Process(World& world, Disk& disk, std::string identity, const Machine& clocks,
                 std::function<void()> exits)
    : world_(world), disk_(disk), identity_(std::move(identity)), machine_(clocks) {
  all_[identity_] = this;
  machine_.on_exit = [this, exits = std::move(exits)] {
    world_.Trace(identity_ + " did not stop in time, and exits");
    if (world_.options().trace) {
      Fibers::Get().Print(&machine_);
    }
    exited_ = true;
    if (!std::exchange(dead_, true)) {
      exits();
    }
  };
}

Process::~Process() { all_.erase(identity_); }

std::unique_ptr<kube::Transport> Process::Connect(std::stop_token stop) {
  return std::make_unique<Link>(world_, *this, std::move(stop), Link::Leave());
}

// As Operator::Run.
void Process::Main() {
  const app::OperatorOptions options = OptionsOf(identity_);
  {
    runtime::Manager manager(std::chrono::nanoseconds(options.shutdown_grace.nanoseconds));
    runtime::SystemClock clock;
    telemetry::Registry registry;
    std::stop_source calls;
    const std::string server = "the model";
    std::unique_ptr<store::Ledger> ledger = store::MakeLedger(disk_.Open(*this), {});
    Link lease(world_, *this, {}, {});
    runtime::LeaderElector elector(
        lease, clock, options.election,
        {.on_lost = [&](const Error& why) { manager.Fail(why); },
         .on_other =
             [&](const std::string& holder) {
               ledger->Append(store::LeaderChanged{holder, false, clock.Now()});
             }});
    Link any(world_, *this, calls.get_token(), {});
    Link led(world_, *this, calls.get_token(), [&] { return elector.LeaveToWrite(); });
    Link events(world_, *this, calls.get_token(), [&] { return elector.LeaveToWrite(); });
    app::WatchesPart watches({any, led, clock, server, calls}, {}, false);
    app::ControllerPart controller(
        {watches, *ledger, led, events, clock, registry, [&] { return elector.term(); },
         [&] { return elector.IsLeader(); }, [&] { return elector.OthersHaveLed(); }, calls},
        options);
    manager.Add({"store", [&](const std::stop_token& stop) { return ledger->Start(stop); }});
    manager.Add(watches.Part());
    manager.Add({"leadership",
                 [&](const std::stop_token& stop) {
                   elector.Start();
                   if (elector.AwaitLeadership(stop)) {
                     world_.Trace(identity_ + " leads");
                   }
                   return Status(Done{});
                 },
                 [&] { elector.Release(); }});
    manager.Add(controller.EventsPart());
    manager.Add(
        controller.Part(identity_, {.ending = [] {}, .written = [&] { elector.Release(); }}));
    const Status end = manager.Run(stop_.get_token());
    if (!end.ok() && !dead_) {
      world_.Trace(identity_ + " ends: " + end.error().message);
    }
  }
  ended_ = true;
}

void Process::RequestStop() {
  // On a fiber of the process, since what it calls may wait.
  Fibers& fibers = Fibers::Get();
  fibers.Detach(fibers.Spawn("signal", &machine_, [this] { stop_.request_stop(); }));
}

void Process::Kill() {
  dead_ = true;
  Fibers::Get().Continue(machine_);
  RequestStop();
}

void Process::Stop() { RequestStop(); }

bool Process::partitioned() const { return Fibers::Get().now() < partitioned_until_; }

std::uint64_t Process::Begin(const std::string& phase) {
  calls_[++called_] = phase;
  return called_;
}

std::vector<std::string> Process::Phases() const {
  std::vector<std::string> phases;
  for (const auto& [number, phase] : calls_) {
    phases.push_back(phase);
  }
  if (phases.empty()) {
    phases.emplace_back("idle");
  }
  return phases;
}

void Replica::Start() {
  if (process_ != nullptr) {
    clocks_ = process_->machine();
    former_.push_back(std::move(process_));
  }
  std::erase_if(former_, [](const auto& process) { return process->ended(); });
  const std::string identity =
      "replica-" + std::to_string(number_) + "_" + std::to_string(++started_);
  process_ = std::make_unique<Process>(world_, disk_, identity, clocks_,
                                       [this] { StartAfter(3 * kSecond); });
  Process* const process = process_.get();
  world_.Trace(identity + " starts");
  Fibers& fibers = Fibers::Get();
  fibers.Detach(fibers.Spawn("main", &process->machine(), [this, process] {
    process->Main();
    // A pod is started again when it ends; one that was killed has its successor already.
    if (!process->dead()) {
      StartAfter(3 * kSecond);
    }
  }));
}

void Replica::Kill(Nanoseconds start_after) {
  process_->Kill();
  StartAfter(start_after);
}

void Replica::StartAfter(Nanoseconds span) {
  Fibers::Get().At(world_.now() + span, [this, process = process_.get()] {
    if (process_.get() == process) {
      Start();
    }
  });
}

}  // namespace simulation

// In the place of operator/kube/connect.cc: the address of a source of metrics is the identity of
// the process that asks it.
Result<std::unique_ptr<kube::Transport>> kube::Connect(const kube::ClusterConfig& config,
                                                       const kube::ConnectOptions& options) {
  return simulation::Process::Find(config.server).Connect(options.stop);
}

}  // namespace ballast
