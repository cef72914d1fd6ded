#include "operator/cli/operator.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "operator/admission/webhook.h"
#include "operator/cli/operator_options.h"
#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconciler.h"
#include "operator/controllers/targets.h"
#include "operator/kube/config.h"
#include "operator/kube/connect.h"
#include "operator/kube/discovery.h"
#include "operator/metrics/metric_values.h"
#include "operator/metrics/pod_metrics.h"
#include "operator/runtime/events.h"
#include "operator/runtime/log.h"
#include "operator/runtime/manager.h"
#include "operator/runtime/signals.h"
#include "store/ledger.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::minutes kSyncTimeout{2};

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "ballast";
}

// Opens the store. Without it the operator scales all the same and says that history is degraded,
// unless another operator holds it: two would both scale.
Result<std::unique_ptr<store::Ledger>> OpenLedger(const std::string& path) {
  auto ledger = store::Ledger::Open(path);
  if (ledger.ok() || ledger.error().code == Code::kConflict) {
    return ledger;
  }
  log::Error("the store cannot be used; decisions are kept in memory only",
             {{"store", path}, {"error", ledger.error().message}});
  return store::Ledger::WithoutStore(ledger.error());
}

// Waits until the first lists are there.
Status WaitForSync(controllers::Fleet& fleet, const std::string& server,
                   const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kSyncTimeout;
  const auto synced = [&](auto& watched, const char* what) -> Status {
    while (!watched.WaitForSync(std::chrono::milliseconds(100)) && !stop.stop_requested()) {
      if (std::chrono::steady_clock::now() > deadline) {
        return Error{Code::kUnavailable,
                     server + ": the first list of kind " + what +
                         " did not come within 2 minutes; see the errors above"};
      }
    }
    return Done{};
  };
  TRY(synced(fleet.policies, "AutoScalePolicy"));
  TRY(synced(fleet.hpas, "HorizontalPodAutoscaler"));
  return synced(fleet.pods, "Pod");
}

Status Run(const OperatorOptions& options) {
  ASSIGN_OR_RETURN(const log::Level level, log::ParseLevel(options.log_level));
  log::SetLevel(level);
  TRY(CheckWebhookOptions(options.webhook));
  ASSIGN_OR_RETURN(const kube::ClusterConfig config, kube::LoadConfig(options.kubeconfig));
  const runtime::StopOnSignal signals;
  runtime::Manager manager(std::chrono::nanoseconds(options.shutdown_grace.nanoseconds));

  ASSIGN_OR_RETURN(const std::unique_ptr<store::Ledger> ledger, OpenLedger(options.store));
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> transport,
                   kube::Connect(config, {.user_agent = "ballast/" BALLAST_VERSION,
                                          .on_warning = [](const std::string& text) {
                                            log::Warn("the API server warns", {{"warning", text}});
                                          }}));
  runtime::SystemClock clock;
  kube::Client client(*transport);
  kube::RestMapper mapper(*transport);
  controllers::Fleet fleet(*transport, clock, options.namespaces);
  controllers::Targets targets(*transport, client, mapper, clock, options.namespaces);
  metrics::PodMetricsReader pod_metrics(client, clock);
  metrics::MetricValuesReader values(*transport, mapper);
  controllers::Gatherer gatherer(fleet, targets, pod_metrics, values, options.settings);
  runtime::EventRecorder events(*transport, clock, {.instance = HostName()});
  controllers::Reconciler reconciler({.fleet = fleet,
                                      .targets = targets,
                                      .gatherer = gatherer,
                                      .client = client,
                                      .ledger = *ledger,
                                      .events = events,
                                      .clock = clock,
                                      .settings = options.settings,
                                      .default_period = options.sync_period});
  controllers::Controller controller(fleet, reconciler, clock);

  // The order of starting; the reverse is that of stopping.
  manager.Add({"watches", [&](const std::stop_token& stop) {
                 fleet.Start();
                 return WaitForSync(fleet, config.server, stop);
               }});
  std::unique_ptr<admission::Webhook> webhook;
  if (!options.webhook.address.empty()) {
    manager.Add({"webhook",
                 [&](const std::stop_token&) -> Status {
                   ASSIGN_OR_RETURN(webhook, admission::Webhook::Start(options.webhook, fleet,
                                                                       *transport, clock));
                   return Done{};
                 },
                 [&] { webhook->Stop(); }});
  }
  manager.Add({"controller",
               [&](const std::stop_token&) {
                 ledger->RecordLeader(HostName(), true, clock.Now());
                 reconciler.SettleIntents();
                 controller.Start(options.workers);
                 log::Info("ready", {{"policies", fleet.policies.List().size()}});
                 return Status(Done{});
               },
               [&] { controller.Stop(); }});

  log::Info("starting", {{"version", BALLAST_VERSION},
                         {"server", config.server},
                         {"store", options.store},
                         {"workers", options.workers}});
  return manager.Run(signals.token());
}

}  // namespace

void AddOperator(CLI::App& program, ExitStatus& status) {
  auto options = std::make_shared<OperatorOptions>();
  CLI::App& command = *program.add_subcommand("operator", "Run the controller until SIGTERM");
  AddOptions(command, *options);
  command.callback([options, &status] {
    if (const Status done = Run(*options); !done.ok()) {
      log::Error("the operator ends", {{"error", done.error().message}});
      status = ExitStatus::kFoundWrong;
    } else {
      log::Info("stopped");
    }
  });
}

}  // namespace ballast::cli
