#include "operator/cli/operator.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/admission/webhook.h"
#include "operator/app/leadership.h"
#include "operator/app/operator_options.h"
#include "operator/app/store_part.h"
#include "operator/cluster/targets.h"
#include "operator/cluster/watch_silence.h"
#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconciler.h"
#include "operator/kube/config.h"
#include "operator/kube/connect.h"
#include "operator/kube/discovery.h"
#include "operator/net/http_server.h"
#include "operator/os/host_name.h"
#include "operator/os/signals.h"
#include "operator/os/thread_name.h"
#include "operator/runtime/events.h"
#include "operator/runtime/failed_calls.h"
#include "operator/runtime/log.h"
#include "operator/runtime/manager.h"
#include "operator/runtime/patience.h"
#include "operator/runtime/reflector.h"
#include "operator/runtime/standstill.h"
#include "operator/server/health.h"
#include "operator/server/measure.h"
#include "operator/server/pages.h"
#include "operator/sources/metric_values.h"
#include "operator/sources/pod_metrics.h"
#include "operator/telemetry/metrics.h"
#include "operator/telemetry/process.h"
#include "store/ledger.h"
#include "webhooks/http/http.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::minutes kSyncTimeout{2};
// A stream whose beginning never ends leaves time for the list that is made instead.
static_assert(runtime::WatchSource().stream_timeout + runtime::WatchSource().list_timeout <
              kSyncTimeout);
// With evaluations that are under way when the program ends; then their calls are ended.
constexpr std::chrono::seconds kPatience{5};

// Done once the first lists are there.
Status CheckSynced(const cluster::Fleet& fleet) {
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

// Those that were deleted while this process did not run or lead.
void ForgetTheGone(const cluster::Fleet& fleet, store::Ledger& ledger) {
  std::set<std::string> uids;
  for (const auto& policy : fleet.policies.List()) {
    uids.insert(policy->metadata.uid);
  }
  ledger.ForgetOthers(uids);
}

// Waits for that, or until `stop` is requested.
Status WaitForSync(cluster::Fleet& fleet, const std::string& server, const std::stop_token& stop) {
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

// At run time, and said in any case.
void ChangeLevel(log::Level level) {
  log::SetLevel(log::Level::kInfo);
  log::Info("the log level changed", {{"to", log::Name(level)}});
  log::SetLevel(level);
}

Status Run(const app::OperatorOptions& options) {
  ASSIGN_OR_RETURN(const log::Level level, log::ParseLevel(options.log_level));
  ASSIGN_OR_RETURN(const log::Format format, log::ParseFormat(options.log_format));
  log::SetLevel(level);
  log::SetFormat(format);
  ASSIGN_OR_RETURN(const kube::ClusterConfig config, kube::LoadConfig(options.kubeconfig));
  // By signals and not over HTTP: nobody who reaches the pages proves who they are, and who may
  // send a signal may do worse.
  const os::Signals signals(
      {.usr1 = [] { ChangeLevel(log::Level::kDebug); }, .usr2 = [level] { ChangeLevel(level); }});
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
                               .on_failure = runtime::LogFailedCall,
                               .stop = calls.get_token(),
                               .metrics = kube::ClientMetrics(registry)};
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> transport,
                   kube::Connect(config, connect));
  app::StorePart store(options.store, {clock.Now(), options.namespaces}, options.retention);
  store::Ledger& ledger = store.ledger();
  ASSIGN_OR_RETURN(const std::unique_ptr<app::Leadership> leadership,
                   app::Leadership::Make(options, config, connect, clock, registry,
                                         {.lost = [&](const Error& why) { manager.Fail(why); },
                                          .other_leads =
                                              [&ledger, &clock](const std::string& holder) {
                                                ledger.RecordLeader(holder, false, clock.Now());
                                              }}));
  // For what only the leader does: each write needs a live lease.
  connect.before_write = [&leadership = *leadership] { return leadership.LeaveToWrite(); };
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> led, kube::Connect(config, connect));

  kube::Client client(*led);
  kube::RestMapper mapper(*led);
  cluster::Fleet fleet(*transport, clock, options.namespaces);
  cluster::Targets targets(*transport, client, mapper, clock, options.namespaces);
  sources::PodMetricsReader pod_metrics(client, clock);
  sources::MetricValuesReader values(*led, mapper);
  cluster::Owners owners(client, mapper, clock);
  controllers::Gatherer gatherer(fleet, targets, owners, pod_metrics, values, clock,
                                 options.settings);
  runtime::EventRecorder events(
      *led, clock,
      {.instance = os::HostName(),
       .dropped_total = registry
                            .Counters("ballast_events_dropped_total",
                                      "Events that were too many for the "
                                      "queue or of one object, or could not "
                                      "be sent.")
                            .With({})});
  const runtime::Standstill standstill(clock);
  controllers::Reconciler reconciler(
      {.fleet = fleet,
       .targets = targets,
       .gatherer = gatherer,
       .client = client,
       .ledger = ledger,
       .events = events,
       .clock = clock,
       .settings = options.settings,
       .default_period = options.sync_period,
       .metrics = controllers::EvaluationMetrics(registry),
       .writer = os::HostName() + ":" + options.store,
       .others_lead = options.leader_elect,
       .stood_still = [&](runtime::SteadyTime since) { return standstill.LongestSince(since); }});
  controllers::Controller controller(fleet, reconciler, clock,
                                     controllers::ControllerMetrics(registry, options.per_policy));

  server::Health health;
  health.AddReady("store", [&] { return store.CheckReady(); });
  // A view that grows old is only told: all replicas see the same server, and admission, which
  // needs them ready, does not depend on it.
  const std::chrono::nanoseconds max_view_age(options.settings.max_view_age.nanoseconds);
  health.AddReady(
      "watches", [&] { return CheckSynced(fleet); },
      [&, max_view_age] {
        return cluster::Describe(cluster::SilenceOf(fleet, targets, clock), max_view_age);
      });
  cluster::AddSilenceMetrics(registry, fleet, targets, clock);
  health.AddReady("shutdown", [&] {
    return manager.stopping() ? Status(Error{Code::kUnavailable, "stopping"}) : Status(Done{});
  });
  registry.Gauges("ballast_build_info", "Always 1; the label is the version.", {"version"})
      .With({BALLAST_VERSION})
      .Set(1);
  store.AddMetrics(registry);
  health.AddLive("leadership", [&] { return leadership->CheckAlive(); });
  health.AddLive("controller", [&] { return controller.CheckAlive(); });
  registry.BeforePrint([&] { controller.TellProgress(); });
  const auto look = [&]() -> server::Inside {
    std::vector<telemetry::WatchInside> watches = fleet.Inside();
    const auto more = targets.Inside();
    watches.insert(watches.end(), more.begin(), more.end());
    return {clock.Steady(), std::move(watches), controller.Inside(), reconciler.Inside()};
  };
  std::unique_ptr<net::HttpServer> pages;
  std::unique_ptr<admission::Webhook> webhook;
  std::atomic<const admission::Webhook*> reviewing = nullptr;  // the webhook, once it listens
  std::jthread farewell;  // of the webhook, while the controller ends

  // The order of starting; the reverse is that of stopping.
  if (!options.serve_address.empty()) {
    manager.Add({"pages",
                 [&](const std::stop_token&) -> Status {
                   auto server = net::HttpServer::Start(options.serve_address,
                                                        server::Pages(health, registry, look),
                                                        {.name = "pages"});
                   if (!server.ok()) {
                     return server.error().In("--serve-address");
                   }
                   pages = std::move(server).value();
                   log::Info("serving health and metrics", {{"address", pages->address()}});
                   return Done{};
                 },
                 [&] { pages->Stop({}); }});
  }
  manager.Add(store.Part());
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
      return server::Measure(std::move(handler), registry,
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
               [&](const std::stop_token&) {
                 ledger.RecordLeader(leadership->identity(), true, clock.Now());
                 reconciler.SettleOthers();
                 ForgetTheGone(fleet, ledger);
                 controller.Start(options.workers);
                 log::Info("ready", {{"policies", fleet.policies.List().size()}});
                 return Status(Done{});
               },
               [&] {
                 if (webhook != nullptr) {
                   farewell = std::jthread([&] {
                     os::NameThisThread("farewell");
                     webhook->Stop();
                   });
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
  auto options = std::make_shared<app::OperatorOptions>();
  CLI::App& command = *program.add_subcommand("operator", "Run the controller until SIGTERM");
  app::AddOptions(command, *options);
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
