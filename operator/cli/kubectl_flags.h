// kubectl's flags that say which cluster, and as whom: those that each subcommand has that talks to
// a cluster, itself or through kubectl.
//
// Thread-safety: plain values; adding flags is for the main thread.
// Errors: a --request-timeout that is no duration makes the command line wrong.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operator/cli/command.h"

namespace ballast::cli {

// Empty: kubectl's default.
struct KubectlFlags {
  std::string kubeconfig;
  std::string context;
  std::string cluster;
  std::string user;
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::string request_timeout;

  // Whether one of them is given.
  bool any() const;
};

// `used`: what --kubeconfig is for, as help says it. Returns the options, for what excludes them.
std::vector<flags::Option> AddKubectlFlags(flags::Command& command, KubectlFlags& flags,
                                           const std::string& used);

// How long a request may take, a watch, too; 0: as long as it takes. nullopt: what suits each.
std::optional<std::chrono::milliseconds> RequestTimeout(const KubectlFlags& flags);

// The flags that are given, as kubectl takes them: "--context=c".
std::vector<std::string> WordsOf(const KubectlFlags& flags);

// `value`: what the flag of that name ("--context") is set to.
KubectlFlags FlagsFrom(const std::function<std::string(const char* flag)>& value);

}  // namespace ballast::cli
