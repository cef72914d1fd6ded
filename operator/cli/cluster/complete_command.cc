#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/cluster/autoscalers.h"
#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/commands.h"
#include "operator/cli/completion.h"
#include "operator/cli/pods/pod_options.h"
#include "store/sqlite/files.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

constexpr unsigned kMostSeconds = 3;

// An autoscaler that may be meant.
struct PossibleAutoscaler {
  std::string kind;
  api::ObjectKey key;
};

// Those that the ledgers know.
Result<std::vector<PossibleAutoscaler>> ReadLedgers(const std::vector<std::string>& paths) {
  std::vector<PossibleAutoscaler> named;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(path));
    ASSIGN_OR_RETURN(const auto subjects, reader->Subjects());
    for (const store::Subject& subject : subjects) {
      named.push_back({subject.kind, subject.key});
    }
  }
  return named;
}

Result<ClusterConnection> ConnectFor(const Completion& completion, const std::string& namespace_) {
  const auto value = [&](const char* option) {
    return ValueOf(*completion.command, completion.arguments, option);
  };
  return Connect({FlagsFrom(value), namespace_}, [](const std::string&) {});
}

// Those of the cluster: of `namespace_`, else the context's, or of all if a namespace is wanted.
Result<std::vector<PossibleAutoscaler>> ReadCluster(const Completion& completion,
                                                    std::string& namespace_) {
  ASSIGN_OR_RETURN(auto connection, ConnectFor(completion, namespace_));
  namespace_ = connection.namespace_;
  const FoundAutoscalers found =
      ListAutoscalers(connection.client, completion.wanted == Wanted::kNamespace ? "" : namespace_);
  std::vector<PossibleAutoscaler> named;
  for (const api::Autoscaler& autoscaler : found.all) {
    named.push_back({autoscaler.kind, autoscaler.key()});
  }
  return named;
}

// Those that the command can be about.
Result<std::vector<PossibleAutoscaler>> ReadNames(const Completion& completion,
                                                  std::string& namespace_) {
  const auto value = [&](const char* option) {
    return ValueOf(*completion.command, completion.arguments, option);
  };
  const bool asks = completion.command->FindOption("--kubeconfig").has_value();
  if (completion.command->FindOption("--store")) {
    const auto stores = ValuesOf(*completion.command, completion.arguments, "--store");
    const PodOptions pods = {FlagsFrom(value), value("--ballast-namespace"),
                             value("--ballast-statefulset")};
    if (!stores.empty()) {
      return ReadLedgers(stores);
    }
    if (!asks || ReadsDefaultFile(pods)) {
      return ReadLedgers({store::kDefaultPath});
    }
  }
  return asks ? ReadCluster(completion, namespace_) : std::vector<PossibleAutoscaler>();
}

// Adds the names, or namespaces, that begin with the word: "asp/web" where the namespace is known,
// else "shop/web".
void AddNames(Completion& completion) {
  const flags::Command& command = *completion.command;
  std::string namespace_ = ValueOf(command, completion.arguments, "--namespace");
  if (completion.wanted == Wanted::kNamespace) {
    namespace_.clear();
  }
  const auto named = ReadNames(completion, namespace_);
  if (!named.ok()) {
    return;  // a shell's prompt is no place for errors
  }
  std::map<std::string, std::string> texts;  // with their help
  for (const auto& [kind, key] : *named) {
    if (completion.wanted == Wanted::kNamespace) {
      texts.emplace(key.namespace_, "");
    } else if (namespace_.empty()) {
      texts.emplace(key.Print(), kind);
    } else if (key.namespace_ == namespace_) {
      texts.emplace((kind == api::kHpaKind ? "hpa/" : "asp/") + key.name, kind);
    }
  }
  for (const auto& [text, help] : texts) {
    if (text.starts_with(completion.word)) {
      completion.candidates.push_back({completion.prefix + text, help});
    }
  }
}

// Adds the overrides that go on, or are to come.
void AddOverrideNames(Completion& completion) {
  const auto connection =
      ConnectFor(completion, ValueOf(*completion.command, completion.arguments, "--namespace"));
  if (!connection.ok()) {
    return;
  }
  const auto all = ListOverrides(*connection->transport, connection->namespace_);
  for (std::size_t i = 0; all.ok() && i < all->size(); ++i) {
    const api::AutoScaleOverride& override = (*all)[i];
    if (!HasEnded(override, Now()) && override.metadata.name.starts_with(completion.word)) {
      completion.candidates.push_back(
          {override.metadata.name, Describe(override.spec, override.status.owner)});
    }
  }
}

}  // namespace

void AddComplete(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "__complete", "Print what may come next; for the scripts that `ballast completion` prints");
  command.Hide();  // hidden
  const auto words = std::make_shared<std::vector<std::string>>();
  const auto for_kubectl = std::make_shared<bool>(false);
  command.AddFlag("--for-kubectl", *for_kubectl, "End as kubectl expects of a plugin's completion");
  command.AddOption("WORDS", *words, "The words after the program's name, after --");
  command.OnRun([words, for_kubectl, &program, &status] {
    Completion completion = Complete(program, *words);
    // Nobody waits longer at a prompt: the program ends then, without names.
    alarm(kMostSeconds);
    if (completion.wanted == Wanted::kAutoscaler || completion.wanted == Wanted::kNamespace) {
      AddNames(completion);
    } else if (completion.wanted == Wanted::kOverride) {
      AddOverrideNames(completion);
    }
    alarm(0);
    for (const Candidate& candidate : completion.candidates) {
      std::cout << candidate.text << "\t" << candidate.help << "\n";
    }
    const bool files = completion.wanted == Wanted::kFile;
    if (*for_kubectl) {
      // The directives of github.com/spf13/cobra: the shell's own completion, and no files.
      std::cout << (files ? ":0\n" : ":4\n");
    } else if (files) {
      std::cout << ":files\n";
    }
    status = ExitStatus::kDone;
  });
}

}  // namespace ballast::cli
