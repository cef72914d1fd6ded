#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "api/json/yaml.h"
#include "operator/cli/ledger/history_source.h"
#include "operator/cli/ledger/why_answer.h"
#include "operator/cli/ledger/why_colour.h"
#include "operator/cli/ledger/why_print.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"
#include "operator/explain/moment.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kJson, kYaml };

struct Options {
  Selection selected;  // without times
  std::string at = "now";
  PodOptions pods;
  bool of_files = true;
  Output output = Output::kText;
};

// Recorded texts have what sources of metrics and API servers wrote.
std::string ForTerminal(const std::string& text) {
  const std::string printable = PrintableLines(text);
  return TerminalHasColour() ? ColourWhy(printable) : printable;
}

void Print(const explain::Moment& moment, const std::string& answer, const Options& options) {
  if (options.output != Output::kText) {
    const std::string json = WhyJson(moment, answer);
    std::cout << (options.output == Output::kJson ? json : JsonTextToYaml(json));
    return;
  }
  if (moment.decided && !moment.decided->ledger.empty()) {
    std::cout << "From the ledger of " << OneLine(moment.decided->ledger) << ":\n";
  }
  std::cout << ForTerminal(WhyText(moment, answer, options.selected.zone));
}

// Says what other ledgers have of the same moment.
void TellContradictions(const explain::MergedHistory& history, const explain::Moment& moment,
                        Zone zone) {
  for (const store::Entry& other : history.contradicting()) {
    std::cerr << "ballast why: " << OneLine(other.ledger) << " has " << other.desired_replicas
              << " replicas, decided at " << PrintNamed(zone, other.time, moment.at)
              << "; what follows is from " << OneLine(moment.decided->ledger) << "\n";
  }
}

Result<ExitStatus> Answer(const Options& options) {
  Selection selected = options.selected;
  const Zone zone = selected.zone;
  const Time now = Now();
  ASSIGN_OR_RETURN(Time at, ParseMoment("--at", options.at, now, zone));
  ASSIGN_OR_RETURN(auto source,
                   HistorySource::Open(options.of_files, selected, options.pods, "why"));
  store::History& history = source.history();
  ASSIGN_OR_RETURN(const auto query, FindRecorded(history, selected.of));
  std::string preface;
  if (at > now) {
    preface = PrintIn(zone, at) + " " + NameOf(zone, at) + " is in the future; as of now: ";
    at = now;
  }
  ASSIGN_OR_RETURN(const explain::Moment moment, explain::LookBack(history, query, at, now));
  TellDamaged(history.damaged());
  if (const explain::MergedHistory* merged = source.merged()) {
    TellContradictions(*merged, moment, zone);
  }
  const bool whole = source.TellLost();
  Print(moment, preface + AnswerAbout(moment, zone), options);
  return moment.recorded && whole ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

ExitStatus Run(const Options& options) {
  const auto status = Answer(options);
  return status.ok() ? *status : Refuse("why", status.error().message);
}

}  // namespace

void AddWhy(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("why",
                                        "Explain why an autoscaler did, or did not, scale (asks "
                                        "the operator's pods, or reads its store)");
  const auto options = std::make_shared<Options>();
  command
      .AddOption("NAME", options->selected.of.name,
                 "NAMESPACE/NAME of an autoscaler, or with -n NAME, asp/NAME or hpa/NAME")
      .Required();
  AddAutoscalerChoice(command, options->selected.of);
  command
      .AddOption(
          "--at", options->at,
          "When: a time (2026-04-08T14:05:00Z, 14:05, 14:05+02:00) or a span before now (20m, 2d)")
      .ShowDefault();
  AddStores(command, options->selected.stores);
  AddOutput(command, options->output,
            {{"text", Output::kText}, {"json", Output::kJson}, {"yaml", Output::kYaml}},
            "text by default");
  AddZone(command, options->selected.zone);
  AddPods(command, options->pods);
  command.OnRun([&command, options, &status] {
    options->of_files = ReadsFiles(command, options->pods);
    status = Run(*options);
  });
}

}  // namespace ballast::cli
