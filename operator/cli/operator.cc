#include "operator/cli/operator.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "operator/admission/webhook.h"
#include "operator/cli/host_name.h"
#include "operator/cli/leadership.h"
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
#include "operator/net/http_server.h"
#include "operator/runtime/events.h"
#include "operator/runtime/log.h"
#include "operator/runtime/manager.h"
#include "operator/runtime/patience.h"
#include "operator/runtime/signals.h"
#include "operator/serve/health.h"
#include "operator/serve/measure.h"
#include "operator/serve/pages.h"
#include "operator/telemetry/metrics.h"
#include "operator/telemetry/process.h"
#include "store/ledger.h"
#include "webhooks/serve/http.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::minutes kSyncTimeout{2};
// With evaluations that are under way when the program ends; then their calls are ended.
constexpr std::chrono::seconds kPatience{5};

// Opens the store. Without it the operator scales all the same and says that history is degraded,
// unless another operator holds it: two would both scale.
Result<std::unique_ptr<store::Ledger>> OpenLedger(const std::string& path,
                                                  const store::Retention& retention) {
  const auto converting = [&](std::int64_t decisions) {
    log::Warn("the store is of an earlier version: it is converted first",
              {{"store", path}, {"decisions", decisions}});
  };
  auto ledger = store::Ledger::Open(path, {.retention = retention, .converting = converting});
  if (ledger.ok()) {
    if (const std::string aside = (*ledger)->health().set_aside; !aside.empty()) {
      log::Warn("the damaged store was set aside, and a new one begun",
                {{"store", path}, {"set_aside", aside}});
    }
    return ledger;
  }
  if (ledger.error().code == Code::kConflict) {
    return ledger;
  }
  log::Error("the store cannot be used; decisions are kept in memory only",
             {{"store", path}, {"error", ledger.error().message}});
  return store::Ledger::WithoutStore(ledger.error());
}

// Done once the first lists are there.
Status CheckSynced(const controllers::Fleet& fleet) {
  const auto synced = [](const auto& watched, const char* kind) -> Status {
    if (watched.HasSynced()) {
      return Done{};
    }
    return Error{Code::kUnavailable, "there is no first list of kind " + std::string(kind)};
  };
  TRY(synced(fleet.policies, "AutoScalePolicy"));
  TRY(synced(fleet.hpas, "HorizontalPodAutoscaler"));
  return synced(fleet.pods, "Pod");
}

// Waits for that, or until `stop` is requested.
Status WaitForSync(controllers::Fleet& fleet, const std::string& server,
                   const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kSyncTimeout;
  constexpr std::chrono::milliseconds kLook{100};
  while (!stop.stop_requested() &&
         !(fleet.policies.WaitForSync(kLook) && fleet.hpas.WaitForSync(kLook) &&
           fleet.pods.WaitForSync(kLook))) {
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{Code::kUnavailable, server + ": " + CheckSynced(fleet).error().message +
                                           " after 2 minutes; see the errors above"};
    }
  }
  return Done{};
}

// Looked up for each scrape.
void AddLedgerMetrics(telemetry::Registry& registry, const store::Ledger& ledger) {
  const auto gauge = [&](const std::string& name, const std::string& help) {
    return registry.Gauges("ballast_store_" + name, help).With({});
  };
  const auto healthy = gauge("healthy", "1 while records reach the disk, else 0.");
  const auto waiting = gauge("records_waiting", "Records that are not on the disk yet.");
  const auto dropped = gauge("records_dropped", "Records given up since the start.");
  const auto replaced =
      gauge("replaced", "1 after a damaged database was set aside and a new one begun, else 0.");
  registry.BeforePrint([=, &ledger] {
    const store::Health health = ledger.health();
    healthy.Set(health.problem ? 0 : 1);
    waiting.Set(static_cast<double>(health.waiting));
    dropped.Set(static_cast<double>(health.dropped));
    replaced.Set(health.set_aside.empty() ? 0 : 1);
  });
}

Status Run(const OperatorOptions& options) {
  ASSIGN_OR_RETURN(const log::Level level, log::ParseLevel(options.log_level));
  log::SetLevel(level);
  TRY(CheckWebhookOptions(options.webhook));
  ASSIGN_OR_RETURN(const kube::ClusterConfig config, kube::LoadConfig(options.kubeconfig));
  const runtime::StopOnSignal signals;
  runtime::Manager manager(std::chrono::nanoseconds(options.shutdown_grace.nanoseconds));

  telemetry::Registry registry;
  telemetry::AddProcessMetrics(registry);
  runtime::SystemClock clock;

  std::stop_source calls;  // ends what hangs when the program does
  kube::ConnectOptions connect{.user_agent = "ballast/" BALLAST_VERSION,
                               .on_warning =
                                   [](const std::string& text) {
                                     log::Warn("the API server warns", {{"warning", text}});
                                   },
                               .stop = calls.get_token(),
                               .metrics = kube::ClientMetrics(registry)};
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> transport,
                   kube::Connect(config, connect));
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Ledger> ledger,
                   OpenLedger(options.store, options.retention));
  ASSIGN_OR_RETURN(const std::unique_ptr<Leadership> leadership,
                   Leadership::Make(options, config, connect, clock, registry,
                                    {.lost = [&](const Error& why) { manager.Fail(why); },
                                     .other_leads =
                                         [&ledger = *ledger, &clock](const std::string& holder) {
                                           ledger.RecordLeader(holder, false, clock.Now());
                                         }}));
  // For what only the leader does: each write needs a live lease.
  connect.before_write = [&leadership = *leadership] { return leadership.LeaveToWrite(); };
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> led, kube::Connect(config, connect));

  kube::Client client(*led);
  kube::RestMapper mapper(*led);
  controllers::Fleet fleet(*transport, clock, options.namespaces);
  controllers::Targets targets(*transport, client, mapper, clock, options.namespaces);
  metrics::PodMetricsReader pod_metrics(client, clock);
  metrics::MetricValuesReader values(*led, mapper);
  controllers::Owners owners(client, mapper, clock);
  controllers::Gatherer gatherer(fleet, targets, owners, pod_metrics, values, clock,
                                 options.settings);
  runtime::EventRecorder events(
      *led, clock,
      {.instance = HostName(),
       .dropped_total = registry
                            .Counters("ballast_events_dropped_total",
                                      "Events that were too many for the "
                                      "queue or of one object, or could not "
                                      "be sent.")
                            .With({})});
  controllers::Reconciler reconciler({.fleet = fleet,
                                      .targets = targets,
                                      .gatherer = gatherer,
                                      .client = client,
                                      .ledger = *ledger,
                                      .events = events,
                                      .clock = clock,
                                      .settings = options.settings,
                                      .default_period = options.sync_period,
                                      .metrics = controllers::EvaluationMetrics(registry)});
  controllers::Controller controller(fleet, reconciler, clock,
                                     controllers::ControllerMetrics(registry, options.per_policy));

  serve::Health health;
  health.AddReady("watches", [&] { return CheckSynced(fleet); });
  health.AddReady("shutdown", [&] {
    return manager.stopping() ? Status(Error{Code::kUnavailable, "stopping"}) : Status(Done{});
  });
  registry.Gauges("ballast_build_info", "Always 1; the label is the version.", {"version"})
      .With({BALLAST_VERSION})
      .Set(1);
  AddLedgerMetrics(registry, *ledger);
  health.AddLive("leadership", [&] { return leadership->CheckAlive(); });
  health.AddLive("controller", [&] { return controller.CheckAlive(); });
  registry.BeforePrint([&] { controller.TellProgress(); });
  std::unique_ptr<net::HttpServer> pages;
  std::unique_ptr<admission::Webhook> webhook;
  std::atomic<const admission::Webhook*> reviewing = nullptr;  // the webhook, once it listens
  std::jthread farewell;  // of the webhook, while the controller ends

  // The order of starting; the reverse is that of stopping.
  if (!options.serve_address.empty()) {
    manager.Add({"pages",
                 [&](const std::stop_token&) -> Status {
                   auto server = net::HttpServer::Start(options.serve_address,
                                                        serve::Pages(health, registry), {});
                   if (!server.ok()) {
                     return server.error().In("--serve-address");
                   }
                   pages = std::move(server).value();
                   log::Info("serving health and metrics", {{"address", pages->address()}});
                   return Done{};
                 },
                 [&] { pages->Stop({}); }});
  }
  // Its handlers call the controller, which ends before the fleet.
  const auto stop_watches = [&] {
    calls.request_stop();
    fleet.Stop();
  };
  manager.Add({"watches",
               [&](const std::stop_token& stop) {
                 fleet.Start();
                 const Status synced = WaitForSync(fleet, config.server, stop);
                 if (!synced.ok()) {
                   stop_watches();
                 }
                 return synced;
               },
               stop_watches});
  if (!options.webhook.address.empty()) {
    health.AddReady("webhook", [&] {
      const admission::Webhook* const now = reviewing;
      return now != nullptr && now->Ready()
                 ? Status(Done{})
                 : Status(Error{Code::kUnavailable, "there is no certificate to serve with"});
    });
    admission::WebhookOptions serving = options.webhook;
    serving.is_leader = [&] { return leadership->Check().ok(); };
    serving.metrics = admission::CertificateMetrics(registry);
    serving.measured = [&](net::HttpHandler handler) {
      return serve::Measure(std::move(handler), registry,
                            {webhooks::kMutatePath, webhooks::kValidatePath});
    };
    manager.Add({"webhook",
                 [&, serving](const std::stop_token&) -> Status {
                   ASSIGN_OR_RETURN(webhook,
                                    admission::Webhook::Start(serving, fleet, *led, clock));
                   reviewing = webhook.get();
                   return Done{};
                 },
                 [&] {
                   if (farewell.joinable()) {
                     farewell.join();
                   } else {
                     webhook->Stop();
                   }
                 }});
  }
  manager.Add(leadership->Part());
  manager.Add(
      {"events", [](const std::stop_token&) { return Status(Done{}); }, [&] { events.Stop(); }});
  manager.Add({"controller",
               [&](const std::stop_token& stop) {
                 const std::stop_callback hurry(stop, [&] { calls.request_stop(); });
                 ledger->RecordLeader(leadership->identity(), true, clock.Now());
                 reconciler.SettleIntents();
                 controller.Start(options.workers);
                 log::Info("ready", {{"policies", fleet.policies.List().size()}});
                 return Status(Done{});
               },
               [&] {
                 if (webhook != nullptr) {
                   farewell = std::jthread([&] { webhook->Stop(); });
                 }
                 const runtime::Patience patience(kPatience, [&] { calls.request_stop(); });
                 controller.Stop();
               }});

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
