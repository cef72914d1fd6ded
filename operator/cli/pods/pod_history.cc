#include "operator/cli/pods/pod_history.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "operator/cli/terminal/progress.h"
#include "operator/cli/version.h"

namespace ballast::cli {
namespace {

using store::AutoscalerPlace;
using store::HistoryQuery;

// How kubectl ends what it prints if the program in the pod, not kubectl, has failed.
constexpr std::string_view kTerminated = "command terminated with exit code";

// Nobody waits longer for a connection to be closed.
constexpr std::chrono::seconds kFarewell(1);

std::vector<std::string> ExecWords(const LedgerPod& pod) {
  return {"exec",    "--stdin",     "--namespace=" + pod.namespace_,
          pod.name,  "--container", kOperatorContainer,
          "--",      "ballast",     "__history",
          "--store", pod.store};
}

}  // namespace

PodHistory::PodHistory(const KubectlFlags& flags, LedgerPod pod)
    : pod_(std::move(pod)), kubectl_(RunningKubectl::Start(flags, ExecWords(pod_))) {}

PodHistory::~PodHistory() {
  if (kubectl_.ok() && !lost_) {
    (void)kubectl_->SendLine("");  // so that nothing goes on in the pod
    (void)kubectl_->End(kFarewell);
  }
}

Error PodHistory::Lose(const char* how, const std::string& why) {
  lost_ = Error{Code::kUnavailable, pod_.Print() + (answered_ ? " broke off: " : how) + why};
  return *lost_;
}

Error PodHistory::LoseByEnd() {
  const auto ended = kubectl_->End();
  if (!ended.ok()) {
    return Lose(" was not reached: ", ended.error().message);
  }
  std::string why = FirstLine(ended->errors);
  if (why.find("has no subcommand") != std::string::npos) {
    why += "; its ballast is older than " + VersionText() + ": use one of its version";
  }
  const bool ran = ended->status == 0 || ended->errors.find(kTerminated) != std::string::npos;
  return Lose(ran ? " has no answer: " : " was not reached: ", why.empty() ? "it has ended" : why);
}

Result<std::string> PodHistory::ReadLine() {
  const Progress progress([&] { return "asking " + pod_.Print(); });
  auto line = kubectl_->ReadLine();
  if (!line.ok()) {
    return Lose(" was not reached: ",
                line.error().message + (line.error().code == Code::kInvalid
                                            ? "; ask for less, with --since, --until or --limit"
                                            : ""));
  }
  if (!*line) {
    return LoseByEnd();
  }
  return **std::move(line);
}

Status PodHistory::Greet() {
  if (lost_) {
    return *lost_;
  }
  if (greeted_) {
    return Done{};
  }
  if (!kubectl_.ok()) {
    return Lose(" was not reached: ", kubectl_.error().message);
  }
  ASSIGN_OR_RETURN(const std::string line, ReadLine());
  const auto greeting = ParseGreeting(line);
  if (!greeting.ok()) {
    return Lose(" has no answer: ", "what it prints is no greeting: " + greeting.error().message);
  }
  if (greeting->language != kHistoryLanguage) {
    return Lose(" has no answer: ", "it is " + greeting->program + ", and answers in version " +
                                        std::to_string(greeting->language) + " of what " +
                                        VersionText() + " asks in version " +
                                        std::to_string(kHistoryLanguage) +
                                        ": ask with the pod's version");
  }
  greeted_ = true;
  return Done{};
}

template <typename T>
Result<T> PodHistory::Ask(const HistoryQuestion& question) {
  TRY(Greet());
  // If it has ended, what it says about that is still to be read.
  (void)kubectl_->SendLine(Print(question));
  ASSIGN_OR_RETURN(const std::string line, ReadLine());
  auto answer = ParseAnswer<T>(line, damaged_);
  if (!answer.ok()) {
    return Lose(" has no answer: ", answer.error().code == Code::kUnavailable
                                        ? answer.error().message
                                        : "what it prints is no answer: " + answer.error().message);
  }
  answered_ = true;
  return answer;
}

Result<std::optional<store::Reach>> PodHistory::HowFarBack(const HistoryQuery& query) {
  return Ask<std::optional<store::Reach>>({.call = "howFarBack", .query = query});
}

Result<bool> PodHistory::Knows(const api::ObjectKey& key, const std::string& kind) {
  return Ask<bool>({.call = "knows", .query = {.key = key, .kind = kind}});
}

Result<std::vector<store::Subject>> PodHistory::Subjects() {
  return Ask<std::vector<store::Subject>>({.call = "subjects"});
}

Result<std::optional<store::Extent>> PodHistory::ExtentOf(const HistoryQuery& query) {
  return Ask<std::optional<store::Extent>>({.call = "extent", .query = query});
}

Result<std::optional<store::Newest>> PodHistory::FindNewest(const HistoryQuery& query,
                                                            std::int64_t count) {
  return Ask<std::optional<store::Newest>>({.call = "newest", .query = query, .count = count});
}

Result<store::HistoryAt> PodHistory::Look(const HistoryQuery& query, Time at) {
  return Ask<store::HistoryAt>({.call = "look", .query = query, .from = at});
}

Result<std::vector<store::ForeignChangeEntry>> PodHistory::ForeignChanges(
    const HistoryQuery& query) {
  return Ask<std::vector<store::ForeignChangeEntry>>({.call = "foreignChanges", .query = query});
}

Result<std::vector<store::EditEntry>> PodHistory::Edits(const HistoryQuery& query) {
  return Ask<std::vector<store::EditEntry>>({.call = "edits", .query = query});
}

Result<std::vector<store::DelayEntry>> PodHistory::DelaysInRuns(const HistoryQuery& query) {
  return Ask<std::vector<store::DelayEntry>>({.call = "delays", .query = query});
}

Result<store::GapFacts> PodHistory::Explain(const store::Subject* subject, Time from, Time to) {
  HistoryQuestion question{.call = "explain", .from = from, .to = to};
  if (subject != nullptr) {
    question.subject = *subject;
  }
  return Ask<store::GapFacts>(question);
}

Result<store::EntryPage> PodHistory::ReadEntryPage(const HistoryQuery& query,
                                                   const store::Place& from) {
  return Ask<store::EntryPage>({.call = "entries", .query = query, .place = from});
}

Result<store::DecisionPage> PodHistory::ReadDecisionPage(const HistoryQuery& query,
                                                         const AutoscalerPlace& from) {
  return Ask<store::DecisionPage>({.call = "decisions", .query = query, .autoscaler_place = from});
}

Result<store::EvaluationPage> PodHistory::ReadEvaluationPage(const HistoryQuery& query,
                                                             const AutoscalerPlace& from) {
  return Ask<store::EvaluationPage>(
      {.call = "evaluations", .query = query, .autoscaler_place = from});
}

}  // namespace ballast::cli
