// Ballast's pods, and what their own `ballast` answers: how the subcommands that read the ledger
// work from outside the cluster. Everything goes through the caller's `kubectl`, with its
// kubeconfig and rights (docs/adr/0004-ask-the-pods-by-kubectl-exec.md).
//
// Thread-safety: main thread only.
// Errors: find_pods.h's; kInvalid also: the options contradict each other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/command.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/find_pods.h"

namespace ballast::cli {

// --kubeconfig, --context, --ballast-namespace and --ballast-statefulset.
void AddPods(flags::Command& command, PodOptions& options);

// Whether the ledger is the file `store` rather than the pods': --store was given to `command`, or
// none of the options above was and the default file exists.
bool ReadsFile(const flags::Command& command, const std::string& store, const PodOptions& options);
// The same if --store was not given.
bool ReadsDefaultFile(const std::string& store, const PodOptions& options);

// The words that make a `ballast` in a pod read the same autoscalers. A name without a namespace
// gets that of kubectl's context. kInvalid: the options
// contradict each other.
Result<std::vector<std::string>> WordsFor(const PodOptions& options, const AutoscalerChoice& of);
// The same for a selection, with times that do not depend on the pod's clock and zone. kInvalid
// also: ParseTimes' errors.
Result<std::vector<std::string>> WordsFor(const PodOptions& options, const Selection& selected);

struct PodAnswer {
  LedgerPod pod;
  std::string output;                     // what it printed
  std::string note;                       // the first line of what it printed on standard error
  ExitStatus status = ExitStatus::kDone;  // or kFoundWrong
};

struct PodAnswers {
  std::vector<PodAnswer> given;
  // Of the pods that answered that they have no record of the autoscaler or of the time: what they
  // say.
  std::vector<std::string> without_record;
  // Of each other pod, with its name, why there is no answer.
  std::vector<std::string> problems;
};

// What makes kubectl run `ballast SUBCOMMAND --store STORE WORDS...` in the pod.
std::vector<std::string> ExecWords(const LedgerPod& pod, const std::string& subcommand,
                                   const std::vector<std::string>& words);

// Sorts out what became of that. `ended`: kCorrupt: what it printed is no answer; `begun`: a part
// of the answer has been used already.
void SortOut(const LedgerPod& pod, Result<os::Ended> ended, bool begun, PodAnswers& answers);

// Runs `ballast SUBCOMMAND --store STORE WORDS...` in all pods at the same time, for a minute at
// most. A terminal shows meanwhile which have not answered.
PodAnswers AskPods(const PodOptions& options, const std::vector<LedgerPod>& pods,
                   const std::string& subcommand, const std::vector<std::string>& words);

// What `read` makes of each answer. One that it cannot read becomes a problem.
template <typename T>
std::vector<T> ReadAnswers(PodAnswers& answers, Result<T> (*read)(const PodAnswer& answer)) {
  std::vector<T> all;
  std::erase_if(answers.given, [&](const PodAnswer& answer) {
    auto one = read(answer);
    if (!one.ok()) {
      answers.problems.push_back(answer.pod.Print() + " has no answer: " + one.error().message);
      return true;
    }
    all.push_back(std::move(one).value());
    return false;
  });
  return all;
}

// Says on standard error which pods gave no answer. Without any answer: kNotFound, with what the
// pods say.
Status TellProblems(const std::string& subcommand, const PodAnswers& answers);

}  // namespace ballast::cli
