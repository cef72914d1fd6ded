// The flags of `ballast operator`.
//
// Thread-safety: main thread only.
// Errors: none; wrong values are reported when the command line is parsed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/autoscaling/mode.h"
#include "api/base/time.h"
#include "api/decision/snapshot.h"
#include "operator/admission/webhook.h"
#include "operator/app/webhook_options.h"
#include "operator/controllers/controller_metrics.h"
#include "operator/flags/command_line.h"
#include "operator/runtime/leader_elector.h"
#include "operator/sources/pod_metrics.h"
#include "operator/sources/source_file.h"
#include "store/retention.h"
#include "store/sqlite/files.h"

namespace ballast::app {

struct OperatorOptions {
  std::string kubeconfig;
  std::string store = store::kDefaultPath;
  std::vector<std::string> namespaces;
  std::string log_level = "info";
  std::string log_format = "json";
  store::Retention retention;
  Duration shutdown_grace = Duration::Seconds(25);
  std::string serve_address;  // empty: not served
  controllers::PerPolicy per_policy = controllers::PerPolicy::kNo;
  bool leader_elect = false;
  runtime::LeaderElectionOptions election{.lease = {"", "ballast"}};
  int workers = 5;
  const api::ServingMode* hpa_mode = &api::kHpaModes.front();  // never null
  std::optional<sources::PodMetricsList> pod_metrics_list;     // absent: the cheapest
  bool evaluates_behind_samples = true;
  std::vector<sources::PrometheusSource> metric_sources;
  engine::Settings settings;  // without the feature gates, which depend on the server too
  api::GateOverrides gates;
  admission::WebhookOptions webhook;
};

// `options` must outlive `command`.
void AddOptions(flags::Command& command, OperatorOptions& options);

}  // namespace ballast::app
