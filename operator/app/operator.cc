#include "operator/app/operator.h"

#include <chrono>
#include <string>
#include <utility>

#include "operator/kube/auth/load_config.h"
#include "operator/process/log.h"
#include "operator/runtime/failed_calls.h"
#include "operator/telemetry/process_metrics.h"

namespace ballast::app {

Result<std::unique_ptr<Operator>> Operator::Make(const OperatorOptions& options) {
  ASSIGN_OR_RETURN(kube::ClusterConfig config, kube::LoadConfig(options.kubeconfig));
  std::unique_ptr<Operator> made(new Operator(options, std::move(config)));
  TRY(made->Connect());
  made->MakeParts();
  made->AddHealth();
  made->AddMetrics();
  return made;
}

Operator::Operator(const OperatorOptions& options, kube::ClusterConfig config)
    : manager_(std::chrono::nanoseconds(options.shutdown_grace.nanoseconds)),
      options_(options),
      config_(std::move(config)),
      store_(options.store, {clock_.Now(), options.namespaces}, options.retention, clock_,
             &watch_turns_) {}

Operator::~Operator() = default;

Status Operator::Connect() {
  kube::ConnectOptions connect{.user_agent = "ballast/" BALLAST_VERSION,
                               .on_warning =
                                   [](const std::string& text) {
                                     log::Warn("the API server warns", {{"warning", text}});
                                   },
                               .on_failure = runtime::LogFailedCall,
                               .stop = calls_.get_token(),
                               .metrics = kube::ClientMetrics(registry_)};
  ASSIGN_OR_RETURN(transport_, kube::Connect(config_, connect));
  ASSIGN_OR_RETURN(
      leadership_,
      LeaderPart::Make(options_, config_, connect, clock_, registry_,
                       {.lost = [this](const Error& why) { manager_.Fail(why); },
                        .other_leads =
                            [this](const std::string& holder) {
                              store_.ledger().Append(store::TermSeen{holder, false, clock_.Now()});
                            }}));
  connect.before_write = [this] { return leadership_->LeaveToWrite(); };
  ASSIGN_OR_RETURN(led_, kube::Connect(config_, connect));
  connect.before_write = [this] { return leadership_->LeaveToReport(); };
  ASSIGN_OR_RETURN(events_, kube::Connect(config_, connect));
  return Done{};
}

void Operator::MakeParts() {
  watches_ = std::make_unique<WatchesPart>(
      WatchesPart::WatchesWiring{*transport_, *led_, clock_, config_.server, calls_,
                                 options_.settings.max_view_age, &watch_turns_},
      options_.namespaces,
      cluster::ObjectReading{
          .manages_by_default = options_.hpa_mode->kind == api::ServingMode::Kind::kManage,
          .stamps_owners = !options_.webhook.address.empty(),
          .longest_override = options_.webhook.longest_override});
  controller_ = std::make_unique<ControllerPart>(
      ControllerPart::Wiring{*watches_, store_.ledger(), *led_, *events_, clock_, registry_,
                             *leadership_, calls_},
      options_);
  if (!options_.webhook.address.empty()) {
    admission::WebhookOptions webhook = options_.webhook;
    webhook.max_view_age = options_.settings.max_view_age;
    webhook.certificates.is_leader = [this] { return leadership_->leads(); };
    webhook_ = std::make_unique<WebhookPart>(std::move(webhook), watches_->watches(), *led_, clock_,
                                             registry_);
  }
  if (!options_.serve_address.empty()) {
    pages_ = std::make_unique<PagesPart>(options_.serve_address, health_, registry_,
                                         [this] { return CollectDebugState(); });
  }
}

void Operator::AddHealth() {
  health_.AddReady("store", [this] { return store_.CheckReady(); });
  // A silent watch is only a note: all replicas watch the same API server, and the webhook, which
  // needs ready replicas, only warns of what it may not see.
  health_.AddReady(
      "watches", [this] { return watches_->CheckReady(); },
      [this] { return watches_->DescribeSilence(options_.settings.max_view_age); });
  health_.AddReady("shutdown", [this] {
    return manager_.stopping() ? Status(Error{Code::kUnavailable, "stopping"}) : Status(Done{});
  });
  if (webhook_ != nullptr) {
    health_.AddReady("webhook", [this] { return webhook_->CheckReady(); });
  }
  health_.AddLive("leadership", [this] { return leadership_->CheckAlive(); });
  health_.AddLive("controller", [this] { return controller_->CheckAlive(); });
}

void Operator::AddMetrics() {
  telemetry::AddProcessMetrics(registry_);
  registry_.Gauges("ballast_build_info", "Always 1; the label is the version.", {"version"})
      .With({BALLAST_VERSION})
      .Set(1);
  store_.AddMetrics(registry_);
  watches_->AddMetrics(registry_);
  controller_->AddMetrics(registry_);
}

server::DebugState Operator::CollectDebugState() const {
  return {clock_.Steady(), watches_->DebugState(), controller_->Queue(),
          controller_->MetricsApis()};
}

Status Operator::Run(const std::stop_token& stop) {
  // The order of starting; stopping is in reverse. The lists come after the store: once that is
  // this process's own, no former process on it writes any more, and they have all that those
  // wrote.
  if (pages_ != nullptr) {
    manager_.Add(pages_->Part());
  }
  manager_.Add(store_.Part());
  manager_.Add(watches_->Part());  // stops after the controller, which its handlers call
  if (webhook_ != nullptr) {
    manager_.Add(webhook_->Part());
  }
  manager_.Add(leadership_->Part());
  manager_.Add(controller_->EventsPart());
  manager_.Add(
      controller_->Part(leadership_->identity(), {.ending =
                                                      [this] {
                                                        if (webhook_ != nullptr) {
                                                          webhook_->BeginDrain();
                                                        }
                                                      },
                                                  .written = [this] { leadership_->GiveUp(); }}));
  log::Info("starting", {{"version", BALLAST_VERSION},
                         {"server", config_.server},
                         {"store", options_.store},
                         {"workers", options_.workers}});
  for (const sources::PrometheusSource& source : options_.metric_sources) {
    if (sources::LacksBound(source)) {
      log::Warn(
          "a source of metrics has no bound: each namespace that may use it can read all of its "
          "metrics (docs/prometheus.md)",
          {{"source", source.name}});
    }
  }
  return manager_.Run(stop);
}

}  // namespace ballast::app
