// `ballast overrides` shows them; `ballast override end` ends one.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "api/json/json_writer.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/table.h"

namespace ballast::cli {
namespace {

struct OverrideListing {
  ClusterOptions cluster;
  bool all_namespaces = false;
  bool ended = false;
  bool no_headers = false;
  DocumentOutput output = DocumentOutput::kText;
};

struct EndOptions {
  ClusterOptions cluster;
  std::string action;
  std::string name;
};

// "Active (without effect: ...)", "Active on 3"
std::string PhaseOf(const api::AutoScaleOverride& override) {
  const api::OverrideStatus& status = override.status;
  return (status.phase.empty() ? "not seen yet" : OneLine(status.phase)) +
         (status.matched ? " on " + std::to_string(*status.matched) : "") +
         (status.message.empty() ? "" : " (" + OneLine(status.message) + ")");
}

Row RowOf(const api::AutoScaleOverride& override, bool with_namespace) {
  Row row;
  if (with_namespace) {
    row.push_back(override.metadata.namespace_);
  }
  const std::string owner =
      override.spec.owner.empty() ? api::kUnknownOwner : OneLine(override.spec.owner);
  row.insert(row.end(), {override.metadata.name, TargetName(override.spec), Effect(override.spec),
                         Print(override.start()), Print(override.spec.until), owner,
                         PhaseOf(override), OneLine(override.spec.reason)});
  return row;
}

std::string JsonOf(const std::vector<api::AutoScaleOverride>& all) {
  json::Writer out;
  out.Object([&] {
    out.Array("items", [&] {
      for (const api::AutoScaleOverride& override : all) {
        out.Object([&] {
          out.Field("namespace", override.metadata.namespace_);
          out.Field("name", override.metadata.name);
          out.Key("spec");
          Encode(out, override.spec);
          out.Field("phase", override.status.phase);
          out.Field("message", override.status.message);
          out.Field("matched", override.status.matched);
        });
      }
    });
  });
  return out.Take();
}

void PrintTable(const std::vector<api::AutoScaleOverride>& all, const OverrideListing& options) {
  std::vector<Row> rows;
  if (!options.no_headers) {
    rows.push_back({"NAME", "TARGET", "OVERRIDE", "FROM", "UNTIL", "OWNER", "PHASE", "REASON"});
    if (options.all_namespaces) {
      rows.front().insert(rows.front().begin(), "NAMESPACE");
    }
  }
  for (const api::AutoScaleOverride& override : all) {
    rows.push_back(RowOf(override, options.all_namespaces));
  }
  std::cout << Align(rows);
}

ExitStatus RunList(const OverrideListing& options) {
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse("overrides", connection.error().message);
  }
  auto all =
      ListOverrides(*connection->transport, options.all_namespaces ? "" : connection->namespace_);
  if (!all.ok()) {
    return Fail("overrides", all.error().message);
  }
  if (!options.ended) {
    std::erase_if(*all, [now = Now()](const auto& one) { return HasEnded(one, now); });
  }
  if (options.output != DocumentOutput::kText) {
    PrintDocument(JsonOf(*all), options.output);
  } else if (all->empty()) {
    std::cerr << "there are no overrides"
              << (options.ended ? "" : " that go on; --ended shows more") << "\n";
  } else {
    PrintTable(*all, options);
  }
  return ExitStatus::kDone;
}

ExitStatus RunEnd(const EndOptions& options) {
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse("override", connection.error().message);
  }
  const auto override =
      ReadOverride(*connection->transport, {connection->namespace_, options.name});
  if (!override.ok()) {
    return Fail("override", override.error().message);
  }
  const std::string name = options.name + " in " + connection->namespace_;
  if (HasEnded(*override, Now())) {
    std::cout << name << " is over already: " << Describe(override->spec) << "\n";
    return ExitStatus::kDone;
  }
  if (const Status ended = EndOverride(*connection->transport, *override); !ended.ok()) {
    return Fail("override", ended.error().message);
  }
  std::cout << name << " is ended; it was: " << Describe(override->spec) << "\n";
  return ExitStatus::kDone;
}

}  // namespace

void AddOverrides(flags::Command& program, ExitStatus& status) {
  auto& command =
      program.AddSubcommand("overrides", "Show the overrides: what, until when, whose and why");
  const auto options = std::make_shared<OverrideListing>();
  AddCluster(command, options->cluster);
  command.AddFlag("-A,--all-namespaces", options->all_namespaces, "Those of all namespaces")
      .Excludes("--namespace");
  command.AddFlag("--ended", options->ended, "Those that are over, too");
  AddNoHeaders(command, options->no_headers);
  AddDocumentOutput(command, options->output);
  command.OnRun([options, &status] { status = RunList(*options); });
}

void AddOverride(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("override", "End an override early");
  const auto options = std::make_shared<EndOptions>();
  command.AddOption("ACTION", options->action, "What to do with it").Required().OneOf({"end"});
  command.AddOption("OVERRIDE", options->name, "The override's name").Required();
  AddCluster(command, options->cluster);
  command.OnRun([options, &status] { status = RunEnd(*options); });
}

}  // namespace ballast::cli
