#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "api/base/rough.h"
#include "api/json/json.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/metrics/ask_metrics.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/runtime/clock.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kJson };

struct Options {
  ClusterOptions cluster;
  std::string name;
  Output output = Output::kText;
};

void PrintText(const api::Autoscaler& autoscaler, const AskedMetrics& asked) {
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  std::cout << PrintName(autoscaler) << " in " << autoscaler.metadata.namespace_ << ": "
            << target.kind << " " << target.name << " has " << asked.replicas
            << (asked.replicas == 1 ? " replica, " : " replicas, ") << asked.pods
            << (asked.pods == 1 ? " pod counts" : " pods count");
  if (asked.left_out != 0) {
    std::cout << ", " << asked.left_out << " others match its selector";
  }
  std::cout << "\n";
  for (const AskedMetric& metric : asked.metrics) {
    std::cout << metric.name << ": " << metric.text << "\n";
    if (metric.age) {
      std::cout << "    newest sample: " << Rough(std::max(*metric.age, Duration())) << " ago\n";
    }
    for (const std::string& path : metric.requests) {
      std::cout << "    kubectl get --raw '" << path << "'\n";
    }
  }
}

void PrintJson(const api::Autoscaler& autoscaler, const AskedMetrics& asked) {
  json::Writer out;
  out.Object([&] {
    out.Field("namespace", autoscaler.metadata.namespace_);
    out.Field("name", PrintName(autoscaler));
    out.Field("replicas", asked.replicas);
    out.Field("pods", static_cast<std::int64_t>(asked.pods));
    out.Array("metrics", [&] {
      for (const AskedMetric& metric : asked.metrics) {
        out.Object([&] {
          out.Field("metric", metric.name);
          out.Field("text", metric.text);
          out.Field("replicas", metric.proposal);
          if (metric.age) {
            out.Field("sampleAgeSeconds", metric.age->seconds());
          }
          out.Array("requests", [&] {
            for (const std::string& path : metric.requests) {
              out.Value(path);
            }
          });
        });
      }
    });
  });
  std::cout << out.Take() << "\n";
}

ExitStatus Run(const Options& options) {
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse("metrics", connection.error().message);
  }
  const auto autoscaler = FindAutoscaler(connection->client, options.name, connection->namespace_);
  if (!autoscaler.ok()) {
    const ExitStatus refused = Refuse("metrics", autoscaler.error().message);
    return autoscaler.error().code == Code::kInvalid ? refused : ExitStatus::kFoundWrong;
  }
  const runtime::SystemClock clock;
  const auto asked = AskMetrics(*connection->transport, clock, *autoscaler);
  if (!asked.ok()) {
    (void)Refuse("metrics", asked.error().message);
    return ExitStatus::kFoundWrong;
  }
  options.output == Output::kJson ? PrintJson(*autoscaler, *asked) : PrintText(*autoscaler, *asked);
  const bool all = std::ranges::all_of(
      asked->metrics, [](const AskedMetric& metric) { return metric.proposal.has_value(); });
  return all ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

}  // namespace

void AddMetrics(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "metrics", "Ask an autoscaler's metrics now, and show values, ages, requests and errors");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME, hpa/NAME, NAMESPACE/NAME or NAME").Required();
  AddCluster(command, options->cluster);
  AddOutput(command, options->output, {{"text", Output::kText}, {"json", Output::kJson}},
            "Default: text");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
