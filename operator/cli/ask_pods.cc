#include "operator/cli/ask_pods.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <utility>

#include "api/json/json.h"
#include "operator/cli/autoscaler_name.h"
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
// Of selection.cc, in a pod.
constexpr std::string_view kNoRecord = "nothing is recorded of";

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<os::Ended> RunKubectl(const PodOptions& options, std::vector<std::string> words) {
  // kubectl takes what follows "--" for the pod's program.
  if (!options.context.empty()) {
    words.insert(words.begin(), "--context=" + options.context);
  }
  if (!options.kubeconfig.empty()) {
    words.insert(words.begin(), "--kubeconfig=" + options.kubeconfig);
  }
  auto ended = os::RunToEnd({kKubectl, std::move(words), {}}, kPatience, kMaxOutput);
  if (!ended.ok()) {
    return Error{ended.error().code, std::string(kKubectl) + " " + ended.error().message};
  }
  return ended;
}

// What kubectl prints if it succeeds.
Result<std::string> Output(const PodOptions& options, std::vector<std::string> words) {
  ASSIGN_OR_RETURN(os::Ended ended, RunKubectl(options, std::move(words)));
  if (ended.status != 0) {
    return Error{Code::kUnavailable, "kubectl: " + FirstLine(ended.errors)};
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

}  // namespace

void AddPods(flags::Command& command, PodOptions& options) {
  command.AddOption("--kubeconfig", options.kubeconfig,
                    "Ask Ballast's pods in that cluster, through kubectl");
  command.AddOption("--context", options.context, "The kubeconfig's context for that");
  command.AddOption("--ballast-namespace", options.ballast_namespace,
                    "The namespace of Ballast's pods; default: they are looked for in all");
}

bool ReadsFile(const flags::Command& command, const std::string& store, const PodOptions& options) {
  if (command.Given("--store")) {
    return true;
  }
  std::error_code ignored;
  return options.kubeconfig.empty() && options.context.empty() &&
         options.ballast_namespace.empty() && std::filesystem::exists(store, ignored);
}

Result<std::vector<std::string>> WordsFor(const PodOptions& options, const AutoscalerChoice& of) {
  std::vector<std::string> words;
  std::string namespace_ = of.namespace_;
  if (!of.name.empty()) {
    words.push_back(of.name);
    ASSIGN_OR_RETURN(const AutoscalerName name, ParseName(of.name));
    if (name.namespace_.empty() && namespace_.empty()) {
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
  PodAnswers answers;
  for (const Pod& pod : pods) {
    std::vector<std::string> all = {"exec",     "--namespace=" + pod.namespace_,
                                    pod.name,   "--container",
                                    kContainer, "--",
                                    "ballast",  subcommand,
                                    "--store",  pod.store};
    all.insert(all.end(), words.begin(), words.end());
    auto ended = RunKubectl(options, std::move(all));
    if (!ended.ok()) {
      answers.problems.push_back(pod.Print() + " was not reached: " + ended.error().message);
      continue;
    }
    const bool ran = ended->status == 0 || ended->errors.find(kTerminated) != std::string::npos;
    if (ran && ended->status <= static_cast<int>(ExitStatus::kFoundWrong)) {
      const bool noted = !ended->errors.starts_with(kTerminated);
      answers.given.push_back(
          {pod, std::move(ended->output), noted ? FirstLine(ended->errors) : ""});
    } else if (ran && ended->errors.find(kNoRecord) != std::string::npos) {
      answers.without_record.push_back(pod.Print() + ": " + FirstLine(ended->errors));
    } else {
      answers.problems.push_back(pod.Print() + (ran ? " has no answer: " : " was not reached: ") +
                                 FirstLine(ended->errors));
    }
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
