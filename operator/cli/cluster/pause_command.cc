#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/json/json.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/caller.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/pause.h"
#include "operator/cli/commands.h"
#include "operator/cli/times.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

struct Options {
  ClusterOptions cluster;
  std::string name;
  std::string until = "1h";
  std::string only;
  std::string reason;
};

// The one autoscaler that is meant.
Result<api::Autoscaler> Change(Connection& connection, const api::Autoscaler& autoscaler,
                               const std::string& patch) {
  const kube::Resource& resource = autoscaler.is_policy() ? cluster::kPolicies : cluster::kHpas;
  ASSIGN_OR_RETURN(
      const json::Document changed,
      connection.client.PatchObject(resource, autoscaler.key(), "", kube::Patch::kMerge, patch));
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

Status Pause(const Options& options) {
  ASSIGN_OR_RETURN(const Time until, ParsePauseEnd(options.until, Now()));
  ASSIGN_OR_RETURN(Connection connection, Connect(options.cluster));
  ASSIGN_OR_RETURN(const api::Autoscaler autoscaler,
                   FindAutoscaler(connection.client, options.name, connection.namespace_));
  ASSIGN_OR_RETURN(
      const api::Autoscaler after,
      Change(connection, autoscaler,
             PausePatch(until, options.only, CallerOf(connection.client), options.reason)));
  const auto pause = api::PauseOf(after, Now());
  if (!pause) {
    return Error{Code::kConflict, "the annotations were changed meanwhile; there is no pause"};
  }
  WarnOfForeignHpa(after);
  std::cout << PrintName(after) << " in " << after.metadata.namespace_ << ": " << Print(*pause)
            << "\nIt ends by itself then, or with: ballast resume " << PrintName(after) << " -n "
            << after.metadata.namespace_ << "\n";
  return Done{};
}

Status Resume(const Options& options) {
  ASSIGN_OR_RETURN(Connection connection, Connect(options.cluster));
  ASSIGN_OR_RETURN(const api::Autoscaler autoscaler,
                   FindAutoscaler(connection.client, options.name, connection.namespace_));
  const std::string what = PrintName(autoscaler) + " in " + autoscaler.metadata.namespace_;
  if (!autoscaler.metadata.annotations.contains(api::kPausedUntil)) {
    std::cout << what << " is not paused\n";
    return Done{};
  }
  const auto pause = api::PauseOf(autoscaler, Now());
  TRY(Change(connection, autoscaler, ResumePatch()));
  std::cout << what << " scales again"
            << (pause ? "; until now, " + Print(*pause) : "; its pause was over") << "\n";
  return Done{};
}

ExitStatus Report(const char* command, const Status& done) {
  if (done.ok()) {
    return ExitStatus::kDone;
  }
  const ExitStatus wrong = Refuse(command, done.error().message);
  return done.error().code == Code::kInvalid ? wrong : ExitStatus::kFoundWrong;
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
  command.OnRun([options, &status] { status = Report("pause", Pause(*options)); });
}

void AddResume(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("resume", "End a pause");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME or hpa/NAME").Required();
  AddCluster(command, options->cluster);
  command.OnRun([options, &status] { status = Report("resume", Resume(*options)); });
}

}  // namespace ballast::cli
