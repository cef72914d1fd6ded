#include "operator/cli/pods/pod_decisions.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "operator/cli/terminal/progress.h"
#include "operator/cli/terminal/text_width.h"

namespace ballast::cli {
namespace {

// What one pod prints.
class PodExport {
 public:
  PodExport(const PodOptions& options, LedgerPod pod, const std::vector<std::string>& words)
      : pod_(std::move(pod)),
        kubectl_(RunningKubectl::Start(options, ExecWords(pod_, "export", words))) {
    if (!kubectl_.ok()) {
      ended_ = kubectl_.error();
    }
  }

  // The next decision; absent: none follows.
  const std::optional<ExportedDecision>& next() const { return next_; }

  void Advance() {
    begun_ = begun_ || next_;
    next_.reset();
    if (ended_) {
      return;
    }
    auto line = kubectl_->ReadLine();
    if (!line.ok()) {
      ended_ = line.error();
    } else if (!*line) {
      ended_ = kubectl_->End();
    } else if (auto decision = ParseLine(**line); decision.ok()) {
      next_ = std::move(decision).value();
      next_->pod = pod_.Print();
    } else {
      ended_ = Error{Code::kCorrupt, "what it prints is no decision: " + decision.error().message};
    }
  }

  // To be called once, when there is no next one.
  void SortOut(PodAnswers& answers) { cli::SortOut(pod_, *std::move(ended_), begun_, answers); }

 private:
  const LedgerPod pod_;
  Result<RunningKubectl> kubectl_;
  std::optional<ExportedDecision> next_;
  bool begun_ = false;
  std::optional<Result<os::Ended>> ended_;
};

// The order in which each pod exports.
auto PlaceOf(const store::Entry& entry) {
  return std::tie(entry.subject.key.namespace_, entry.subject.key.name, entry.subject.uid,
                  entry.time, entry.id);
}

// The one whose decision is the next of all; null: none has one.
PodExport* NextOf(std::vector<PodExport>& exports) {
  PodExport* next = nullptr;
  for (PodExport& one : exports) {
    if (one.next() &&
        (next == nullptr || PlaceOf(one.next()->entry) < PlaceOf(next->next()->entry))) {
      next = &one;
    }
  }
  return next;
}

Status VisitAll(std::vector<PodExport>& exports, const VisitDecision& visit) {
  std::atomic<std::int64_t> count = 0;  // Progress reads it meanwhile
  const Progress progress = DecisionsSoFar(count);
  std::ranges::for_each(exports, &PodExport::Advance);
  while (PodExport* const next = NextOf(exports)) {
    ++count;
    TRY(visit(*next->next()));
    next->Advance();
  }
  return Done{};
}

}  // namespace

Result<bool> ForEachDecisionOfPods(const PodOptions& options, const std::string& subcommand,
                                   const std::vector<std::string>& words,
                                   const VisitDecision& visit) {
  ASSIGN_OR_RETURN(auto pods, FindPods(options));
  std::vector<PodExport> exports;  // all run at the same time
  exports.reserve(pods.size());
  for (LedgerPod& pod : pods) {
    exports.emplace_back(options, std::move(pod), words);
  }
  TRY(VisitAll(exports, visit));
  PodAnswers answers;
  for (PodExport& one : exports) {
    one.SortOut(answers);
  }
  bool whole = answers.problems.empty();
  for (const PodAnswer& answer : answers.given) {
    whole = whole && answer.status == ExitStatus::kDone;
    if (!answer.note.empty()) {
      std::cerr << OneLine(answer.pod.Print() + ": " + answer.note) << "\n";
    }
  }
  TRY(TellProblems(subcommand, answers));
  return whole;
}

}  // namespace ballast::cli
