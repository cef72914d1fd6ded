#include "operator/cli/pods/ask_pods.h"

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "operator/cli/selection.h"
#include "operator/cli/terminal/progress.h"
#include "operator/cli/terminal/text_width.h"
#include "operator/os/subprocess.h"

namespace ballast::cli {
namespace {

// How kubectl ends what it prints if the program in the pod, not kubectl, has failed.
constexpr std::string_view kTerminated = "command terminated with exit code";
// Of selection.cc and plot.cc, in a pod.
constexpr std::string_view kNoRecord = "nothing is recorded ";

// The pods that have not answered yet. Any thread may use it.
class Waiting {
 public:
  explicit Waiting(const std::vector<LedgerPod>& pods) : all_(pods.size()) {
    for (const LedgerPod& pod : pods) {
      left_.insert(pod.name);
    }
  }

  void Remove(const LedgerPod& pod) {
    const std::lock_guard lock(mutex_);
    left_.erase(left_.find(pod.name));
  }
  // "asking ballast-1; 1 of 2 have answered"
  std::string Describe() const {
    const std::lock_guard lock(mutex_);
    std::string text = "asking";
    for (const std::string& name : left_) {
      text += (name == *left_.begin() ? " " : ", ") + name;
    }
    return text + "; " + std::to_string(all_ - left_.size()) + " of " + std::to_string(all_) +
           " have answered";
  }

 private:
  const std::size_t all_;
  mutable std::mutex mutex_;
  std::multiset<std::string> left_;  // names; in several namespaces they may be the same
};

}  // namespace

void AddPods(flags::Command& command, PodOptions& options) {
  for (flags::Option& option :
       AddKubectlFlags(command, options, "Ask Ballast's pods in that cluster, through kubectl")) {
    option.Excludes("--store");
  }
  command
      .AddOption("--ballast-namespace", options.ballast_namespace,
                 "The namespace of Ballast's pods; default: that of the account with its role in "
                 "the cluster")
      .Excludes("--store");
  command
      .AddOption("--ballast-statefulset", options.ballast_statefulset,
                 "The StatefulSet of Ballast's pods, if others there look alike")
      .Excludes("--store");
}

bool ReadsFile(const flags::Command& command, const std::string& store, const PodOptions& options) {
  return command.Given("--store") || ReadsDefaultFile(store, options);
}

bool ReadsDefaultFile(const std::string& store, const PodOptions& options) {
  std::error_code ignored;
  return !options.any() && options.ballast_namespace.empty() &&
         options.ballast_statefulset.empty() && std::filesystem::exists(store, ignored);
}

Result<std::vector<std::string>> WordsFor(const PodOptions& options, const AutoscalerChoice& of) {
  std::vector<std::string> words;
  std::string namespace_ = of.namespace_;
  if (!of.name.empty()) {
    words.push_back(of.name);
    ASSIGN_OR_RETURN(const AutoscalerName name, Combine(of));
    if (name.namespace_.empty()) {
      auto context = KubectlOutput(options, {"config", "view", "--minify", "--output",
                                             "jsonpath={.contexts[0].context.namespace}"});
      if (!context.ok()) {
        return Error{context.error().code,
                     "the namespace of \"" + of.name +
                         "\" is not known: " + context.error().message +
                         " (choose a context with --context, or the namespace with -n)"};
      }
      namespace_ = *std::move(context);
      namespace_ = namespace_.empty() ? "default" : namespace_;
    }
  }
  if (!namespace_.empty()) {
    words.push_back("--namespace=" + namespace_);
  }
  if (!of.kind.empty()) {
    words.push_back("--kind=" + of.kind);
  }
  return words;
}

Result<std::vector<std::string>> WordsFor(const PodOptions& options, const Selection& selected) {
  TRY(CheckAllNamespaces(selected.all_namespaces, !selected.of.name.empty()));
  ASSIGN_OR_RETURN(auto words, WordsFor(options, selected.of));
  ASSIGN_OR_RETURN(const SelectedTime time, ParseTimes(selected));
  if (time.since) {
    words.push_back("--since=" + Print(*time.since));
  }
  if (time.until) {
    words.push_back("--until=" + Print(*time.until));
  }
  return words;
}

std::vector<std::string> ExecWords(const LedgerPod& pod, const std::string& subcommand,
                                   const std::vector<std::string>& words) {
  std::vector<std::string> all = {"exec",
                                  "--namespace=" + pod.namespace_,
                                  pod.name,
                                  "--container",
                                  kOperatorContainer,
                                  "--",
                                  "ballast",
                                  subcommand,
                                  "--store",
                                  pod.store};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

void SortOut(const LedgerPod& pod, Result<os::Ended> ended, bool begun, PodAnswers& answers) {
  const auto note = [&](const char* what, const std::string& why) {
    answers.problems.push_back(pod.Print() + (begun ? " broke off: " : what) + why);
  };
  if (!ended.ok()) {
    const auto& [code, message, retry_after, unanswered] = ended.error();
    const bool too_long = code == Code::kInvalid;
    note(code == Code::kCorrupt ? " has no answer: " : " was not reached: ",
         message + (too_long ? "; ask for less, with --since, --until or --limit" : ""));
    return;
  }
  const bool ran = ended->status == 0 || ended->errors.find(kTerminated) != std::string::npos;
  const std::string line = FirstLine(ended->errors);
  if (ran && ended->status <= static_cast<int>(ExitStatus::kFoundWrong)) {
    const bool noted = !ended->errors.starts_with(kTerminated);
    answers.given.push_back(
        {pod, std::move(ended->output), noted ? line : "", static_cast<ExitStatus>(ended->status)});
  } else if (ran && ended->errors.find(kNoRecord) != std::string::npos) {
    answers.without_record.push_back(pod.Print() + ": " + line);
  } else {
    note(ran ? " has no answer: " : " was not reached: ", line);
  }
}

PodAnswers AskPods(const PodOptions& options, const std::vector<LedgerPod>& pods,
                   const std::string& subcommand, const std::vector<std::string>& words) {
  Waiting waiting(pods);
  std::vector<std::optional<Result<os::Ended>>> ends(pods.size());
  {
    const Progress progress([&] { return waiting.Describe(); });
    std::vector<std::jthread> asking;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      asking.emplace_back([&, i] {
        ends[i] = RunKubectl(options, ExecWords(pods[i], subcommand, words));
        waiting.Remove(pods[i]);
      });
    }
  }
  PodAnswers answers;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    SortOut(pods[i], *std::move(ends[i]), false, answers);
  }
  return answers;
}

Status TellProblems(const std::string& subcommand, const PodAnswers& answers) {
  for (const std::string& problem : answers.problems) {
    std::cerr << "ballast " << subcommand << ": " << OneLine(problem) << "\n";
  }
  if (!answers.given.empty()) {
    return Done{};
  }
  return Error{Code::kNotFound, answers.without_record.empty() ? "no pod of Ballast's has answered"
                                                               : answers.without_record.front()};
}

}  // namespace ballast::cli
