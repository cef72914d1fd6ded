#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/engine_version.h"
#include "api/json/yaml.h"
#include "operator/cli/ask_pods.h"
#include "operator/cli/merge.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/cli/why_answer.h"
#include "operator/cli/why_print.h"
#include "operator/explain/recorded_decision.h"
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

// "2026-04-08 14:05:00 UTC"
std::string Named(Zone zone, Time time) { return PrintIn(zone, time) + " " + NameOf(zone, time); }

// Whether the policy was refused without an evaluation.
bool WasRefused(const store::Entry& entry) {
  return entry.reason == api::kConflicted || entry.reason == api::kInvalidSpec;
}

// Whether another controller decided, and Ballast only recorded it.
bool WasObserved(const store::Entry& entry) {
  return entry.subject.kind == api::kHpaKind && entry.engine == 0;
}

// Whether the kept inputs are those of this decision rather than of an earlier one.
bool HasItsInputs(const Why& why) { return why.inputs && why.inputs_of->id == why.decided->id; }

// A run whose reasons alternate has several. Stores of earlier versions kept inputs for the first
// reason only.
bool HadAnotherReason(const Why& why) {
  const store::Entry& told = HasItsInputs(why) ? *why.inputs_of : *why.decided;
  return why.recorded && why.point && why.point->time > told.time &&
         why.point->reason != told.reason;
}

// If this engine decides another count from the inputs, its reasons do not explain the recorded
// one.
std::string Disagreement(const explain::Explanation& inputs, const store::Entry& entry) {
  return "the engine that is asked (version " + std::to_string(engine::kEngineVersion) +
         ") makes " + std::to_string(explain::Wish(inputs.decision)) +
         " replicas of the recorded inputs, where " +
         (entry.engine == engine::kEngineVersion ? "the same version"
          : entry.engine > 0                     ? "version " + std::to_string(entry.engine)
                                                 : "an earlier one") +
         " made " + std::to_string(entry.desired_replicas) + " (see ballast replay)";
}

// A policy and an HPA may have the same name. Unless a kind is asked for, the answer is about the
// policy, if that has decided anything by then.
Result<store::HistoryAt> LookUp(store::History& reader, store::HistoryQuery query, Time at) {
  if (!query.kind.empty()) {
    return reader.Look(query, at);
  }
  query.kind = api::kPolicyKind;
  ASSIGN_OR_RETURN(auto of_policy, reader.Look(query, at));
  if (of_policy.last) {
    return of_policy;
  }
  query.kind = api::kHpaKind;
  ASSIGN_OR_RETURN(auto of_hpa, reader.Look(query, at));
  return of_hpa.last || !of_policy.next ? of_hpa : of_policy;
}

// Fills in the last decision before the moment in question, and the first one after it.
void AddDecisions(store::HistoryAt found, Why& why) {
  why.next = std::move(found.next);
  why.decided = std::move(found.last);
  why.timeline = found.timeline;
  why.point = std::move(found.point);
  why.foreign_change = std::move(found.foreign_change);
  why.edits = std::move(found.edits);
  if (why.decided && WasRefused(*why.decided)) {
    why.inputs_problem = "nothing was evaluated, so there is nothing that it was decided from";
    return;
  }
  if (why.decided && WasObserved(*why.decided)) {
    why.inputs_problem = "another controller decided; Ballast only observed it";
    return;
  }
  if (found.turn) {
    found.kept = EntryOf(*why.decided, *found.turn);
    found.kept_snapshot = std::move(found.turn->documents.snapshot);
  }
  if (!found.kept) {
    why.inputs_problem = "no inputs were kept of this decision or of one before it";
    return;
  }
  auto inputs = explain::Explain(found.kept_snapshot, *found.kept);
  if (!inputs.ok()) {
    why.inputs_problem = inputs.error().message;
    return;
  }
  if (!explain::Agrees(inputs->decision, *found.kept)) {
    why.inputs_problem = Disagreement(*inputs, *found.kept);
    return;
  }
  why.inputs = std::move(inputs).value();
  why.inputs_of = std::move(found.kept);
}

// Names the edits that the decision is the first one with, unless the answer is about a later
// evaluation.
std::string AfterWhichEdits(const Why& why, Zone zone) {
  const bool later = HasItsInputs(why) && why.inputs_of->time > why.decided->time;
  return why.edits.empty() || later ? "" : " " + DescribeEdits(why.edits, zone);
}

// Says which evaluation the answer is about (the one whose inputs were kept), and what the
// evaluation at the moment in question measured.
std::string AboutWhich(const Why& why, Zone zone) {
  if (!HasItsInputs(why)) {
    return "";
  }
  const store::Entry& told = *why.inputs_of;
  const std::string when = PrintNear(zone, told.time, why.at);
  std::string text;
  if (told.time > why.decided->time) {
    text = " Reasons took turns; this is about " + when + ", the first evaluation for " +
           told.reason + ".";
  }
  if (!why.recorded || !why.point || why.point->time <= told.time || why.point->readings.empty()) {
    return text;
  }
  return (text.empty() ? " So it was decided at " + when + "; at " : text + " At ") +
         PrintNear(zone, why.point->time, why.at) + " it came to the same with " +
         DescribeReadings(*why.point) + ".";
}

// The answer if nothing is recorded of that moment, but something is of moments before it.
Status AnswerGap(store::History& reader, Time now, Zone zone, Why& why) {
  const store::Entry& last = *why.decided;
  const Time to = why.next ? why.next->time : now;
  ASSIGN_OR_RETURN(
      std::string cause,
      explain::ExplainGap(reader, last, why.next ? &*why.next : nullptr, last.known_until(), to));
  why.answer =
      "Nothing is recorded of " + why.key.Print() + " " +
      (why.next ? "between " + Named(zone, last.until) + " and " + PrintNear(zone, to, last.until)
                : "since " + Named(zone, last.until)) +
      ": " + cause + ".";
  why.gap = explain::Gap{last.until, to, std::move(cause)};
  return Done{};
}

Result<Why> Explain(const Options& options) {
  const Time now = Now();
  Why why;
  ASSIGN_OR_RETURN(why.at, ParseMoment("--at", options.at, now, options.zone));
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.store));
  ASSIGN_OR_RETURN(auto query, FindRecorded(*reader, options.of));
  why.key = *query.key;
  std::string preface;
  if (why.at > now) {
    preface = Named(options.zone, why.at) + " is in the future; as of now: ";
    why.at = now;
  }
  ASSIGN_OR_RETURN(auto found, LookUp(*reader, std::move(query), why.at));
  AddDecisions(std::move(found), why);
  if (!why.decided) {
    why.answer = "Nothing is recorded of " + why.key.Print() + " before " +
                 (why.next ? Named(options.zone, why.next->time) : "now") + ".";
    return why;
  }
  const store::Entry& decided = *why.decided;
  why.recorded =
      why.at <= decided.known_until() || (why.next && why.next->time <= decided.known_until());
  if (!why.recorded) {
    TRY(AnswerGap(*reader, now, options.zone, why));
    preface += why.answer + " The last decision before: ";
  }
  if (HadAnotherReason(why)) {
    why.answer =
        preface + why.key.Print() + " stayed at " + std::to_string(decided.current_replicas) +
        ": " + why.point->reason +
        ", one of the reasons that took turns; what follows is about the first evaluation.";
    return why;
  }
  why.answer = preface +
               (HasItsInputs(why) ? Answer(*why.inputs_of, &*why.inputs, options.zone)
                                  : Answer(decided, nullptr, options.zone)) +
               AfterWhichEdits(why, options.zone) + AboutWhich(why, options.zone);
  return why;
}

ExitStatus Run(const Options& options) {
  const auto why = Explain(options);
  if (!why.ok()) {
    return Refuse("why", why.error().message);
  }
  std::cout << (options.output == Output::kText   ? WhyText(*why, options.zone)
                : options.output == Output::kJson ? WhyJson(*why)
                                                  : JsonTextToYaml(WhyJson(*why)));
  return why->recorded ? ExitStatus::kDone : ExitStatus::kFoundWrong;
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
  const std::string& json = answers.given[chosen].output;
  if (options.output == Output::kText) {
    words.back() = "--utc";
    const PodAnswers text = AskPods(options.pods, {answers.given[chosen].pod}, "why", words);
    TRY(TellProblems("why", text));
    std::cout << "From the ledger of " << told[chosen].pod << ":\n" << text.given[0].output;
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
