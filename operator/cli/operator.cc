#include "operator/cli/operator.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconciler.h"
#include "operator/controllers/settle.h"
#include "operator/controllers/targets.h"
#include "operator/kube/config.h"
#include "operator/kube/connect.h"
#include "operator/kube/discovery.h"
#include "operator/metrics/metric_values.h"
#include "operator/metrics/pod_metrics.h"
#include "operator/runtime/events.h"
#include "operator/runtime/log.h"
#include "operator/runtime/signals.h"
#include "store/ledger.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::minutes kSyncTimeout{2};

struct Options {
  std::string kubeconfig;
  std::string store = "/var/lib/ballast/ballast.db";
  std::vector<std::string> namespaces;
  std::string log_level = "info";
  int workers = 5;
  Duration sync_period = Duration::Seconds(15);
  engine::Settings settings;
};

Result<kube::ClusterConfig> LoadConfig(const std::string& kubeconfig) {
  if (!kubeconfig.empty()) {
    return kube::LoadKubeconfig(kubeconfig);
  }
  auto config = kube::LoadInCluster();
  if (!config.ok() && config.error().code == Code::kNotFound) {
    return Error{Code::kNotFound,
                 config.error().message + "; outside of a cluster name a file with --kubeconfig"};
  }
  return config;
}

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

// Waits until the first lists are there. False: stopped, or they did not come in time.
bool WaitForSync(controllers::Fleet& fleet, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kSyncTimeout;
  const auto synced = [&](auto& watched, const char* what) {
    while (!watched.WaitForSync(std::chrono::milliseconds(100))) {
      if (stop.stop_requested()) {
        return false;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        log::Error("the first list did not come; see the errors above",
                   {{"kind", what}, {"waitedSeconds", std::chrono::seconds(kSyncTimeout).count()}});
        return false;
      }
    }
    return true;
  };
  return synced(fleet.policies, "AutoScalePolicy") &&
         synced(fleet.hpas, "HorizontalPodAutoscaler") && synced(fleet.pods, "Pod");
}

Status Run(const Options& options) {
  ASSIGN_OR_RETURN(const log::Level level, log::ParseLevel(options.log_level));
  log::SetLevel(level);
  ASSIGN_OR_RETURN(const kube::ClusterConfig config, LoadConfig(options.kubeconfig));
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Ledger> ledger, OpenLedger(options.store));
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Transport> transport,
                   kube::Connect(config, {.user_agent = "ballast/" BALLAST_VERSION,
                                          .on_warning = [](const std::string& text) {
                                            log::Warn("the API server warns", {{"warning", text}});
                                          }}));

  const runtime::StopOnSignal signals;
  const std::stop_token stop = signals.token();
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
                                      .default_period = options.sync_period});
  controllers::Controller controller(fleet, reconciler, clock);

  log::Info("starting", {{"version", BALLAST_VERSION},
                         {"server", config.server},
                         {"store", options.store},
                         {"workers", options.workers}});
  fleet.Start();
  if (!WaitForSync(fleet, stop)) {
    return stop.stop_requested()
               ? Status(Done{})
               : Error{Code::kUnavailable, config.server + ": the watches could not be filled"};
  }
  controllers::SettleIntents(*ledger, targets, client, clock);
  log::Info("ready", {{"policies", fleet.policies.List().size()}});
  controller.Run(options.workers, stop);
  log::Info("stopped");
  return Done{};
}

// A flag that takes a duration in Go's syntax ("15s", "5m").
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

}  // namespace

void AddOperator(CLI::App& program, ExitStatus& status) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *program.add_subcommand("operator", "Run the controller until SIGTERM");
  command.add_option("--kubeconfig", options->kubeconfig,
                     "How to reach the cluster; default: the pod's service account");
  command.add_option("--store", options->store, "The ledger's database file")
      ->capture_default_str();
  command.add_option("--namespace", options->namespaces,
                     "A namespace to serve (repeatable); default: all");
  command.add_option("--log-level", options->log_level, "debug, info, warn or error")
      ->capture_default_str();
  command
      .add_option("--concurrent-horizontal-pod-autoscaler-syncs", options->workers,
                  "How many autoscalers are evaluated at the same time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  AddDuration(command, "--horizontal-pod-autoscaler-sync-period", options->sync_period,
              "Evaluation period of policies without syncPeriodSeconds");
  AddDuration(command, "--horizontal-pod-autoscaler-downscale-stabilization",
              options->settings.downscale_stabilization,
              "Scale-down window of policies without one of their own");
  command
      .add_option("--horizontal-pod-autoscaler-tolerance", options->settings.tolerance,
                  "How far from 1 the ratio of a metric to its target may be without scaling")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  AddDuration(command, "--horizontal-pod-autoscaler-cpu-initialization-period",
              options->settings.cpu_initialization_period,
              "How long after a pod's start its CPU samples count only if it is ready");
  AddDuration(command, "--horizontal-pod-autoscaler-initial-readiness-delay",
              options->settings.initial_readiness_delay,
              "How long after a pod's start it may become unready for the first time");
  command.callback([options, &status] {
    if (const Status done = Run(*options); !done.ok()) {
      log::Error("the operator ends", {{"error", done.error().message}});
      status = ExitStatus::kFoundWrong;
    }
  });
}

}  // namespace ballast::cli
