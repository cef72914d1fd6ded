#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"
#include "operator/cli/ledger/why_answer.h"
#include "operator/cli/ledger/why_colour.h"
#include "operator/cli/ledger/why_print.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/ask_pods.h"
#include "operator/cli/pods/merge.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/text_width.h"
#include "operator/explain/moment.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

enum class Output { kText, kJson, kYaml };

struct Options {
  AutoscalerChoice of;
  std::string at = "now";
  std::string store;
  PodOptions pods;
  Output output = Output::kText;
  Zone zone = Zone::kLocal;
};

struct Why {
  explain::Moment moment;
  std::string answer;
};

Result<Why> Explain(const Options& options) {
  const Time now = Now();
  ASSIGN_OR_RETURN(Time at, ParseMoment("--at", options.at, now, options.zone));
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.store));
  ASSIGN_OR_RETURN(const auto query, FindRecorded(*reader, options.of));
  std::string preface;
  if (at > now) {
    preface = PrintIn(options.zone, at) + " " + NameOf(options.zone, at) +
              " is in the future; as of now: ";
    at = now;
  }
  ASSIGN_OR_RETURN(explain::Moment moment, explain::LookBack(*reader, query, at, now));
  TellDamaged(reader->damaged());
  std::string answer = preface + AnswerAbout(moment, options.zone);
  return Why{std::move(moment), std::move(answer)};
}

// Recorded texts have what sources of metrics and API servers wrote.
std::string ForTerminal(const std::string& text) {
  const std::string printable = PrintableLines(text);
  return TerminalHasColour() ? ColourWhy(printable) : printable;
}

ExitStatus Run(const Options& options) {
  const auto why = Explain(options);
  if (!why.ok()) {
    return Refuse("why", why.error().message);
  }
  const auto& [moment, answer] = *why;
  std::cout << (options.output == Output::kText ? ForTerminal(WhyText(moment, answer, options.zone))
                : options.output == Output::kJson ? WhyJson(moment, answer)
                                                  : JsonTextToYaml(WhyJson(moment, answer)));
  return moment.recorded ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

// The answer of a pod, which is a JSON object, with the pod's name.
std::string WithPod(const std::string& pod, const std::string& answer) {
  json::Writer name;
  name.Value(pod);
  return "{\"pod\":" + name.Take() + "," + answer.substr(1);
}

// Asks all pods, and then the one whose answer counts for the text: it is in UTC, since a pod
// does not know the caller's zone.
Result<ExitStatus> AskTheCluster(const Options& options) {
  ASSIGN_OR_RETURN(auto words, WordsFor(options.pods, options.of));
  if (options.at != "now") {
    ASSIGN_OR_RETURN(const Time at, ParseMoment("--at", options.at, Now(), options.zone));
    words.push_back("--at=" + Print(at));
  }
  ASSIGN_OR_RETURN(const auto pods, FindPods(options.pods));
  words.emplace_back("--output=json");
  PodAnswers answers = AskPods(options.pods, pods, "why", words);
  const std::vector<PodWhy> told = ReadAnswers<PodWhy>(
      answers, [](const PodAnswer& answer) { return ParseWhy(answer.pod.Print(), answer.output); });
  TRY(TellProblems("why", answers));
  const std::size_t chosen = ChooseAnswer(told);
  for (const std::string& other : Contradictions(told, chosen)) {
    std::cerr << "ballast why: " << other << "; what follows is from " << told[chosen].pod << "\n";
  }
  const bool whole = answers.problems.empty() && told[chosen].recorded;
  const std::string json = WithPod(told[chosen].pod, answers.given[chosen].output);
  if (options.output == Output::kText) {
    words.back() = "--utc";
    const PodAnswers text = AskPods(options.pods, {answers.given[chosen].pod}, "why", words);
    TRY(TellProblems("why", text));
    std::cout << "From the ledger of " << told[chosen].pod << ":\n"
              << ForTerminal(text.given[0].output);
  } else {
    std::cout << (options.output == Output::kJson ? json : JsonTextToYaml(json));
  }
  return whole ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

ExitStatus AskPodsFor(const Options& options) {
  const auto status = AskTheCluster(options);
  return status.ok() ? *status : Refuse("why", status.error().message);
}

}  // namespace

void AddWhy(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("why",
                                        "Explain why an autoscaler did, or did not, scale (asks "
                                        "the operator's pods, or reads its store)");
  const auto options = std::make_shared<Options>();
  command
      .AddOption("NAME", options->of.name,
                 "NAMESPACE/NAME of an autoscaler, or with -n NAME, asp/NAME or hpa/NAME")
      .Required();
  AddAutoscalerChoice(command, options->of);
  command
      .AddOption(
          "--at", options->at,
          "When: a time (2026-04-08T14:05:00Z, 14:05, 14:05+02:00) or a span before now (20m)")
      .ShowDefault();
  AddStore(command, options->store);
  AddOutput(command, options->output,
            {{"text", Output::kText}, {"json", Output::kJson}, {"yaml", Output::kYaml}},
            "text by default");
  AddZone(command, options->zone);
  AddPods(command, options->pods);
  command.OnRun([&command, options, &status] {
    status =
        ReadsFile(command, options->store, options->pods) ? Run(*options) : AskPodsFor(*options);
  });
}

}  // namespace ballast::cli
