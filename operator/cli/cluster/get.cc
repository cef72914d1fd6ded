#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/follow_autoscalers.h"
#include "operator/cli/cluster/get_printer.h"
#include "operator/cli/cluster/summary.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/process/log.h"

namespace ballast::cli {
namespace {

struct Options {
  ClusterOptions cluster;
  std::vector<std::string> names;
  bool all_namespaces = false;
  bool unhealthy = false;
  bool watch = false;
  bool no_headers = false;
  GetOutput output = GetOutput::kTable;
};

// What the names say, with -n.
Result<std::vector<AutoscalerName>> ParseNames(const Options& options) {
  TRY(CheckAllNamespaces(options.all_namespaces, !options.names.empty()));
  std::vector<AutoscalerName> names;
  for (const std::string& text : options.names) {
    ASSIGN_OR_RETURN(names.emplace_back(),
                     Combine({.name = text, .namespace_ = options.cluster.namespace_}));
  }
  return names;
}

// Those that were asked for; what cannot be read is told.
FoundAutoscalers Read(ClusterConnection& connection, const Options& options,
                      const std::vector<AutoscalerName>& names) {
  FoundAutoscalers found;
  if (names.empty()) {
    found = ListAutoscalers(connection.client, options.all_namespaces ? "" : connection.namespace_);
  }
  for (const AutoscalerName& name : names) {
    FoundAutoscalers more = FindAutoscalers(connection.client, name, connection.namespace_);
    std::ranges::move(more.all, std::back_inserter(found.all));
    std::ranges::move(more.problems, std::back_inserter(found.problems));
    found.unread.merge(more.unread);
  }
  for (const std::string& problem : found.problems) {
    std::cerr << "ballast get: " << problem << "\n";
  }
  return found;
}

// The namespace to watch; kInvalid: it would be several.
Result<std::string> NamespaceOf(const std::vector<AutoscalerName>& names, const Options& options,
                                const std::string& default_namespace) {
  std::set<std::string> namespaces;
  for (const AutoscalerName& name : names) {
    namespaces.insert(name.namespace_.empty() ? default_namespace : name.namespace_);
  }
  if (namespaces.size() > 1) {
    return Error{Code::kInvalid, "--watch follows one namespace, or all with -A"};
  }
  return options.all_namespaces ? "" : namespaces.empty() ? default_namespace : *namespaces.begin();
}

bool IsNamed(const api::Autoscaler& autoscaler, const std::vector<AutoscalerName>& names) {
  return names.empty() || std::ranges::any_of(names, [&](const AutoscalerName& name) {
           return name.name == autoscaler.metadata.name &&
                  (name.kind.empty() || name.kind == autoscaler.kind);
         });
}

// Until nobody reads standard output any more, or the watch has lasted as long as a request may.
void Follow(ClusterConnection& connection, const std::string& namespace_, const Options& options,
            const std::vector<AutoscalerName>& names, const std::set<std::string>& unread,
            std::vector<api::Autoscaler> known, GetPrinter& printer) {
  log::SetFormat(log::LogFormat::kText);
  log::SetLevel(log::Level::kWarn);
  FollowedAutoscalers followed{.namespace_ = namespace_, .kinds = {}, .known = std::move(known)};
  if (const auto timeout = RequestTimeout(options.cluster); timeout && timeout->count() > 0) {
    followed.at_most = *timeout;
  }
  for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
    const bool asked = names.empty() || std::ranges::any_of(names, [&](const AutoscalerName& name) {
                         return name.kind.empty() || name.kind == kind;
                       });
    if (asked && !unread.contains(kind)) {
      followed.kinds.insert(kind);
    }
  }
  FollowAutoscalers(*connection.transport, followed, [&](const AutoscalerChange& change) {
    if (IsNamed(change.autoscaler, names)) {
      const Summary summary = Summarize(change.autoscaler);
      change.deleted ? printer.Deleted(summary) : printer.Changed(summary);
    }
    return std::cout.good();
  });
}

ExitStatus Run(const Options& options) {
  const auto names = ParseNames(options);
  if (!names.ok()) {
    return Refuse("get", names.error().message);
  }
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse("get", connection.error().message);
  }
  const auto namespace_ = NamespaceOf(*names, options, connection->namespace_);
  if (options.watch && !namespace_.ok()) {
    return Refuse("get", namespace_.error().message);
  }
  FoundAutoscalers found = Read(*connection, options, *names);
  std::vector<Summary> all;
  std::ranges::transform(found.all, std::back_inserter(all), Summarize);
  GetPrinter printer({.output = options.output,
                      .headers = !options.no_headers,
                      .unhealthy = options.unhealthy,
                      .watch = options.watch});
  const std::size_t shown = printer.Print(std::move(all));
  const bool complete = found.problems.empty();
  if (options.watch && found.unread.size() < 2) {
    Follow(*connection, *namespace_, options, *names, found.unread, std::move(found.all), printer);
    return complete ? ExitStatus::kDone : ExitStatus::kFoundWrong;
  }
  const bool document = options.output == GetOutput::kJson || options.output == GetOutput::kYaml;
  if (shown == 0 && complete && !document && options.output != GetOutput::kName) {
    std::cerr << (options.unhealthy ? "all autoscalers are ready\n" : "there are no autoscalers\n");
  }
  return complete && (!options.unhealthy || shown == 0) ? ExitStatus::kDone
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
  command
      .AddFlag("-A,--all-namespaces", options->all_namespaces,
               "Policies and HPAs of all namespaces")
      .Excludes("--namespace");
  command.AddFlag("--unhealthy", options->unhealthy,
                  "Only those that are not ready; the exit status is 1 if there are any");
  command.AddFlag("-w,--watch", options->watch,
                  "Then show each one that changes, until the command is interrupted");
  AddNoHeaders(command, options->no_headers);
  AddOutput(command, options->output,
            {{"table", GetOutput::kTable},
             {"wide", GetOutput::kWide},
             {"name", GetOutput::kName},
             {"json", GetOutput::kJson},
             {"yaml", GetOutput::kYaml}},
            "Default: table");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
