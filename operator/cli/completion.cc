#include "operator/cli/completion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace ballast::cli {
namespace {

// Each asks `ballast __complete -- WORDS`, which prints a candidate a line, with a tab and its
// help, or ":files" where the shell knows better.
constexpr std::string_view kBash = R"sh(# bash completion for ballast: . <(ballast completion bash)
_ballast() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ballast ballast
)sh";

constexpr std::string_view kZsh = R"sh(#compdef ballast
# zsh completion for ballast: . <(ballast completion zsh), or in a file _ballast in $fpath
_ballast() {
  local line text
  local -a found
  local -i files=0
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      text=${line%%$'\t'*}
      found+=("${text//:/\\:}:${line#*$'\t'}")
    fi
  done < <("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then
    _describe ballast found
  fi
  if (( files )); then
    _files
  fi
}
if [[ ${funcstack[1]} == _ballast ]]; then
  _ballast "$@"
else
  compdef _ballast ballast
fi
)sh";

constexpr std::string_view kFish =
    R"sh(# fish completion for ballast: ballast completion fish | source
function __ballast_complete
    set -l before (commandline -opc)
    set -l last (commandline -ct)
    for line in ($before[1] __complete -- $before[2..-1] "$last" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$last"
        else
            echo $line
        end
    end
end
complete -c ballast -f -a '(__ballast_complete)'
)sh";

// The next one that has no value yet.
std::optional<flags::Option> FindPositional(const flags::Command& command, std::size_t position) {
  for (const flags::Option& option : command.options()) {
    if (option.IsArgument()) {
      if (position < option.most_values()) {
        return option;
      }
      position -= option.most_values();
    }
  }
  return std::nullopt;
}

// An argument, taken apart.
struct Argument {
  std::optional<flags::Option> option;  // absent: a positional one, or there is no such option
  std::optional<std::string> value;     // absent: the option has none yet
  bool positional = false;

  bool waits() const { return option && option->most_values() > 0 && !value; }
};

// "--name=value", "--name", "-n", "-nvalue", or "-An" with the flag -A.
Argument ParseOption(const flags::Command& command, const std::string& word) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    Argument argument{command.FindOption(word.substr(0, equals)), {}};
    if (equals != std::string::npos) {
      argument.value = word.substr(equals + 1);
    }
    return argument;
  }
  Argument argument;
  for (std::size_t i = 1; i < word.size(); ++i) {
    argument = {command.FindOption(std::string("-") + word[i]), {}};
    if (argument.waits() && i + 1 < word.size()) {
      argument.value = word.substr(i + (word[i + 1] == '=' ? 2 : 1));
    }
    if (!argument.option || argument.value) {
      break;
    }
  }
  return argument;
}

bool LooksLikeOption(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::vector<Argument> Parse(const flags::Command& command, const std::vector<std::string>& words) {
  std::vector<Argument> arguments;
  for (const std::string& word : words) {
    const bool waits = !arguments.empty() && arguments.back().waits();
    if (waits && word == "=") {
      continue;  // bash takes "--store=x" apart
    }
    if (waits) {
      arguments.back().value = word;
    } else if (LooksLikeOption(word)) {
      arguments.push_back(ParseOption(command, word));
    } else {
      arguments.push_back({.value = word, .positional = true});
    }
  }
  return arguments;
}

void Add(const std::string& text, const std::string& help, Completion& completion) {
  if (text.starts_with(completion.word)) {
    completion.candidates.push_back({completion.prefix + text, help});
  }
}

void AddSubcommands(const flags::Command& program, Completion& completion) {
  for (const auto& command : program.subcommands()) {
    if (!command->hidden()) {
      Add(command->name(), command->description(), completion);
    }
  }
}

void AddOptions(const flags::Command& command, Completion& completion) {
  for (const flags::Option& option : command.options()) {
    for (const std::string& name : option.long_names()) {
      Add("--" + name, option.help(), completion);
    }
  }
}

// What options and arguments of these names want.
constexpr std::array<std::pair<const char*, Wanted>, 7> kWants = {{
    {"NAME", Wanted::kAutoscaler},
    {"OVERRIDE", Wanted::kOverride},
    {"--namespace", Wanted::kNamespace},
    {"--store", Wanted::kFile},
    {"--kubeconfig", Wanted::kFile},
    {"--filename", Wanted::kFile},
    {"FILE", Wanted::kFile},
}};

// One of the choices "a|b|c", or what the name of the option or argument tells.
void AddValues(const flags::Option& option, Completion& completion) {
  const std::string& choices = option.shown_values();
  for (std::size_t begin = 0; begin < choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    Add(choices.substr(begin, end - begin), "", completion);
    begin = end + 1;
  }
  for (const auto& [part, wanted] : kWants) {
    if (option.HasName(part)) {
      completion.wanted = wanted;
    }
  }
}

}  // namespace

Completion Complete(const flags::Command& program, const std::vector<std::string>& words) {
  Completion completion;
  completion.word = words.empty() ? "" : words.back();
  if (words.size() <= 1 || (words.size() == 2 && words.front() == "help")) {
    LooksLikeOption(completion.word) ? AddOptions(program, completion)
                                     : AddSubcommands(program, completion);
    return completion;
  }
  const auto found = std::ranges::find(program.subcommands(), words.front(),
                                       [](const auto& one) { return one->name(); });
  if (found == program.subcommands().end()) {
    return completion;
  }
  const flags::Command& command = **found;
  completion.command = &command;
  completion.arguments.assign(words.begin() + 1, words.end() - 1);
  const std::vector<Argument> arguments = Parse(command, completion.arguments);
  if (!arguments.empty() && arguments.back().waits()) {
    if (completion.word == "=") {
      completion.word.clear();
    }
    AddValues(*arguments.back().option, completion);
  } else if (LooksLikeOption(completion.word) || completion.word == "-") {
    const Argument last = ParseOption(command, completion.word);
    if (last.option && last.value) {
      completion.word = *last.value;
      completion.prefix = words.back().substr(0, words.back().size() - last.value->size());
      AddValues(*last.option, completion);
    } else {
      AddOptions(command, completion);
    }
  } else {
    const auto positionals = std::ranges::count(arguments, true, &Argument::positional);
    if (const auto next = FindPositional(command, static_cast<std::size_t>(positionals))) {
      AddValues(*next, completion);
    }
  }
  return completion;
}

std::vector<std::string> ValuesOf(const flags::Command& command,
                                  const std::vector<std::string>& arguments,
                                  const std::string& option) {
  const auto wanted = command.FindOption(option);
  std::vector<std::string> values;
  for (const Argument& argument : Parse(command, arguments)) {
    if (argument.option && argument.option == wanted && argument.value) {
      values.push_back(*argument.value);
    }
  }
  return values;
}

std::string ValueOf(const flags::Command& command, const std::vector<std::string>& arguments,
                    const std::string& option) {
  const auto values = ValuesOf(command, arguments, option);
  return values.empty() ? "" : values.back();
}

std::string_view CompletionScript(std::string_view shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

}  // namespace ballast::cli
