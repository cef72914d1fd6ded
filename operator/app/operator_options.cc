#include "operator/app/operator_options.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/quantity.h"
#include "operator/cluster/end_silence.h"

namespace ballast::app {
namespace {

// Adds a flag with a duration in Go's syntax ("15s", "5m").
void AddDuration(flags::Command& command, const std::string& flag, Duration& target,
                 const std::string& help) {
  command
      .AddParsed(
          flag,
          [&target](const std::string& text) -> Status {
            const auto parsed = ParseDuration(text);
            if (!parsed.ok() || *parsed < Duration{}) {
              return Error{Code::kInvalid,
                           "\"" + text + "\" is no duration such as 15s, 5m or 1h30m"};
            }
            target = *parsed;
            return Done{};
          },
          help)
      .ShowDefault(Print(target))
      .ShowType("DURATION");
}

// Adds a flag with a quantity of bytes ("4Gi").
void AddBytes(flags::Command& command, const std::string& flag, std::int64_t& target,
              const std::string& default_text, const std::string& help) {
  command
      .AddParsed(
          flag,
          [&target](const std::string& text) -> Status {
            const auto parsed = ParseQuantity(text);
            if (!parsed.ok() || parsed->Sign() < 0) {
              return Error{Code::kInvalid, "\"" + text + "\" is no size such as 512Mi or 4Gi"};
            }
            target = parsed->Value();
            return Done{};
          },
          help)
      .ShowDefault(default_text)
      .ShowType("SIZE");
}

void AddGates(flags::Command& command, api::GateOverrides& gates) {
  command
      .AddParsed(
          "--feature-gates",
          [&gates](const std::string& text) -> Status {
            const auto parsed = api::ParseGateOverrides(text);
            if (!parsed.ok()) {
              return parsed.error();
            }
            gates = *parsed;
            return Done{};
          },
          "How the cluster has HPAScaleToZero and HPAConfigurableTolerance, if not as its version "
          "has them by default; for HorizontalPodAutoscalers: policies always have both")
      .Joined(',')
      .ShowType("GATE=true|false,...");
}

void AddPodMetricsList(flags::Command& command, OperatorOptions& options) {
  using sources::PodMetricsList;
  static const std::map<std::string, std::optional<PodMetricsList>> kLists = {
      {"auto", std::nullopt},
      {Name(PodMetricsList::kSelector), PodMetricsList::kSelector},
      {Name(PodMetricsList::kNamespace), PodMetricsList::kNamespace},
      {Name(PodMetricsList::kCluster), PodMetricsList::kCluster}};
  const auto names = std::views::keys(kLists);
  command
      .AddParsed(
          "--pod-metrics-list",
          [&options](const std::string& name) -> Status {
            options.pod_metrics_list = kLists.at(name);
            return Done{};
          },
          "What one request to metrics.k8s.io has the pods of: a target's selector, its namespace, "
          "the cluster, or whatever is the cheapest (auto)")
      .OneOf({names.begin(), names.end()})
      .ShowDefault("auto");
}

void AddEvaluationMoments(flags::Command& command, OperatorOptions& options) {
  command
      .AddParsed(
          "--evaluation-moments",
          [&options](const std::string& name) -> Status {
            options.evaluates_behind_samples = name == "samples";
            return Done{};
          },
          "When autoscalers on CPU or memory are evaluated in their periods: right behind new "
          "samples, if metrics.k8s.io is found to take them in a rhythm that is no shorter than "
          "the period (samples), or at points of the period alone (clock)")
      .OneOf({"samples", "clock"})
      .ShowDefault("samples");
}

void AddMetricSources(flags::Command& command, OperatorOptions& options) {
  command
      .AddParsed(
          "--metric-sources",
          [&options](const std::string& file) -> Status {
            auto sources = sources::LoadSources(file);
            if (!sources.ok()) {
              return sources.error();
            }
            options.metric_sources = std::move(sources).value();
            for (const sources::PrometheusSource& source : options.metric_sources) {
              options.webhook.metric_sources[source.name] = source.namespaces;
            }
            return Done{};
          },
          "A file with the sources that metrics of type Prometheus may name: URLs, credentials, "
          "and the namespaces that may use them; default: there are none")
      .ShowType("FILE");
}

void AddProcess(flags::Command& command, OperatorOptions& options) {
  command.AddOption(
      "--kubeconfig", options.kubeconfig,
      "How to reach the cluster; default: $KUBECONFIG, else the pod's service account");
  command.AddOption("--store", options.store, "The ledger's database file").ShowDefault();
  AddDuration(command, "--store-max-age", options.retention.age, "How long the history is kept");
  AddBytes(command, "--store-max-size", options.retention.bytes, "4Gi",
           "How large the store may grow before the namespace that has the most loses its oldest "
           "history, "
           "first what changed nothing; 0: no bound");
  command.AddOption("--namespace", options.namespaces,
                    "A namespace to serve (repeatable); default: all");
  command
      .AddOption("--log-level", options.log_level,
                 "What to log; SIGUSR1 switches to debug, SIGUSR2 back to this")
      .OneOf({"debug", "info", "warn", "error"})
      .ShowDefault();
  command.AddOption("--log-format", options.log_format, "json: a line is an object")
      .OneOf({"json", "text"})
      .ShowDefault();
  command.AddOption("--serve-address", options.serve_address,
                    "Where to serve health, metrics and the debug page over HTTP, as in :8080; "
                    "default: nowhere");
  command.AddFlag(
      "--per-policy-metrics", [&options] { options.per_policy = controllers::PerPolicy::kYes; },
      "Serve a metric for each policy, under its name: its desired replicas");
  AddDuration(command, "--shutdown-grace-period", options.shutdown_grace,
              "How long what is under way may take after SIGTERM; then the program ends");
}

void AddElection(flags::Command& command, OperatorOptions& options) {
  runtime::LeaderElectionOptions& election = options.election;
  command.AddFlag("--leader-elect", options.leader_elect,
                  "Let only one of several replicas work at a time, which a Lease decides");
  command.AddOption("--leader-elect-resource-name", election.lease.name, "The name of the Lease")
      .ShowDefault();
  command.AddOption(
      "--leader-elect-resource-namespace", election.lease.namespace_,
      "The Lease's namespace; default: the pod's, or that of the kubeconfig's context");
  command.AddOption("--leader-elect-identity", election.identity,
                    "This replica's name in the Lease. A process that restarts with the same name "
                    "renews the Lease at once, so no two may share one; default: the host's name "
                    "and a random number");
  AddDuration(command, "--leader-elect-lease-duration", election.lease_duration,
              "How long a lease that is not renewed keeps others out");
  AddDuration(command, "--leader-elect-renew-deadline", election.renew_deadline,
              "How long the leader works without renewing it");
  AddDuration(command, "--leader-elect-retry-period", election.retry_period,
              "How long to wait between attempts to get or renew it");
}

void AddLongestOverride(flags::Command& command, Duration& longest) {
  AddDuration(command, "--longest-override", longest,
              "How long an AutoScaleOverride may last; one that lasts longer is refused, or does "
              "not count");
  command.OnCheck([&longest]() -> Status {
    return longest > Duration() ? Status(Done{})
                                : Error{Code::kInvalid, "--longest-override: must be more than 0"};
  });
}

void AddMaxViewAge(flags::Command& command, Duration& age) {
  AddDuration(
      command, "--max-view-age", age,
      "While the watch of pods has been silent for longer, policies scale nothing in; while "
      "that of policies, HPAs or overrides has, nothing that depends on it is evaluated, and the "
      "webhook lists autoscalers again, and warns of what it may overlook if it cannot");
  command.OnCheck([&age]() -> Status {
    constexpr Duration kShortest{std::chrono::nanoseconds(cluster::kShortestLimit).count()};
    return age >= kShortest
               ? Status(Done{})
               : Error{Code::kInvalid, "--max-view-age: must be at least " + Print(kShortest)};
  });
}

void AddHpaMode(flags::Command& command, OperatorOptions& options) {
  std::vector<std::string> names;
  for (const api::ServingMode& mode : api::kHpaModes) {
    names.emplace_back(mode.name);
  }
  command
      .AddParsed(
          "--hpa-mode",
          [&options](const std::string& name) -> Status {
            options.hpa_mode = std::ranges::find(api::kHpaModes, name, &api::ServingMode::name);
            return Done{};
          },
          "Mode of HorizontalPodAutoscalers without the annotation ballast.dev/hpa-mode: observe "
          "records what their own controller does, shadow also what Ballast would have done, "
          "manage makes Ballast their controller, ignore leaves them out of everything")
      .OneOf(names)
      .ShowDefault(std::string(options.hpa_mode->name));
  command
      .AddParsed(
          "--hpa-takeover-namespace",
          [&options](const std::vector<std::string>& allowed) -> Status {
            options.webhook.take_over_in = {{allowed.begin(), allowed.end()}};
            return Done{};
          },
          "A namespace in which Ballast may take over from the HPA controller: "
          "HorizontalPodAutoscalers may have the mode manage, and policies the annotation "
          "ballast.dev/takes-over (repeatable; \"*\": all); default: none")
      .OneValueEach();
}

void AddAutoscaling(flags::Command& command, OperatorOptions& options) {
  command
      .AddOption("--concurrent-horizontal-pod-autoscaler-syncs", options.workers,
                 "How many autoscalers are evaluated at the same time")
      .Between(1, 1000)
      .ShowDefault();
  AddHpaMode(command, options);
  AddDuration(command, "--horizontal-pod-autoscaler-sync-period", options.settings.sync_period,
              "Evaluation period of policies without syncPeriodSeconds");
  AddDuration(command, "--horizontal-pod-autoscaler-downscale-stabilization",
              options.settings.downscale_stabilization,
              "Scale-down window of policies without one of their own");
  command
      .AddOption("--horizontal-pod-autoscaler-tolerance", options.settings.tolerance,
                 "How far from 1 the ratio of a metric to its target may be without scaling")
      .Between(0.0, 1e6)
      .ShowDefault();
  AddDuration(command, "--horizontal-pod-autoscaler-cpu-initialization-period",
              options.settings.cpu_initialization_period,
              "How long after a pod's start its CPU samples count only if it is ready");
  AddDuration(command, "--horizontal-pod-autoscaler-initial-readiness-delay",
              options.settings.initial_readiness_delay,
              "How long after a pod's start it may become unready for the first time");
  AddMaxViewAge(command, options.settings.max_view_age);
  AddDuration(
      command, "--suspect-source-hold", options.settings.suspect_hold,
      "For how long policies scale nothing in because of a source of metrics that turned to "
      "zero, or lost most of its pods, for at least five of them at once; 0: not at all");
  AddLongestOverride(command, options.webhook.longest_override);
  AddPodMetricsList(command, options);
  AddEvaluationMoments(command, options);
  AddMetricSources(command, options);
  AddGates(command, options.gates);
}

}  // namespace

void AddOptions(flags::Command& command, OperatorOptions& options) {
  AddProcess(command, options);
  AddElection(command, options);
  AddAutoscaling(command, options);
  AddWebhookOptions(command, options.webhook);
}

}  // namespace ballast::app
