#include "operator/cli/kubectl_flags.h"

#include <algorithm>
#include <array>

#include "api/base/digit.h"
#include "api/base/time.h"

namespace ballast::cli {
namespace {

struct TextFlag {
  const char* name;
  std::string KubectlFlags::*value;
  const char* help;  // of --kubeconfig its caller's
};

constexpr std::array kTextFlags = {
    TextFlag{"--kubeconfig", &KubectlFlags::kubeconfig, ""},
    TextFlag{"--context", &KubectlFlags::context,
             "The kubeconfig's context; default: its current one"},
    TextFlag{"--cluster", &KubectlFlags::cluster,
             "The kubeconfig's cluster; default: the context's"},
    TextFlag{"--user", &KubectlFlags::user, "The kubeconfig's user; default: the context's"},
    TextFlag{"--as", &KubectlFlags::as, "The user to impersonate"},
    TextFlag{"--as-uid", &KubectlFlags::as_uid, "The uid to impersonate, with --as"},
    TextFlag{
        "--request-timeout", &KubectlFlags::request_timeout,
        "How long one request may take (30s, 2m; 0: as long as it takes); default: what suits it"},
};

constexpr const char* kAsGroup = "--as-group";

// As kubectl has it: a number alone is of seconds.
Result<Duration> ParseTimeout(const std::string& text) {
  ASSIGN_OR_RETURN(const Duration span, ParseDuration(IsAllDigits(text) ? text + "s" : text));
  if (span < Duration{}) {
    return Error{Code::kInvalid, text + " is negative"};
  }
  return span;
}

}  // namespace

bool KubectlFlags::any() const {
  return !as_groups.empty() || std::ranges::any_of(kTextFlags, [this](const TextFlag& flag) {
    return !(this->*flag.value).empty();
  });
}

std::vector<flags::Option> AddKubectlFlags(flags::Command& command, KubectlFlags& flags,
                                           const std::string& used) {
  std::vector<flags::Option> options;
  for (const TextFlag& flag : kTextFlags) {
    const std::string help = *flag.help == '\0' ? used : flag.help;
    std::string& value = flags.*flag.value;
    if (flag.value != &KubectlFlags::request_timeout) {
      options.push_back(command.AddOption(flag.name, value, help));
      continue;
    }
    const auto parse = [&value](const std::string& text) -> Status {
      TRY(ParseTimeout(text));
      value = text;
      return Done{};
    };
    options.push_back(command.AddParsed(flag.name, parse, help));
  }
  options.push_back(command
                        .AddOption(kAsGroup, flags.as_groups,
                                   "A group to impersonate, with --as; may be given several times")
                        .OneValueEach());
  for (flags::Option& option : options) {
    option.Below("Flags of kubectl");
  }
  return options;
}

std::optional<std::chrono::milliseconds> RequestTimeout(const KubectlFlags& flags) {
  const auto span = ParseTimeout(flags.request_timeout);
  return span.ok() ? std::optional(std::chrono::milliseconds(span->nanoseconds / 1'000'000))
                   : std::nullopt;
}

std::vector<std::string> WordsOf(const KubectlFlags& flags) {
  std::vector<std::string> words;
  for (const TextFlag& flag : kTextFlags) {
    if (const std::string& value = flags.*flag.value; !value.empty()) {
      words.push_back(std::string(flag.name) + "=" + value);
    }
  }
  for (const std::string& group : flags.as_groups) {
    words.push_back(std::string(kAsGroup) + "=" + group);
  }
  return words;
}

KubectlFlags FlagsFrom(const std::function<std::string(const char* flag)>& value) {
  KubectlFlags flags;
  for (const TextFlag& flag : kTextFlags) {
    flags.*flag.value = value(flag.name);
  }
  if (const std::string group = value(kAsGroup); !group.empty()) {
    flags.as_groups = {group};
  }
  return flags;
}

}  // namespace ballast::cli
