#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/rough.h"
#include "api/json/yaml.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/summary.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/table.h"
#include "operator/cli/terminal.h"
#include "operator/cli/times.h"

namespace ballast::cli {
namespace {

enum class Output { kTable, kWide, kName, kJson, kYaml };

struct Options {
  ClusterOptions cluster;
  std::vector<std::string> names;
  bool all_namespaces = false;
  bool unhealthy = false;
  bool no_headers = false;
  Output output = Output::kTable;
};

// Adds those that were asked for; what cannot be read is told. Returns whether all could be read.
bool Read(Connection& connection, const Options& options, std::vector<api::Autoscaler>& all) {
  std::vector<std::string> problems;
  if (options.names.empty()) {
    FoundAutoscalers found =
        ListAutoscalers(connection.client, options.all_namespaces ? "" : connection.namespace_);
    all = std::move(found.all);
    problems = std::move(found.problems);
  }
  for (const std::string& text : options.names) {
    const auto name = ParseName(text);
    auto found = name.ok() ? FindAutoscalers(connection.client, *name, connection.namespace_)
                           : Result<std::vector<api::Autoscaler>>(name.error());
    if (!found.ok()) {
      problems.push_back(found.error().message);
      continue;
    }
    std::ranges::move(*found, std::back_inserter(all));
  }
  for (const std::string& problem : problems) {
    std::cerr << "ballast get: " << problem << "\n";
  }
  return problems.empty();
}

Colour ColourOf(const Summary& summary) {
  return summary.healthy()            ? Colour::kGreen
         : summary.ready == "Unknown" ? Colour::kYellow
                                      : Colour::kRed;
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

void PrintTable(const std::vector<api::Autoscaler>& all, const Options& options) {
  const bool wide = options.output == Output::kWide;
  const bool colour = TerminalHasColour();
  const Time now = Now();
  std::vector<Row> rows;
  if (!options.no_headers) {
    rows.push_back({"NAMESPACE", "NAME", "MIN", "MAX", "REPLICAS", "DESIRED", "LIMITED BY", "READY",
                    "REASON", "MODE", "LAST SCALED"});
    if (wide) {
      rows.back().insert(rows.back().end(), {"TARGET", "MESSAGE"});
    }
  }
  for (const api::Autoscaler& autoscaler : all) {
    const Summary s = Summarize(autoscaler);
    const Duration ago = s.last_scale_time ? now - *s.last_scale_time : Duration();
    rows.push_back({s.namespace_, PrintName(autoscaler), std::to_string(s.min),
                    std::to_string(s.max), std::to_string(s.current), std::to_string(s.desired),
                    OrDash(s.limited_by), colour ? Paint(ColourOf(s), s.ready) : s.ready,
                    OrDash(s.reason), OrDash(s.mode),
                    s.last_scale_time ? Rough(std::max(ago, Duration())) + " ago" : "-"});
    if (wide) {
      rows.back().insert(rows.back().end(), {s.target, s.message});
    }
  }
  std::cout << Align(rows);
}

std::string JsonOf(const std::vector<api::Autoscaler>& all) {
  json::Writer out;
  out.Object([&] {
    out.Array("items", [&] {
      for (const api::Autoscaler& autoscaler : all) {
        Encode(out, Summarize(autoscaler));
      }
    });
  });
  return out.Take();
}

void PrintNames(const std::vector<api::Autoscaler>& all) {
  for (const api::Autoscaler& autoscaler : all) {
    std::cout << ResourceName(autoscaler.kind, autoscaler.metadata.name) << "\n";
  }
}

ExitStatus Run(const Options& options) {
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse("get", connection.error().message);
  }
  std::vector<api::Autoscaler> all;
  const bool complete = Read(*connection, options, all);
  if (options.unhealthy) {
    std::erase_if(all, [](const api::Autoscaler& one) { return Summarize(one).healthy(); });
  }
  if (options.output == Output::kJson) {
    std::cout << JsonOf(all) << "\n";
  } else if (options.output == Output::kYaml) {
    std::cout << JsonTextToYaml(JsonOf(all));
  } else if (options.output == Output::kName) {
    PrintNames(all);
  } else if (!all.empty()) {
    PrintTable(all, options);
  } else if (complete) {
    std::cerr << (options.unhealthy ? "all autoscalers are ready\n" : "there are no autoscalers\n");
  }
  return complete && (!options.unhealthy || all.empty()) ? ExitStatus::kDone
                                                         : ExitStatus::kFoundWrong;
}

}  // namespace

void AddGet(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "get", "Show the cluster's policies and HPAs: counts, what limits them, whether they work");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->names,
                    "asp/NAME, hpa/NAME, NAMESPACE/NAME or NAME; all of the namespace when absent");
  AddCluster(command, options->cluster);
  command.AddFlag("-A,--all-namespaces", options->all_namespaces, "Those of all namespaces");
  command.AddFlag("--unhealthy", options->unhealthy,
                  "Only those that are not ready; the exit status is 1 if there are any");
  AddNoHeaders(command, options->no_headers);
  AddOutput(command, options->output,
            {{"table", Output::kTable},
             {"wide", Output::kWide},
             {"name", Output::kName},
             {"json", Output::kJson},
             {"yaml", Output::kYaml}},
            "Default: table");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
