#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/autoscaling/mode.h"
#include "api/json/json.h"
#include "operator/calendar/time_zone.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/cluster/agenda_text.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/chosen_autoscaler.h"
#include "operator/cli/commands.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/stored_autoscaler.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"
#include "operator/schedules/agenda.h"

namespace ballast::cli {
namespace {

enum class Output { kTable, kPlot, kJson, kYaml };

struct Options {
  ClusterOptions cluster;
  std::string name;
  std::string file;
  std::string from = "now";
  std::string next = "7d";
  Zone zone = Zone::kLocal;
  bool no_headers = false;
  Output output = Output::kTable;
};

constexpr Duration kLongest = Duration::Seconds(366LL * 24 * 3600);

Result<Duration> ParseNext(const std::string& text) {
  ASSIGN_OR_RETURN(const Duration next, ParseSpan("--next", text));
  if (next <= Duration() || next > kLongest) {
    return Error{Code::kInvalid, "--next: \"" + text + "\" is not from 1ns to 366d"};
  }
  return next;
}

std::string WithoutSchedules(const std::string& name) {
  return name +
         " is a HorizontalPodAutoscaler, which has no schedules; a policy has them (ballast "
         "convert "
         "makes one)";
}

// The policy of that name among the manifests, or the only one; what has no namespace there may be
// in any. kInvalid: it cannot be told, or what it has is wrong.
Result<api::Autoscaler> PolicyIn(const std::vector<Manifest>& manifests, const Options& options) {
  ASSIGN_OR_RETURN(const AutoscalerName name,
                   options.name.empty() ? AutoscalerName() : ParseName(options.name));
  if (name.kind == api::kHpaKind) {
    return Error{Code::kInvalid, WithoutSchedules(options.name)};
  }
  const std::string& namespace_ =
      name.namespace_.empty() ? options.cluster.namespace_ : name.namespace_;
  std::optional<api::Autoscaler> found;
  for (const Manifest& manifest : manifests) {
    if (!manifest.document.ok()) {
      return manifest.document.error().In(manifest.source);
    }
    json::Decoder decoder(*manifest.document);
    const json::Cursor object = decoder.root();
    const std::string_view given = object.Member("metadata").Member("namespace").Text();
    const bool wanted =
        IsAutoscaler(object) && object.Member("kind").Text() == api::kPolicyKind &&
        (name.name.empty() || object.Member("metadata").Member("name").Text() == name.name) &&
        (namespace_.empty() || given.empty() || given == namespace_);
    if (!wanted) {
      continue;
    }
    if (found) {
      return Error{Code::kInvalid,
                   options.file + " has several policies" +
                       (name.name.empty() ? "; name one: asp/NAME" : " of that name")};
    }
    ASSIGN_OR_RETURN(found, AsStored(manifest.source, object));
  }
  if (!found) {
    return Error{Code::kNotFound, options.file + " has no AutoScalePolicy" +
                                      (name.name.empty() ? "" : " " + name.name) +
                                      (namespace_.empty() ? "" : " in namespace " + namespace_)};
  }
  return *std::move(found);
}

ExitStatus Show(const api::Autoscaler& policy, Time from, Time until, const Options& options) {
  const schedules::Agenda agenda = schedules::MakeAgenda(policy.spec, from, until);
  const std::string json = AgendaJson(agenda, policy);
  switch (options.output) {
    case Output::kTable:
      std::cout << AgendaTable(agenda, policy.spec, options.zone, !options.no_headers);
      break;
    case Output::kPlot:
      std::cout << AgendaPlot(agenda, policy.spec,
                              {TerminalWidth(), TerminalHasUtf8(), options.zone});
      break;
    case Output::kJson:
    case Output::kYaml:
      PrintDocument(
          json, options.output == Output::kJson ? DocumentOutput::kJson : DocumentOutput::kYaml);
      break;
  }
  const std::string name = PrintName(policy);
  if (policy.spec.schedules.empty()) {
    std::cerr << name << " has no schedules\n";
  }
  if (!api::ModeOf(policy.spec).evaluates) {
    std::cerr << "the mode of " << name << " is " << policy.spec.mode
              << ": its schedules have no effect\n";
  }
  if (!agenda.complete) {
    std::cerr << "what comes after " << PrintIn(options.zone, agenda.spells.back().end)
              << " is left out; --from shows it\n";
  }
  for (const engine::LostZone& lost : agenda.lost) {
    std::cerr << "schedule " << lost.name << " is left out: timeZone \"" << lost.time_zone << "\" "
              << calendar::CheckZone(lost.time_zone) << "\n";
  }
  return agenda.lost.empty() ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

ExitStatus Run(const Options& options) {
  const auto from = ParseMoment("--from", options.from, Now(), options.zone, TimeOfDay::kToday);
  if (!from.ok()) {
    return Refuse("schedule", from.error().message);
  }
  const auto next = ParseNext(options.next);
  if (!next.ok()) {
    return Refuse("schedule", next.error().message);
  }
  if (!options.file.empty()) {
    const auto manifests = ReadManifests({options.file});
    if (!manifests.ok()) {
      return Refuse("schedule", manifests.error().message);
    }
    const auto policy = PolicyIn(*manifests, options);
    return policy.ok() ? Show(*policy, *from, *from + *next, options)
                       : Fail("schedule", policy.error().message);
  }
  if (options.name.empty()) {
    return Refuse("schedule", "name a policy (asp/NAME), or a file with one (-f)");
  }
  auto status = ExitStatus::kDone;
  const auto chosen = Choose("schedule", options.cluster, options.name, FindAutoscaler, status);
  if (!chosen) {
    return status;
  }
  if (!chosen->found.is_policy()) {
    return Fail("schedule", WithoutSchedules(PrintName(chosen->found)));
  }
  return Show(chosen->found, *from, *from + *next, options);
}

}  // namespace

void AddSchedule(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "schedule", "Show what a policy's schedules will make of its bounds, and when");
  const auto options = std::make_shared<Options>();
  command.AddOption("NAME", options->name, "asp/NAME; with -f only if the file has several");
  AddCluster(command, options->cluster);
  command.AddOption("-f,--filename", options->file,
                    "Of the policy in this file or folder instead of the cluster; - is standard "
                    "input");
  command
      .AddOption("--from", options->from,
                 "From when on: a time (2026-11-27T00:00:00Z, \"2026-11-27 08:00\", 08:00)")
      .ShowDefault();
  command.AddOption("--next", options->next, "For how long: 7d, 36h, 1d12h; at most 366d")
      .ShowDefault();
  AddZone(command, options->zone);
  AddNoHeaders(command, options->no_headers);
  AddOutput(command, options->output,
            {{"table", Output::kTable},
             {"plot", Output::kPlot},
             {"json", Output::kJson},
             {"yaml", Output::kYaml}},
            "table by default; plot: a picture");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
