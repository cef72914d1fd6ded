#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/json/json.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/caller.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/chosen_autoscaler.h"
#include "operator/cli/cluster/pause.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/terminal/text_width.h"
#include "operator/cli/terminal/times.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kName };

struct Options {
  ClusterOptions cluster;
  std::string name;
  std::string until = "1h";
  std::string only;
  std::string reason;
  Output output = Output::kText;
};

// Of -o name.
void PrintNameOnly(const api::Autoscaler& autoscaler) {
  std::cout << ResourceName(autoscaler.kind, autoscaler.metadata.name) << "\n";
}

// Patches it; returns what it is then.
Result<api::Autoscaler> Change(ClusterConnection& connection, const api::Autoscaler& autoscaler,
                               const std::string& patch) {
  const kube::Resource& resource = autoscaler.is_policy() ? cluster::kPolicies : cluster::kHpas;
  ASSIGN_OR_RETURN(const json::Document changed,
                   connection.client.PatchObject(resource, autoscaler.key(), "",
                                                 kube::PatchType::kMerge, patch));
  json::Decoder decoder(changed);
  api::Autoscaler after;
  api::Decode(decoder.root(), after);
  TRY(decoder.status());
  after.kind = autoscaler.kind;
  return after;
}

void WarnOfForeignHpa(const api::Autoscaler& autoscaler) {
  const auto mode = autoscaler.metadata.annotations.find(api::kHpaMode);
  if (!autoscaler.is_policy() &&
      (mode == autoscaler.metadata.annotations.end() || mode->second != "manage")) {
    std::cerr << "Warning: the pause counts only while Ballast manages this HPA (" << api::kHpaMode
              << ": manage, or --hpa-mode manage of the operator); Kubernetes' own controller does "
                 "not know it\n";
  }
}

Status Pause(ClusterConnection& connection, const api::Autoscaler& autoscaler, Time until,
             const Options& options) {
  ASSIGN_OR_RETURN(
      const api::Autoscaler after,
      Change(connection, autoscaler,
             PausePatch(until, options.only, CallerOf(connection.client), options.reason)));
  const auto pause = api::PauseOf(after, Now());
  if (!pause) {
    return Error{Code::kConflict, "the annotations were changed meanwhile; there is no pause"};
  }
  WarnOfForeignHpa(after);
  if (options.output == Output::kName) {
    PrintNameOnly(after);
    return Done{};
  }
  std::cout << PrintName(after) << " in " << after.metadata.namespace_ << ": "
            << OneLine(Print(*pause)) << "\nIt ends by itself then, or with: ballast resume "
            << PrintName(after) << " -n " << after.metadata.namespace_ << "\n";
  return Done{};
}

Status Resume(ClusterConnection& connection, const api::Autoscaler& autoscaler, Output output) {
  const bool paused = autoscaler.metadata.annotations.contains(api::kPausedUntil);
  const auto pause = api::PauseOf(autoscaler, Now());
  if (paused) {
    TRY(Change(connection, autoscaler, ResumePatch()));
  }
  if (output == Output::kName) {
    PrintNameOnly(autoscaler);
    return Done{};
  }
  std::cout << PrintName(autoscaler) << " in " << autoscaler.metadata.namespace_
            << (!paused ? " is not paused"
                : pause ? " scales again; until now, " + OneLine(Print(*pause))
                        : " scales again; its pause was over")
            << "\n";
  return Done{};
}

ExitStatus RunPause(const Options& options) {
  const auto until = ParsePauseEnd(options.until, Now());
  if (!until.ok()) {
    return Refuse("pause", until.error().message);
  }
  if (options.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Refuse("pause", "--reason is empty: say why, for whoever finds it paused");
  }
  auto status = ExitStatus::kDone;
  auto chosen = Choose("pause", options.cluster, options.name, status);
  if (chosen) {
    const Status done = Pause(chosen->connection, chosen->autoscaler, *until, options);
    return done.ok() ? ExitStatus::kDone : Fail("pause", done.error().message);
  }
  return status;
}

ExitStatus RunResume(const Options& options) {
  auto status = ExitStatus::kDone;
  auto chosen = Choose("resume", options.cluster, options.name, status);
  if (chosen) {
    const Status done = Resume(chosen->connection, chosen->autoscaler, options.output);
    return done.ok() ? ExitStatus::kDone : Fail("resume", done.error().message);
  }
  return status;
}

void AddNameOutput(flags::Command& command, Output& output) {
  AddOutput(command, output, {{"text", Output::kText}, {"name", Output::kName}},
            "text by default; name: the autoscaler's name alone");
}

}  // namespace

void AddPause(flags::Command& program, ExitStatus& status) {
  auto& command =
      program.AddSubcommand("pause", "Keep a policy or a managed HPA from scaling for some time");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME or hpa/NAME").Required();
  AddCluster(command, options->cluster);
  command
      .AddOption("--until", options->until,
                 "When the pause ends: a span from now (2h) or a time (2026-11-23T06:00:00Z, "
                 "18:30)")
      .ShowDefault();
  command.AddOption("--only", options->only, "Pause only scale-in, or only scale-out")
      .OneOf({"in", "out"})
      .ShowValues("in|out");
  command.AddOption("--reason", options->reason, "Why, for whoever finds it paused").Required();
  AddNameOutput(command, options->output);
  command.OnRun([options, &status] { status = RunPause(*options); });
}

void AddResume(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("resume", "End a pause");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME or hpa/NAME").Required();
  AddCluster(command, options->cluster);
  AddNameOutput(command, options->output);
  command.OnRun([options, &status] { status = RunResume(*options); });
}

}  // namespace ballast::cli
