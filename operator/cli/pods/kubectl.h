// The caller's `kubectl`, with its kubeconfig and rights.
//
// Thread-safety: any thread.
// Errors: kNotFound: there is no kubectl; kUnavailable: it does not end, or failed, with what it
// says; kInvalid: it printed too much.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/kubectl_flags.h"
#include "operator/os/subprocess.h"

namespace ballast::cli {

// Runs it, for a minute at most. Whatever its exit status, that is no error.
Result<os::Ended> RunKubectl(const KubectlFlags& flags, std::vector<std::string> words,
                             bool interactive = false);

// What it prints if it succeeds. At a terminal it may ask for a password, say, which its plugins
// for credentials remember for the calls that follow; then it says there itself what is wrong.
Result<std::string> KubectlOutput(const KubectlFlags& flags, std::vector<std::string> words);

// The first line of what a program printed, as a terminal may have it; lines of kubectl's own log
// count only if there is nothing else.
std::string FirstLine(std::string_view text);

}  // namespace ballast::cli
