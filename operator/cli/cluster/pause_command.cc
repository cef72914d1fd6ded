// `ballast pause` makes a hold, and `ballast resume` ends what holds an autoscaler: by overrides,
// and by annotations where the cluster has none, or GitOps has set them.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/caller.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/chosen_autoscaler.h"
#include "operator/cli/cluster/overrides/made_override.h"
#include "operator/cli/cluster/overrides/open_holds.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/cluster/pause.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/times.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kName };

constexpr const char* kUsualSpan = "1h";

struct Options {
  ClusterOptions cluster;
  std::string name;
  OverrideOptions hold;
  Output output = Output::kText;
};

std::string Called(const api::ObjectReference& target) {
  return OneLine(api::PrintName(target.kind, target.name));
}

// "asp/web in shop"
std::string Placed(const api::ObjectReference& target) {
  return Called(target) + " in " + target.namespace_;
}

void PrintPaused(const api::ObjectReference& target, const std::string& what, Output output) {
  if (output == Output::kName) {
    std::cout << ResourceName(target.kind, target.name) << "\n";
    return;
  }
  std::cout << Placed(target) << ": " << what
            << "\nIt ends by itself then, or with: ballast resume " << Called(target) << " -n "
            << target.namespace_ << "\n";
}

// Patches the annotations of the autoscaler; returns what it is then.
Result<api::Autoscaler> Annotate(kube::Client& client, const api::ObjectReference& target,
                                 const std::string& patch) {
  const auto& resource = target.kind == api::kPolicyKind ? cluster::kPolicies : cluster::kHpas;
  ASSIGN_OR_RETURN(const json::Document changed,
                   client.PatchObject(resource, target.key(), "", kube::PatchType::kMerge, patch));
  json::Decoder decoder(changed);
  api::Autoscaler after;
  api::Decode(decoder.root(), after);
  TRY(decoder.status());
  after.kind = target.kind;
  return after;
}

// What holds the target then.
Result<std::string> PauseByAnnotation(kube::Client& client, const api::ObjectReference& target,
                                      const api::OverrideSpec& hold) {
  ASSIGN_OR_RETURN(const api::Autoscaler after,
                   Annotate(client, target, PausePatch(hold, CallerOf(client))));
  const auto pause = api::PauseOf(after, Now());
  if (!pause) {
    return Error{Code::kConflict, "the annotations were changed meanwhile; there is no pause"};
  }
  return OneLine(Print(*pause));
}

ExitStatus Pause(ClusterConnection& connection, const OverrideTarget& target,
                 const api::OverrideSpec& hold, Output output) {
  const auto made = CreateOverride(*connection.transport, target.name.namespace_, hold);
  const bool by_annotation = !made.ok() && made.error().code == Code::kNotFound;
  const Result<std::string> paused = made.ok() ? Describe(made->spec, made->spec.owner)
                                     : by_annotation
                                         ? PauseByAnnotation(connection.client, target.name, hold)
                                         : made.error();
  if (!paused.ok()) {
    return Fail("pause", paused.error().message);
  }
  WarnOfForeignHpa(target, "the pause");
  PrintPaused(target.name, *paused, output);
  return made.ok() ? TellOfMade("pause", *connection.transport, &target, *made) : ExitStatus::kDone;
}

ExitStatus RunPause(Options options) {
  if (options.hold.lasts.empty() && options.hold.until.empty()) {
    options.hold.lasts = kUsualSpan;
  }
  auto hold = ReadOverride(options.hold, Now());
  if (!hold.ok()) {
    return Refuse("pause", hold.error().message);
  }
  auto status = ExitStatus::kDone;
  auto chosen = Choose("pause", options.cluster, options.name, FindTarget, status);
  if (!chosen) {
    return status;
  }
  const api::ObjectReference& target = chosen->found.name;
  hold->kind = target.kind;
  hold->name = target.name;
  return Pause(chosen->connection, chosen->found, *hold, options.output);
}

// What `ballast resume` has done, and why it could not do the rest.
struct Resumed {
  std::vector<std::string> ended;
  std::vector<std::string> problems;
  std::vector<std::string> warnings;  // of what holds nothing
};

void EndHolds(kube::Transport& transport, const OverrideTarget& target, Resumed& done) {
  const auto holds = OpenHolds(transport, target, Now());
  if (!holds.ok()) {
    if (holds.error().code != Code::kNotFound) {  // else there are no overrides here
      done.problems.push_back(holds.error().message);
    }
    return;
  }
  std::vector<const api::AutoScaleOverride*> ended_ones;
  for (const api::AutoScaleOverride& hold : *holds) {
    const std::string what = hold.metadata.name + ", " + Describe(hold.spec, hold.status.owner);
    if (hold.spec.selector) {
      done.problems.push_back(
          what +
          (target.metadata ? ": it may hold others too"
                           : ": it may hold this one, whose labels cannot be read, and others") +
          "; to end it for all of them: ballast override end " + hold.metadata.name + " -n " +
          hold.metadata.namespace_);
    } else if (const Status ended = EndOverride(transport, hold, Now()); ended.ok()) {
      done.ended.push_back(what);
      ended_ones.push_back(&hold);
    } else {
      done.problems.push_back(what + ": " + ended.error().message);
    }
  }
  for (const api::AutoScaleOverride* hold : ended_ones) {
    TellOfEnd(transport, *hold);
  }
}

void EndAnnotation(kube::Client& client, const OverrideTarget& target, Resumed& done) {
  if (!target.metadata || !target.metadata->annotations.contains(api::kPausedUntil)) {
    return;
  }
  const auto pause = api::PauseOf({.kind = target.name.kind, .metadata = *target.metadata}, Now());
  const std::string what =
      pause ? "annotation, " + OneLine(Print(*pause)) : "annotation, whose time was over";
  const auto removed = Annotate(client, target.name, ResumePatch());
  if (removed.ok()) {
    done.ended.push_back(what);
  } else {
    (pause ? done.problems : done.warnings).push_back(what + ": " + removed.error().message);
  }
}

void PrintResumed(const OverrideTarget& target, const Resumed& done, Output output) {
  if (output == Output::kName) {
    std::cout << ResourceName(target.name.kind, target.name.name) << "\n";
  } else if (done.ended.empty() && done.problems.empty()) {
    std::cout << Placed(target.name)
              << (target.metadata ? " is not paused\n" : " has no override that holds it\n");
  } else if (!done.ended.empty()) {
    std::cout << Placed(target.name) << (done.problems.empty() ? " scales again" : "")
              << ": ended\n";
    for (const std::string& what : done.ended) {
      std::cout << "  " << what << "\n";
    }
  }
  for (const std::string& warning : done.warnings) {
    PrintWarning(warning);
  }
  if (!target.metadata) {
    PrintWarning(Called(target.name) +
                 " cannot be read, so a pause by annotation would not have been seen");
  }
}

ExitStatus RunResume(const Options& options) {
  auto status = ExitStatus::kDone;
  auto chosen = Choose("resume", options.cluster, options.name, FindTarget, status);
  if (!chosen) {
    return status;
  }
  Resumed done;
  EndHolds(*chosen->connection.transport, chosen->found, done);
  EndAnnotation(chosen->connection.client, chosen->found, done);
  PrintResumed(chosen->found, done, options.output);
  for (const std::string& problem : done.problems) {
    status = Fail("resume", problem);
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
      .AddOption("--for", options->hold.lasts, "How long the pause lasts, from now on: 90m, 2h, 2d")
      .ShowDefault(kUsualSpan);
  command.AddOption("--until", options->hold.until,
                    "Its end, instead of --for: 2026-11-23T06:00:00Z, 18:30");
  command.AddOption("--only", options->hold.only, "Pause only scale-in, or only scale-out")
      .OneOf({"in", "out"});
  command.AddOption("--reason", options->hold.reason, "Why, for whoever finds it paused")
      .Required();
  AddNameOutput(command, options->output);
  command.OnRun([options, &status] { status = RunPause(*options); });
}

void AddResume(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("resume", "End what holds a policy or a managed HPA");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME or hpa/NAME").Required();
  AddCluster(command, options->cluster);
  AddNameOutput(command, options->output);
  command.OnRun([options, &status] { status = RunResume(*options); });
}

}  // namespace ballast::cli
