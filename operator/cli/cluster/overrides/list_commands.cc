// `ballast overrides` shows them; `ballast override end` ends one early.
#include <iostream>
#include <memory>
#include <string>

#include "api/json/json_writer.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/overrides/made_override.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/cluster/overrides/override_row.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/row_fields.h"
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
  const auto list = [&](RowFields& f, const api::AutoScaleOverride& one) {
    List(f, one, options.all_namespaces);
  };
  if (options.output != DocumentOutput::kText) {
    json::Writer out;
    out.Object([&] { WriteObjects(out, "items", *all, list); });
    PrintDocument(out.Take(), options.output);
  } else if (all->empty()) {
    std::cerr << "there are no overrides"
              << (options.ended ? "" : " that go on; --ended shows more") << "\n";
  } else {
    std::cout << Align(RowsOf(*all, !options.no_headers, list));
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
    std::cout << name << " is over already: " << Describe(override->spec, override->status.owner)
              << "\n";
    return ExitStatus::kDone;
  }
  if (const Status ended = EndOverride(*connection->transport, *override, Now()); !ended.ok()) {
    return Fail("override", ended.error().message);
  }
  std::cout << name << " is ended; it was: " << Describe(override->spec, override->status.owner)
            << "\n";
  TellOfEnd(*connection->transport, *override);
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
