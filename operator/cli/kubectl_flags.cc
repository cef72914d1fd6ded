#include "operator/cli/kubectl_flags.h"

#include <algorithm>
#include <array>

#include "api/base/time.h"

namespace ballast::cli {
namespace {

struct Row {
  const char* name;
  std::string KubectlFlags::*value;
  const char* help;  // of --kubeconfig its caller's
};

constexpr std::array kRows = {
    Row{"--kubeconfig", &KubectlFlags::kubeconfig, ""},
    Row{"--context", &KubectlFlags::context, "The kubeconfig's context; default: its current one"},
    Row{"--cluster", &KubectlFlags::cluster, "The kubeconfig's cluster; default: the context's"},
    Row{"--user", &KubectlFlags::user, "The kubeconfig's user; default: the context's"},
    Row{"--as", &KubectlFlags::as, "The user to impersonate"},
    Row{"--request-timeout", &KubectlFlags::request_timeout,
        "How long one request may take (30s, 2m; 0: as long as it takes); default: what suits it"},
};

}  // namespace

bool KubectlFlags::any() const {
  return std::ranges::any_of(kRows, [this](const Row& row) { return !(this->*row.value).empty(); });
}

std::vector<flags::Option> AddKubectlFlags(flags::Command& command, KubectlFlags& flags,
                                           const std::string& used) {
  std::vector<flags::Option> options;
  for (const Row& row : kRows) {
    const std::string help = *row.help == '\0' ? used : row.help;
    std::string& value = flags.*row.value;
    if (row.value != &KubectlFlags::request_timeout) {
      options.push_back(command.AddOption(row.name, value, help));
      continue;
    }
    const auto parse = [&value](const std::string& text) -> Status {
      ASSIGN_OR_RETURN(const Duration span, ParseDuration(text));
      if (span < Duration{}) {
        return Error{Code::kInvalid, text + " is negative"};
      }
      value = text;
      return Done{};
    };
    options.push_back(command.AddParsed(row.name, parse, help));
  }
  return options;
}

std::vector<std::string> WordsOf(const KubectlFlags& flags) {
  std::vector<std::string> words;
  for (const Row& row : kRows) {
    if (const std::string& value = flags.*row.value; !value.empty()) {
      words.push_back(std::string(row.name) + "=" + value);
    }
  }
  return words;
}

KubectlFlags FlagsFrom(const std::function<std::string(const char* flag)>& value) {
  KubectlFlags flags;
  for (const Row& row : kRows) {
    flags.*row.value = value(row.name);
  }
  return flags;
}

}  // namespace ballast::cli
