#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/human_duration.h"
#include "api/json/json_writer.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/check/installation.h"
#include "operator/cli/cluster/check/installed_sources.h"
#include "operator/cli/cluster/chosen_autoscaler.h"
#include "operator/cli/cluster/metrics/ask_metrics.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/process/clock.h"
#include "operator/sources/source_file.h"

namespace ballast::cli {
namespace {

struct Options {
  ClusterOptions cluster;
  std::string name;
  DocumentOutput output = DocumentOutput::kText;
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
  const bool coloured = TerminalHasColour();
  for (const AskedMetric& metric : asked.metrics) {
    const Colour colour = !coloured         ? Colour::kNone
                          : metric.proposal ? Colour::kGreen
                                            : Colour::kRed;
    std::cout << Paint(colour, OneLine(metric.name)) << ": " << OneLine(metric.text) << "\n";
    if (metric.age) {
      std::cout << "    newest sample: " << HumanAge(*metric.age, "ago");
      if (metric.oldest_age) {
        std::cout << ", oldest: " << HumanAge(*metric.oldest_age, "ago");
      }
      std::cout << "\n";
    }
    if (!metric.source.empty()) {
      std::cout << "    source: " << metric.source << "\n    query: " << metric.query << "\n";
    }
    if (!metric.url.empty()) {
      std::cout << "    the operator asks, with its credentials"
                << (metric.proxy.empty() ? "" : ", through " + OneLine(metric.proxy)) << ": "
                << OneLine(metric.url) << "\n";
    }
    for (const std::string& path : metric.requests) {
      std::cout << "    kubectl get --raw '" << OneLine(path) << "'\n";
    }
  }
}

std::string JsonOf(const api::Autoscaler& autoscaler, const AskedMetrics& asked) {
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
          if (metric.oldest_age) {
            out.Field("oldestSampleAgeSeconds", metric.oldest_age->seconds());
          }
          if (!metric.source.empty()) {
            out.Field("source", metric.source);
            out.Field("query", metric.query);
          }
          if (!metric.url.empty()) {
            out.Field("url", metric.url);
          }
          if (!metric.proxy.empty()) {
            out.Field("proxy", metric.proxy);
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
  return out.Take();
}

// The installation's sources, if the autoscaler asks one and the caller may read them.
std::vector<sources::PrometheusSource> SourcesFor(const api::Autoscaler& autoscaler,
                                                  ClusterConnection& connection) {
  if (std::ranges::none_of(autoscaler.spec.metrics, [](const api::MetricSpec& metric) {
        return metric.prometheus.has_value();
      })) {
    return {};
  }
  const auto read = [&]() -> Result<std::optional<std::vector<sources::PrometheusSource>>> {
    ASSIGN_OR_RETURN(const Installation installation,
                     FindInstallation(connection.client, "", connection.namespace_));
    return ReadInstalledSources(connection.client, installation);
  }();
  if (!read.ok()) {
    std::cerr << "ballast metrics: the addresses of sources cannot be shown: "
              << read.error().message << std::endl;
    return {};
  }
  return read->value_or(std::vector<sources::PrometheusSource>());
}

ExitStatus Run(const Options& options) {
  auto status = ExitStatus::kDone;
  auto chosen = Choose("metrics", options.cluster, options.name, FindAutoscaler, status);
  if (!chosen) {
    return status;
  }
  const api::Autoscaler& autoscaler = chosen->found;
  const process::SystemClock clock;
  const auto asked = AskMetrics(*chosen->connection.transport, clock, autoscaler,
                                SourcesFor(autoscaler, chosen->connection));
  if (!asked.ok()) {
    return Fail("metrics", asked.error().message);
  }
  if (options.output == DocumentOutput::kText) {
    PrintText(autoscaler, *asked);
  } else {
    PrintDocument(JsonOf(autoscaler, *asked), options.output);
  }
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
  AddDocumentOutput(command, options->output);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
