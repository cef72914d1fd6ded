#include "operator/app/controller_part.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "operator/app/server_rules.h"
#include "operator/os/host_name.h"
#include "operator/process/log.h"
#include "operator/process/watchdog.h"

namespace ballast::app {
namespace {

// How long evaluations under way may still take when the program ends; then their requests are
// aborted.
constexpr std::chrono::seconds kCallsTimeout{5};

runtime::EventRecorderOptions EventOptions(telemetry::Registry& registry) {
  return {.instance = os::HostName(),
          .dropped_total = registry
                               .Counters("ballast_events_dropped_total",
                                         "Events that were too many for the queue or of one "
                                         "object, or could not be sent.")
                               .With({})};
}

}  // namespace

ControllerPart::ControllerPart(const Wiring& on, const OperatorOptions& options)
    : view_(on.watches),
      watches_(on.watches.watches()),
      leader_elect_(options.leader_elect),
      evaluates_behind_samples_(options.evaluates_behind_samples),
      ledger_(on.ledger),
      clock_(on.clock),
      calls_(on.calls),
      led_(on.led),
      gates_(options.gates),
      metrics_client_(on.led, sources::kDeadline),
      sources_(metrics_client_, on.led, on.watches.mapper(), on.clock,
               {.always = options.pod_metrics_list, .cluster = options.namespaces.empty()},
               {.sources = options.metric_sources, .stop = on.calls.get_token()},
               sources::SourceMetrics(on.registry)),
      owners_(on.watches.client(), on.watches.mapper(), on.clock),
      gatherer_(watches_, on.watches.targets(), owners_, sources_, on.clock, options.settings),
      suspects_(gatherer_),
      events_(on.events, on.clock, EventOptions(on.registry)),
      stalls_(on.clock),
      ports_(watches_, on.watches.client(), on.watches.targets(), suspects_, events_, on.clock),
      reconcilers_(
          watches_, ports_.With(on.ledger),
          {.sessions = {
               .downscale_stabilization = options.settings.downscale_stabilization,
               .max_view_age = options.settings.max_view_age,
               .default_period = options.settings.sync_period,
               .hpa_mode = options.hpa_mode,
               .metrics = session::EvaluationMetrics(on.registry),
               .writer = os::HostName() + ":" + options.store,
               .others_lead = options.leader_elect,
               .leadership = &on.leadership,
               .stopping = [this] { return controller_.finishing(); },
               .longest_stall =
                   [this](process::SteadyTime since) { return stalls_.LongestSince(since); }},
           .hpas = {.take_over_in = options.webhook.take_over_in,
                    .shadows = hpa::ShadowMetrics(on.registry)},
           .pacing = {
               .slots_across_namespaces = [this] { return sources_.pod_metrics().ListsCluster(); },
               .pod_metrics_rhythm = [this] { return sources_.pod_metrics().rhythm(); }}}),
      controller_(watches_, on.watches.targets(), reconcilers_, on.clock, options.workers,
                  controllers::ControllerMetrics(on.registry, options.per_policy)),
      overrides_(
          {.watches = watches_,
           .client = on.watches.client(),
           .clock = on.clock,
           .obstacle =
               [this](const auto& autoscaler) { return reconcilers_.ObstacleTo(autoscaler); },
           .evaluate = [this](const auto& autoscaler) { controller_.Evaluate(autoscaler); },
           .metrics = controllers::OverrideMetrics(on.registry)}),
      sample_looks_("sample-looks", on.clock,
                    [this](const std::stop_token&) { return sources_.LookAtSamples(); }) {}

ControllerPart::~ControllerPart() = default;

process::Manager::Part ControllerPart::EventsPart() {
  return {"events", [](const std::stop_token&) { return Status(Done{}); },
          [this] { events_.Stop(); }};
}

process::Manager::Part ControllerPart::Part(const std::string& leader, StopHooks hooks) {
  return {"controller", [this, leader](const std::stop_token& stop) { return Start(leader, stop); },
          [this, hooks = std::move(hooks)] {
            hooks.ending();
            const process::Watchdog watchdog(kCallsTimeout, [this] { calls_.request_stop(); });
            overrides_.Stop();
            controller_.FinishWrites();
            hooks.written();
            controller_.Stop();
            sample_looks_.Stop();
          }};
}

Status ControllerPart::Start(const std::string& leader, const std::stop_token& stop) {
  ledger_.Append(store::TermSeen{leader, true, clock_.Now()});
  if (leader_elect_) {
    // A standby's watch may have been silent for a while, which the former leader's was not: it may
    // have acted upon a newer spec, and obeyed a newer pause.
    TRY(view_.Renew(stop));
    if (stop.stop_requested()) {
      return Done{};
    }
  }
  reconcilers_.SettleAbandoned();
  ForgetTheGone();
  const ServerRules rules = FindRules(led_, gates_);
  gatherer_.Use(rules.gates, rules.minor);
  controller_.Start();
  overrides_.Start();
  if (evaluates_behind_samples_) {
    sample_looks_.Start();
  }
  log::Info("ready",
            {{"policies", watches_.policies.List().size()}, {"hpas", watches_.hpas.List().size()}});
  return Done{};
}

void ControllerPart::ForgetTheGone() {
  std::set<std::string> uids;
  for (const cluster::AutoscalerPointer& autoscaler : reconcilers_.Served()) {
    uids.insert(autoscaler->metadata.uid);
  }
  ledger_.Append(store::OthersForgotten{uids});
}

void ControllerPart::AddMetrics(telemetry::Registry& registry) {
  registry.BeforePrint([this] { controller_.TellProgress(); });
}

}  // namespace ballast::app
