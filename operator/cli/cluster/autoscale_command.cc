#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/autoscale.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/commands.h"
#include "operator/cli/manifests/object_printer.h"
#include "operator/cli/options.h"

namespace ballast::cli {
namespace {

enum class Output { kYaml, kJson, kName };

struct Options {
  ClusterOptions cluster;
  std::vector<std::string> target;  // TYPE/NAME, or TYPE and NAME
  AutoscaleRequest request;
  std::int32_t min = -1;
  std::int32_t cpu_percent = -1;
  bool apply = false;
  Output output = Output::kYaml;
};

// Below 0 is not said, as for kubectl.
Result<AutoscaleRequest> RequestOf(const Options& options) {
  AutoscaleRequest request = options.request;
  request.target = options.target.front();
  if (options.target.size() > 1) {
    request.target += "/" + options.target.back();
  }
  request.namespace_ = options.cluster.namespace_;
  if (options.min >= 0) {
    request.min = options.min;
  }
  if (options.cpu_percent >= 0) {
    if (!request.cpu.empty()) {
      return Error{Code::kInvalid, "--cpu-percent is the old spelling of --cpu: give one of them"};
    }
    request.cpu = std::to_string(options.cpu_percent) + "%";
  }
  return request;
}

std::string PolicyName(const AutoscaleRequest& request) {
  return request.name.empty() ? request.target.substr(request.target.find('/') + 1) : request.name;
}

Status ApplyPolicy(ClusterConnection& connection, AutoscaleRequest request, Output output) {
  request.namespace_ = connection.namespace_;
  ASSIGN_OR_RETURN(std::string policy, MakePolicy(request));
  const api::ObjectKey key{request.namespace_, PolicyName(request)};
  ASSIGN_OR_RETURN(const ApplyResult applied, Apply(connection.client, key, std::move(policy)));
  if (output == Output::kName) {
    std::cout << ResourceName(api::kPolicyKind, key.name) << "\n";
    return Done{};
  }
  std::cout << "asp/" << key.name << " in " << key.namespace_
            << (applied == ApplyResult::kCreated   ? ": created\n"
                : applied == ApplyResult::kChanged ? ": changed\n"
                                                   : ": unchanged\n");
  return Done{};
}

ExitStatus Run(const Options& options) {
  const auto request = RequestOf(options);
  if (!request.ok()) {
    return Refuse("autoscale", request.error().message);
  }
  const auto policy = MakePolicy(*request);
  if (!policy.ok()) {
    return Refuse("autoscale", policy.error().message);
  }
  if (const std::string doubt = DoubtAbout(*request); !doubt.empty()) {
    std::cerr << "ballast autoscale: " << doubt << "\n";
  }
  if (options.apply) {
    auto connection = Connect(options.cluster);
    if (!connection.ok()) {
      return Refuse("autoscale", connection.error().message);
    }
    const Status applied = ApplyPolicy(*connection, *request, options.output);
    return applied.ok() ? ExitStatus::kDone : Fail("autoscale", applied.error().message);
  }
  if (options.output == Output::kName) {
    std::cout << ResourceName(api::kPolicyKind, PolicyName(*request)) << "\n";
    return ExitStatus::kDone;
  }
  const auto document = json::Parse(*policy);
  json::Decoder decoder(document.value());
  ObjectPrinter().Print(decoder.root(),
                        options.output == Output::kJson ? Syntax::kJson : Syntax::kYaml);
  return ExitStatus::kDone;
}

}  // namespace

void AddAutoscale(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "autoscale", "Print or apply a policy for a workload, with the flags of kubectl autoscale");
  const auto options = std::make_shared<Options>();
  AutoscaleRequest& request = options->request;
  command.AddOption("TARGET", options->target, "TYPE/NAME or TYPE NAME, like deployment/web")
      .Required()
      .Takes(1, 2);
  command.AddOption("--min", options->min, "The fewest replicas; default: 1");
  command.AddOption("--max", request.max, "The most replicas").Required();
  command.AddOption("--cpu", request.cpu,
                    "What the pods should use on average: of the requested CPU (60%), or each "
                    "(500m, also written 500); default, if --memory is not given either: 80%");
  command.AddOption("--memory", request.memory, "The same for memory: 70%, or 200Mi or 200");
  command.AddOption("--cpu-percent", options->cpu_percent, "The old spelling of --cpu N%");
  command.AddOption("--name", request.name, "The policy's name; default: the target's");
  command.AddFlag("--apply", options->apply,
                  "Apply the policy to the cluster instead of printing it");
  AddCluster(command, options->cluster);
  AddOutput(command, options->output,
            {{"yaml", Output::kYaml}, {"json", Output::kJson}, {"name", Output::kName}},
            "How the policy is printed, yaml by default; name: its name alone, also with --apply");
  command.OnCheck([&command, options]() -> Status {
    if (options->apply && command.Given("--output") && options->output != Output::kName) {
      return Error{Code::kInvalid,
                   "--apply says what it did, or the policy's name (-o name); without it, -o yaml "
                   "and -o json print the policy"};
    }
    return Done{};
  });
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
