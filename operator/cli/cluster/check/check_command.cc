#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"
#include "operator/process/clock.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::seconds kBetween{2};  // while waiting

struct Options {
  ClusterOptions cluster;
  std::string service_account;  // NAMESPACE/NAME
  std::string wait = "0s";
  DocumentOutput output = DocumentOutput::kText;
};

Result<std::optional<api::ObjectKey>> ParseAccount(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (text.empty()) {
    return std::optional<api::ObjectKey>();
  }
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
    return Error{Code::kInvalid, "--service-account " + text + " is not NAMESPACE/NAME"};
  }
  return std::optional(api::ObjectKey{text.substr(0, slash), text.substr(slash + 1)});
}

void Append(std::vector<Finding> more, std::vector<Finding>& to) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Finding> CheckAll(ClusterConnection& connection, const Options& options,
                              const std::optional<api::ObjectKey>& account) {
  std::vector<Finding> findings = {CheckServer(*connection.transport)};
  if (Worst(findings) == Severity::kFailure) {
    return findings;  // the others would say the same
  }
  CheckContext context{*connection.transport, connection.client, {}, Now()};
  findings.push_back(CheckCrd(context));
  const bool has_crd = Worst(findings) != Severity::kFailure;
  if (has_crd) {
    findings.push_back(CheckOverrideCrd(context));
  }
  auto installation =
      FindInstallation(connection.client, options.cluster.namespace_, connection.namespace_);
  if (installation.ok()) {
    context.installation = *std::move(installation);
  } else if (installation.error().code == Code::kForbidden) {
    findings.push_back(Unknown("operator", "its pods", installation.error()));
  } else {
    const bool several = installation.error().code == Code::kInvalid;
    findings.push_back({"operator", Severity::kFailure,
                        "its pods cannot be found: " + installation.error().message +
                            (several ? ": name the namespace of one with -n" : ""),
                        ""});
    return findings;
  }
  if (account) {
    context.installation.service_account = account;
  }
  if (installation.ok()) {
    Append(CheckOperator(context), findings);
  }
  findings.push_back(CheckRights(context));
  if (has_crd) {
    Append(CheckWebhook(context), findings);
  }
  Append(CheckMetricsApis(context), findings);
  if (has_crd) {
    Append(CheckSources(context), findings);
    Append(CheckPolicies(context), findings);
  }
  return findings;
}

// Says what is waited for, once for each failure.
void TellWaiting(const std::vector<Finding>& findings, std::string& told) {
  for (const Finding& finding : findings) {
    if (finding.level == Severity::kFailure) {
      const std::string text = finding.check + ": " + finding.message;
      if (text != told) {
        std::cerr << "waiting: " << text << std::endl;
        told = text;
      }
      return;
    }
  }
}

ExitStatus Run(const Options& options) {
  const auto wait = ParseSpan("--wait", options.wait);
  if (!wait.ok()) {
    return Refuse("check", wait.error().message);
  }
  const auto account = ParseAccount(options.service_account);
  if (!account.ok()) {
    return Refuse("check", account.error().message);
  }
  const process::Clock& clock = process::RealClock();
  const auto until = clock.Steady() + std::chrono::nanoseconds(wait->nanoseconds);
  // What the webhook says of a policy that is only tried is of no interest.
  auto connection = Connect(options.cluster, [](const std::string&) {});
  if (!connection.ok()) {
    return Refuse("check", connection.error().message);
  }
  std::vector<Finding> findings = CheckAll(*connection, options, *account);
  std::string told;
  while (Worst(findings) == Severity::kFailure && clock.Steady() + kBetween <= until) {
    TellWaiting(findings, told);
    std::this_thread::sleep_for(kBetween);
    findings = CheckAll(*connection, options, *account);
  }
  if (options.output == DocumentOutput::kText) {
    std::cout << Print(findings, TerminalHasColour());
  } else {
    json::Writer out;
    Encode(out, findings);
    PrintDocument(out.Take(), options.output);
  }
  return Worst(findings) == Severity::kFailure ? ExitStatus::kFoundWrong : ExitStatus::kDone;
}

}  // namespace

void AddCheck(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "check",
      "Check an installation: API server, CRD, operator, rights, webhook, sources of metrics");
  const auto options = std::make_shared<Options>();
  AddKubeconfig(command, options->cluster);
  command.AddOption("-n,--namespace", options->cluster.namespace_,
                    "The namespace of the operator; default: its pods are looked for in all");
  command.AddOption("--service-account", options->service_account,
                    "NAMESPACE/NAME: whose rights to check; default: those of the operator's pods");
  command
      .AddOption("--wait", options->wait,
                 "Check again until there is no failure, for that long at most (2m)")
      .ShowDefault();
  AddDocumentOutput(command, options->output);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
