#include "tests/faults/replica.h"

#include <chrono>
#include <optional>
#include <utility>

#include "operator/admission/certificate_care.h"
#include "operator/admission/cluster_lookup.h"
#include "operator/app/controller_part.h"
#include "operator/app/leader_part.h"
#include "operator/app/watches_part.h"
#include "operator/kube/http/connect.h"
#include "operator/process/manager.h"
#include "operator/process/runner.h"
#include "store/ledger.h"
#include "tests/faults/counting_ledger.h"
#include "tests/faults/defect.h"
#include "tests/faults/link.h"
#include "tests/faults/world.h"

namespace ballast {
namespace faults {
namespace {

// So few that a disk that fails for minutes makes the ledger give up history.
constexpr std::size_t kMaxChanges = 60;
constexpr std::chrono::seconds kReviewed{20};  // so often

app::OperatorOptions OptionsOf(const std::string& identity) {
  app::OperatorOptions options;
  options.leader_elect = true;
  options.store = identity.substr(0, identity.find('_'));  // the volume's name
  options.metric_sources = {
      {.name = "main", .namespaces = {{"*"}}, .connection = {.server = identity}}};
  options.webhook.take_over_in = {{"*"}};
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
    if (!dead_) {
      Die();
      exits();
    }
  };
}

Process::~Process() { all_.erase(identity_); }

std::unique_ptr<kube::Transport> Process::Connect(const kube::ConnectOptions& options) {
  return std::make_unique<Link>(world_, *this, options.stop, options.before_write);
}

// As Operator::Run.
void Process::Main() {
  const app::OperatorOptions options = OptionsOf(identity_);
  {
    process::Manager manager(std::chrono::nanoseconds(options.shutdown_grace.nanoseconds));
    process::SystemClock clock;
    telemetry::Registry registry;
    std::stop_source calls;
    const kube::ClusterConfig config{.server = identity_};
    kube::ConnectOptions connect{.stop = calls.get_token()};
    const std::unique_ptr<store::Ledger> ledger = std::make_unique<CountingLedger>(
        store::MakeLedger(disk_.Open(*this), {.max_changes = kMaxChanges}),
        [this](const store::Subject& subject) {
          world_.checks().Evaluated(identity_, subject.key.name);
        });
    const auto leadership =
        app::LeaderPart::Make(options, config, connect, clock, registry,
                              {.lost = [&](const Error& why) { manager.Fail(why); },
                               .other_leads =
                                   [&](const std::string& holder) {
                                     ledger->Append(store::TermSeen{holder, false, clock.Now()});
                                   }})
            .value();
    const auto any = Connect(connect);
    connect.before_write = [&] { return leadership->LeaveToWrite(); };
    const auto led = Connect(connect);
    connect.before_write = [&] { return leadership->LeaveToReport(); };
    const auto events = Connect(connect);
    app::WatchesPart watches(
        {*any, *led, clock, config.server, calls, options.settings.max_view_age}, {}, {});
    app::ControllerPart controller(
        {watches, *ledger, *led, *events, clock, registry, *leadership, calls}, options);
    manager.Add({"store", [&](const std::stop_token& stop) { return ledger->Start(stop); }});
    manager.Add(watches.Part());
    std::optional<admission::CertificateCare> certificates;
    if (world_.options().swarm.Has(Fault::kWebhook)) {
      certificates.emplace(
          admission::CertificateOptions{.secret = kWebhookSecret,
                                        .configuration = kWebhookConfiguration,
                                        .hosts = {kWebhookHost},
                                        .is_leader = [&] { return leadership->leads(); }},
          HasDefect("runtime-M10") ? *any : *led, clock);
      identity_served_ = certificates->identity();
      manager.Add({"webhook", [&](const std::stop_token&) {
                     certificates->Start();
                     return Status(Done{});
                   }});
    }
    admission::ClusterLookup lookup(watches.watches(), *any, clock, {});
    process::Runner reviews("reviews", clock, [&](const std::stop_token&) {
      world_.Review(*this, lookup);
      return clock.Steady() + kReviewed;
    });
    if (world_.options().swarm.Has(Fault::kReviews)) {
      manager.Add({"reviews",
                   [&](const std::stop_token&) {
                     reviews.Start();
                     return Status(Done{});
                   },
                   [&] { reviews.Stop(); }});
    }
    manager.Add(leadership->Part());
    manager.Add({"leader", [&](const std::stop_token&) {
                   if (leadership->leads()) {
                     world_.Trace(identity_ + " leads");
                   }
                   return Status(Done{});
                 }});
    manager.Add(controller.EventsPart());
    manager.Add(
        controller.Part(identity_, {.ending = [] {}, .written = [&] { leadership->GiveUp(); }}));
    const Status end = manager.Run(stop_.get_token());
    if (!end.ok() && !dead_) {
      world_.Trace(identity_ + " ends: " + end.error().message);
    }
  }
  ended_ = true;
}

std::shared_ptr<ssl_ctx_st> Process::served() const {
  return identity_served_ == nullptr ? nullptr : identity_served_->context();
}

void Process::RequestStop() {
  // On a fiber of the process, since what it calls may wait.
  Fibers& fibers = Fibers::Get();
  fibers.Detach(fibers.Spawn("signal", &machine_, [this] { stop_.request_stop(); }));
}

void Process::Kill() {
  Die();
  Fibers::Get().Continue(machine_);
  RequestStop();
}

void Process::Die() {
  dead_ = true;
  disk_.Cut();
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

}  // namespace faults

// In the place of operator/kube/http/connect.cc: the address of a source of metrics is the identity
// of the process that asks it.
Result<std::unique_ptr<kube::Transport>> kube::Connect(const kube::ClusterConfig& config,
                                                       const kube::ConnectOptions& options) {
  return faults::Process::Find(config.server).Connect(options);
}

}  // namespace ballast
