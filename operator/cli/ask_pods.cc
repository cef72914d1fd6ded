#include "operator/cli/ask_pods.h"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "api/json/json.h"
#include "operator/cli/progress.h"
#include "operator/cli/selection.h"
#include "operator/cli/text_width.h"
#include "operator/os/subprocess.h"
#include "store/sqlite/files.h"

namespace ballast::cli {
namespace {

constexpr const char* kKubectl = "kubectl";
constexpr const char* kSelector = "app.kubernetes.io/name=ballast";
constexpr const char* kContainer = "ballast";
constexpr std::chrono::seconds kPatience(60);
// A history of that size has some hundred thousand lines.
constexpr std::size_t kMaxOutput = 64 * 1024 * 1024;
// How kubectl ends what it prints if the program in the pod, not kubectl, has failed.
constexpr std::string_view kTerminated = "command terminated with exit code";
// Of selection.cc and plot.cc, in a pod.
constexpr std::string_view kNoRecord = "nothing is recorded ";

std::string FirstLine(const std::string& text) { return OneLine(text.substr(0, text.find('\n'))); }

Result<os::Ended> RunKubectl(const PodOptions& options, std::vector<std::string> words,
                             bool interactive) {
  // kubectl takes what follows "--" for the pod's program.
  if (!options.context.empty()) {
    words.insert(words.begin(), "--context=" + options.context);
  }
  if (!options.kubeconfig.empty()) {
    words.insert(words.begin(), "--kubeconfig=" + options.kubeconfig);
  }
  auto ended = os::RunToEnd({kKubectl, std::move(words), {}, interactive}, kPatience, kMaxOutput);
  if (!ended.ok()) {
    return Error{ended.error().code, std::string(kKubectl) + " " + ended.error().message};
  }
  return ended;
}

// What kubectl prints if it succeeds. At a terminal it may ask for a password, say, which its
// plugins for credentials remember for the calls that follow.
Result<std::string> Output(const PodOptions& options, std::vector<std::string> words) {
  const bool interactive = isatty(STDERR_FILENO) == 1;
  ASSIGN_OR_RETURN(os::Ended ended, RunKubectl(options, std::move(words), interactive));
  if (ended.status != 0) {
    return Error{Code::kUnavailable,
                 "kubectl" + (interactive ? " ended with status " + std::to_string(ended.status)
                                          : ": " + FirstLine(ended.errors))};
  }
  return std::move(ended.output);
}

// The operator's container, or an absent place.
json::Cursor ContainerOf(const json::Cursor& pod) {
  for (const json::Cursor& container : pod.Member("spec").Member("containers").Elements()) {
    const json::Elements args = container.Member("args").Elements();
    if (container.Member("name").Text() == kContainer && !args.empty() &&
        (*args.begin()).Text() == "operator") {
      return container;
    }
  }
  return json::Cursor();
}

// The chart writes --store=PATH.
std::string StoreOf(const json::Cursor& container) {
  constexpr std::string_view kFlag = "--store=";
  for (const json::Cursor& argument : container.Member("args").Elements()) {
    if (argument.Text().starts_with(kFlag)) {
      return std::string(argument.Text().substr(kFlag.size()));
    }
  }
  return store::kDefaultPath;
}

Result<os::Ended> AskPod(const PodOptions& options, const Pod& pod, const std::string& subcommand,
                         const std::vector<std::string>& words) {
  std::vector<std::string> all = {"exec",     "--namespace=" + pod.namespace_,
                                  pod.name,   "--container",
                                  kContainer, "--",
                                  "ballast",  subcommand,
                                  "--store",  pod.store};
  all.insert(all.end(), words.begin(), words.end());
  return RunKubectl(options, std::move(all), false);
}

// The pods that have not answered yet. Any thread may use it.
class Waiting {
 public:
  explicit Waiting(const std::vector<Pod>& pods) : all_(pods.size()) {
    for (const Pod& pod : pods) {
      left_.insert(pod.name);
    }
  }

  void Remove(const Pod& pod) {
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

// Sorts out what became of the question.
void Add(const Pod& pod, Result<os::Ended> ended, PodAnswers& answers) {
  if (!ended.ok()) {
    const bool long_ = ended.error().code == Code::kInvalid;
    answers.problems.push_back(pod.Print() + " was not reached: " + ended.error().message +
                               (long_ ? "; ask for less, with --since, --until or --limit" : ""));
    return;
  }
  const bool ran = ended->status == 0 || ended->errors.find(kTerminated) != std::string::npos;
  if (ran && ended->status <= static_cast<int>(ExitStatus::kFoundWrong)) {
    const bool noted = !ended->errors.starts_with(kTerminated);
    answers.given.push_back({pod, std::move(ended->output), noted ? FirstLine(ended->errors) : ""});
  } else if (ran && ended->errors.find(kNoRecord) != std::string::npos) {
    answers.without_record.push_back(pod.Print() + ": " + FirstLine(ended->errors));
  } else {
    answers.problems.push_back(pod.Print() + (ran ? " has no answer: " : " was not reached: ") +
                               FirstLine(ended->errors));
  }
}

}  // namespace

void AddPods(flags::Command& command, PodOptions& options) {
  command
      .AddOption("--kubeconfig", options.kubeconfig,
                 "Ask Ballast's pods in that cluster, through kubectl")
      .Excludes("--store");
  command.AddOption("--context", options.context, "The kubeconfig's context for that")
      .Excludes("--store");
  command
      .AddOption("--ballast-namespace", options.ballast_namespace,
                 "The namespace of Ballast's pods; default: they are looked for in all")
      .Excludes("--store");
}

bool ReadsFile(const flags::Command& command, const std::string& store, const PodOptions& options) {
  return command.Given("--store") || ReadsDefaultFile(store, options);
}

bool ReadsDefaultFile(const std::string& store, const PodOptions& options) {
  std::error_code ignored;
  return options.kubeconfig.empty() && options.context.empty() &&
         options.ballast_namespace.empty() && std::filesystem::exists(store, ignored);
}

Result<std::vector<std::string>> WordsFor(const PodOptions& options, const AutoscalerChoice& of) {
  std::vector<std::string> words;
  std::string namespace_ = of.namespace_;
  if (!of.name.empty()) {
    words.push_back(of.name);
    ASSIGN_OR_RETURN(const AutoscalerName name, Combine(of));
    if (name.namespace_.empty()) {
      ASSIGN_OR_RETURN(namespace_, Output(options, {"config", "view", "--minify", "--output",
                                                    "jsonpath={.contexts[0].context.namespace}"}));
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

Result<std::vector<Pod>> ParsePods(std::string_view pod_list) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(pod_list));
  json::Decoder decoder(document);
  std::vector<Pod> pods;
  for (const json::Cursor& pod : decoder.root().Required("items").Elements()) {
    const std::string_view phase = pod.Member("status").Member("phase").Text();
    const json::Cursor container = ContainerOf(pod);
    if (!container.present() || phase == "Succeeded" || phase == "Failed") {
      continue;
    }
    Pod& found = pods.emplace_back();
    const json::Cursor metadata = pod.Required("metadata");
    metadata.Required("namespace").Read(found.namespace_);
    metadata.Required("name").Read(found.name);
    found.store = StoreOf(container);
  }
  TRY(decoder.status());
  return pods;
}

Result<std::vector<Pod>> FindPods(const PodOptions& options) {
  const std::string& where = options.ballast_namespace;
  std::vector<std::string> words = {"get", "pods", "--selector", kSelector, "--output", "json"};
  words.push_back(where.empty() ? "--all-namespaces" : "--namespace=" + where);
  auto listed = Output(options, std::move(words));
  if (!listed.ok()) {
    return Error{listed.error().code,
                 "Ballast's pods could not be listed: " + listed.error().message +
                     (where.empty() ? " (name their namespace with --ballast-namespace, or a copy "
                                      "of the ledger with --store)"
                                    : "")};
  }
  ASSIGN_OR_RETURN(auto pods, ParsePods(*listed));
  if (pods.empty()) {
    return Error{Code::kNotFound, "no pod of Ballast's runs in " +
                                      (where.empty() ? "the cluster" : where) + " (label " +
                                      kSelector + "); name a copy of the ledger with --store"};
  }
  return pods;
}

PodAnswers AskPods(const PodOptions& options, const std::vector<Pod>& pods,
                   const std::string& subcommand, const std::vector<std::string>& words) {
  Waiting waiting(pods);
  std::vector<std::optional<Result<os::Ended>>> ends(pods.size());
  {
    const Progress progress([&] { return waiting.Describe(); });
    std::vector<std::jthread> asking;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      asking.emplace_back([&, i] {
        ends[i] = AskPod(options, pods[i], subcommand, words);
        waiting.Remove(pods[i]);
      });
    }
  }
  PodAnswers answers;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    Add(pods[i], *std::move(ends[i]), answers);
  }
  return answers;
}

Status TellProblems(const std::string& subcommand, const PodAnswers& answers) {
  for (const std::string& problem : answers.problems) {
    std::cerr << "ballast " << subcommand << ": " << problem << "\n";
  }
  if (!answers.given.empty()) {
    return Done{};
  }
  return Error{Code::kNotFound, answers.without_record.empty() ? "no pod of Ballast's has answered"
                                                               : answers.without_record.front()};
}

}  // namespace ballast::cli
