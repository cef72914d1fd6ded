#include "operator/app/operator_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/quantity.h"

namespace ballast::app {
namespace {

// Adds a flag with a duration in Go's syntax ("15s", "5m").
void AddDuration(CLI::App& command, const std::string& flag, Duration& target,
                 const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [&target, flag](const std::string& text) {
            const auto parsed = ParseDuration(text);
            if (!parsed.ok() || *parsed < Duration{}) {
              throw CLI::ValidationError(
                  flag, "\"" + text + "\" is no duration such as 15s, 5m or 1h30m");
            }
            target = *parsed;
          },
          help)
      ->default_str(Print(target))
      ->type_name("DURATION");
}

// Adds a flag with a quantity of bytes ("4Gi").
void AddBytes(CLI::App& command, const std::string& flag, std::int64_t& target,
              const std::string& default_text, const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [&target, flag](const std::string& text) {
            const auto parsed = ParseQuantity(text);
            if (!parsed.ok() || parsed->Sign() < 0) {
              throw CLI::ValidationError(flag, "\"" + text + "\" is no size such as 512Mi or 4Gi");
            }
            target = parsed->Value();
          },
          help)
      ->default_str(default_text)
      ->type_name("SIZE");
}

void AddGates(CLI::App& command, api::GateOverrides& gates) {
  const std::string flag = "--feature-gates";
  command
      .add_option_function<std::string>(
          flag,
          [&gates, flag](const std::string& text) {
            const auto parsed = api::ParseGateOverrides(text);
            if (!parsed.ok()) {
              throw CLI::ValidationError(flag, parsed.error().message);
            }
            gates = *parsed;
          },
          "How the cluster has HPAScaleToZero and HPAConfigurableTolerance, if not as its version "
          "has them by default; for HorizontalPodAutoscalers: policies always have both")
      ->join(',')
      ->type_name("GATE=true|false,...");
}

void AddPodMetricsList(CLI::App& command, OperatorOptions& options) {
  using sources::PodMetricsList;
  static const std::map<std::string, std::optional<PodMetricsList>> kLists = {
      {"auto", std::nullopt},
      {Name(PodMetricsList::kSelector), PodMetricsList::kSelector},
      {Name(PodMetricsList::kNamespace), PodMetricsList::kNamespace},
      {Name(PodMetricsList::kCluster), PodMetricsList::kCluster}};
  command
      .add_option_function<std::string>(
          "--pod-metrics-list",
          [&options](const std::string& name) { options.pod_metrics_list = kLists.at(name); },
          "What one request to metrics.k8s.io has the pods of: a target's selector, its namespace, "
          "the cluster, or whatever is the cheapest (auto)")
      ->check(CLI::IsMember(kLists))
      ->default_str("auto");
}

void AddMetricSources(CLI::App& command, OperatorOptions& options) {
  const std::string flag = "--metric-sources";
  command
      .add_option_function<std::string>(
          flag,
          [&options, flag](const std::string& file) {
            auto sources = sources::LoadSources(file);
            if (!sources.ok()) {
              throw CLI::ValidationError(flag, sources.error().message);
            }
            options.metric_sources = std::move(sources).value();
            for (const sources::PrometheusSource& source : options.metric_sources) {
              options.webhook.metric_sources[source.name] = source.namespaces;
            }
          },
          "A file with the sources that metrics of type Prometheus may name: URLs, credentials, "
          "and the namespaces that may use them; default: there are none")
      ->type_name("FILE");
}

void AddProcess(CLI::App& command, OperatorOptions& options) {
  command.add_option(
      "--kubeconfig", options.kubeconfig,
      "How to reach the cluster; default: $KUBECONFIG, else the pod's service account");
  command.add_option("--store", options.store, "The ledger's database file")->capture_default_str();
  AddDuration(command, "--store-max-age", options.retention.age, "How long the history is kept");
  AddBytes(
      command, "--store-max-size", options.retention.bytes, "4Gi",
      "How large the store may grow before the oldest history goes, first what changed nothing; "
      "0: no bound");
  command.add_option("--namespace", options.namespaces,
                     "A namespace to serve (repeatable); default: all");
  command
      .add_option("--log-level", options.log_level,
                  "debug, info, warn or error; SIGUSR1 makes it debug, SIGUSR2 this again")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  command.add_option("--log-format", options.log_format, "json: a line is an object; text")
      ->check(CLI::IsMember({"json", "text"}))
      ->capture_default_str();
  command.add_option("--serve-address", options.serve_address,
                     "Where to serve health, metrics and the debug page over HTTP, as in :8080; "
                     "default: nowhere");
  command.add_flag_callback(
      "--per-policy-metrics", [&options] { options.per_policy = controllers::PerPolicy::kYes; },
      "Serve a metric for each policy, under its name: its desired replicas");
  AddDuration(command, "--shutdown-grace-period", options.shutdown_grace,
              "How long what is under way may take after SIGTERM; then the program ends");
}

void AddElection(CLI::App& command, OperatorOptions& options) {
  runtime::LeaderElectionOptions& election = options.election;
  command.add_flag("--leader-elect", options.leader_elect,
                   "Of several replicas let one work, by a Lease");
  command.add_option("--leader-elect-resource-name", election.lease.name, "The Lease that is held")
      ->capture_default_str();
  command.add_option("--leader-elect-resource-namespace", election.lease.namespace_,
                     "Its namespace; default: the pod's, or that of the kubeconfig's context");
  command.add_option(
      "--leader-elect-identity", election.identity,
      "Who holds it; the same after a restart renews it at once, so no two processes "
      "may have the same; default: the host's name and a random number");
  AddDuration(command, "--leader-elect-lease-duration", election.lease_duration,
              "How long a lease that is not renewed keeps others out");
  AddDuration(command, "--leader-elect-renew-deadline", election.renew_deadline,
              "How long the leader works without renewing it");
  AddDuration(command, "--leader-elect-retry-period", election.retry_period,
              "How long to wait between attempts to get or renew it");
}

void AddHpaMode(CLI::App& command, OperatorOptions& options) {
  std::vector<std::string> names;
  for (const api::ServingMode& mode : api::kHpaModes) {
    names.emplace_back(mode.name);
  }
  command
      .add_option_function<std::string>(
          "--hpa-mode",
          [&options](const std::string& name) {
            options.hpa_mode = std::ranges::find(api::kHpaModes, name, &api::ServingMode::name);
          },
          "Mode of HorizontalPodAutoscalers without the annotation ballast.dev/hpa-mode: observe "
          "records what their own controller does, shadow also what Ballast would have done, "
          "manage makes Ballast their controller, ignore leaves them out of everything")
      ->check(CLI::IsMember(names))
      ->default_str(std::string(options.hpa_mode->name));
  command
      .add_option_function<std::vector<std::string>>(
          "--hpa-takeover-namespace",
          [&options](const std::vector<std::string>& allowed) {
            options.webhook.take_over_in = {{allowed.begin(), allowed.end()}};
          },
          "A namespace in which Ballast may take over from the HPA controller: "
          "HorizontalPodAutoscalers may have the mode manage, and policies the annotation "
          "ballast.dev/takes-over (repeatable; \"*\": all); default: none")
      ->allow_extra_args(false);
}

void AddAutoscaling(CLI::App& command, OperatorOptions& options) {
  command
      .add_option("--concurrent-horizontal-pod-autoscaler-syncs", options.workers,
                  "How many autoscalers are evaluated at the same time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  AddHpaMode(command, options);
  AddDuration(command, "--horizontal-pod-autoscaler-sync-period", options.settings.sync_period,
              "Evaluation period of policies without syncPeriodSeconds");
  AddDuration(command, "--horizontal-pod-autoscaler-downscale-stabilization",
              options.settings.downscale_stabilization,
              "Scale-down window of policies without one of their own");
  command
      .add_option("--horizontal-pod-autoscaler-tolerance", options.settings.tolerance,
                  "How far from 1 the ratio of a metric to its target may be without scaling")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  AddDuration(command, "--horizontal-pod-autoscaler-cpu-initialization-period",
              options.settings.cpu_initialization_period,
              "How long after a pod's start its CPU samples count only if it is ready");
  AddDuration(command, "--horizontal-pod-autoscaler-initial-readiness-delay",
              options.settings.initial_readiness_delay,
              "How long after a pod's start it may become unready for the first time");
  AddDuration(command, "--max-view-age", options.settings.max_view_age,
              "While the watch of pods has been silent for longer, policies scale nothing in");
  AddDuration(
      command, "--suspect-source-hold", options.settings.suspect_hold,
      "For how long policies scale nothing in because of a source of metrics that turned to "
      "zero, or lost most of its pods, for at least five of them at once; 0: not at all");
  AddPodMetricsList(command, options);
  AddMetricSources(command, options);
  AddGates(command, options.gates);
}

}  // namespace

void AddOptions(CLI::App& command, OperatorOptions& options) {
  AddProcess(command, options);
  AddElection(command, options);
  AddAutoscaling(command, options);
  AddWebhookOptions(command, options.webhook);
}

}  // namespace ballast::app
