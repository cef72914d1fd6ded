// `ballast pin`, `floor`, `ceiling` and `hold`: each makes an override of its type.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/chosen_autoscaler.h"
#include "operator/cli/cluster/overrides/made_override.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kName };

struct Options {
  ClusterOptions cluster;
  std::string command;
  std::string name;
  std::string selector;  // `name` is a kind then
  OverrideOptions override;
  Output output = Output::kText;
};

void PrintMade(const api::AutoScaleOverride& made, Output output) {
  if (output == Output::kName) {
    std::cout << "autoscaleoverride.ballast.dev/" << made.metadata.name << "\n";
    return;
  }
  std::cout << made.metadata.name << " in " << made.metadata.namespace_ << ": "
            << Describe(made.spec, made.spec.owner)
            << "\nIt ends by itself then, or with: ballast override end " << made.metadata.name
            << " -n " << made.metadata.namespace_ << "\n";
}

// `target`: null for one by labels.
ExitStatus Make(kube::Transport& transport, const OverrideTarget* target,
                const std::string& namespace_, const api::OverrideSpec& spec,
                const Options& options) {
  const auto made = CreateOverride(transport, namespace_, spec);
  if (!made.ok()) {
    return Fail(options.command, made.error().message);
  }
  PrintMade(*made, options.output);
  return TellOfMade(options.command, transport, target, *made);
}

// Tells how many there are now, if the caller may know it.
void TellMatched(kube::Client& client, const std::string& namespace_,
                 const api::OverrideSpec& spec) {
  int count = 0;
  const auto& resource = spec.kind == api::kPolicyKind ? cluster::kPolicies : cluster::kHpas;
  const auto selector = api::ToSelector(*spec.selector);
  const Status listed = client.List(
      resource,
      {.namespace_ = namespace_, .label_selector = selector.ok() ? selector->Print() : ""},
      [&](const json::Cursor&) {
        ++count;
        return Status(Done{});
      });
  if (listed.ok() && count > 0) {
    std::cerr << TargetName(spec) << " in " << namespace_ << ": " << count << " now\n";
  } else if (listed.ok()) {
    PrintWarning("there is no " + TargetName(spec).substr(sizeof("each ") - 1) + " in " +
                 namespace_ + " now");
  }
}

ExitStatus MakeForOne(const Options& options, api::OverrideSpec spec) {
  auto status = ExitStatus::kDone;
  auto chosen = Choose(options.command, options.cluster, options.name, FindTarget, status);
  if (!chosen) {
    return status;
  }
  const api::ObjectReference& target = chosen->found.name;
  spec.kind = target.kind;
  spec.name = target.name;
  WarnOfForeignHpa(chosen->found, "the override");
  return Make(*chosen->connection.transport, &chosen->found, target.namespace_, spec, options);
}

ExitStatus MakeForAll(const Options& options, api::OverrideSpec spec) {
  if (const Status read = SelectBy(options.name, options.selector, spec); !read.ok()) {
    return Refuse(options.command, read.error().message);
  }
  auto connection = Connect(options.cluster);
  if (!connection.ok()) {
    return Refuse(options.command, connection.error().message);
  }
  TellMatched(connection->client, connection->namespace_, spec);
  return Make(*connection->transport, nullptr, connection->namespace_, spec, options);
}

ExitStatus Run(const Options& options) {
  auto spec = ReadOverride(options.override, Now());
  if (!spec.ok()) {
    return Refuse(options.command, spec.error().message);
  }
  return options.selector.empty() ? MakeForOne(options, *std::move(spec))
                                  : MakeForAll(options, *std::move(spec));
}

void AddMaker(flags::Command& program, ExitStatus& status, api::OverrideType type,
              const std::string& help) {
  const auto options = std::make_shared<Options>();
  options->command = NameOf(type);
  options->override.type = type;
  auto& command = program.AddSubcommand(options->command, help);
  command.AddOption("NAME", options->name, "asp/NAME or hpa/NAME; with --selector asp or hpa")
      .Required();
  if (type == api::OverrideType::kHold) {
    command.AddOption("--only", options->override.only, "Hold only scale-in, or only scale-out")
        .OneOf({"in", "out"});
  } else {
    command.AddOption("REPLICAS", options->override.replicas, "How many").Required();
  }
  command.AddOption("-l,--selector", options->selector,
                    "All autoscalers of the kind NAME whose labels match: tier=web,track!=canary");
  AddCluster(command, options->cluster);
  command.AddOption("--for", options->override.lasts,
                    "How long, from now or --from on: 90m, 2h, 2d");
  command.AddOption("--until", options->override.until,
                    "The end, instead of --for: 2026-11-23T06:00:00Z, 18:30");
  command.AddOption("--from", options->override.from, "The beginning; default: now");
  command.AddOption("--reason", options->override.reason, "Why, for whoever finds it").Required();
  AddOutput(command, options->output, {{"text", Output::kText}, {"name", Output::kName}},
            "text by default; name: the override's name alone");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace

void AddOverrideMakers(flags::Command& program, ExitStatus& status) {
  AddMaker(program, status, api::OverrideType::kPin,
           "Keep an autoscaler's target at a number of replicas for some time");
  AddMaker(program, status, api::OverrideType::kFloor,
           "Raise an autoscaler's minimum for some time");
  AddMaker(program, status, api::OverrideType::kCeiling,
           "Lower an autoscaler's maximum for some time");
  AddMaker(program, status, api::OverrideType::kHold,
           "Keep an autoscaler from scaling for some time, by an override");
}

}  // namespace ballast::cli
