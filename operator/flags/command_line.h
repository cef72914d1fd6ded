// Commands, their options and arguments: the wrapper of CLI11, which takes seconds to compile and
// is therefore seen by command_line.cc alone.
//
// Names of options are written as CLI11 takes them: "-o,--output", "FILE" for an argument without a
// name, "--trace,!--no-trace" for a flag that can be said either way. What an option sets must live
// until the command line is parsed.
//
// Thread-safety: one thread at a time.
// Errors: Parse() returns what is wrong with the command line; names that clash throw.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ballast::flags {

// Ends each message about a wrong command line.
inline constexpr const char* kSeeHelp = "\nRun with --help for more information.\n";

// Whether "OFF" is taken for "off".
enum class Case { kIgnored, kMatters };

// An option, flag or argument of a command: a handle, valid as long as the command.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  bool operator==(const Option&) const = default;

  // What makes a command line wrong: that it is not given, that its value is none of these, ...
  Option Required();
  Option OneOf(const std::vector<std::string>& values);
  // ... is not from `least` to `most`, ...
  Option Between(int least, int most);
  Option Between(double least, double most);
  // ... is negative, or that the option is given together with the one of that name, which is
  // there already.
  Option NotNegative();
  Option Excludes(const std::string& name);

  // What its values are: so many at once;
  Option Takes(int least, int most);
  // one each time it is given, so that what follows it is an argument;
  Option OneValueEach();
  // one, of all that are given, with the separator between them;
  Option Joined(char separator);
  // the parts between separators;
  Option Split(char separator);
  // what the given name, one of `names`, stands for.
  Option StandsFor(std::vector<std::pair<std::string, std::string>> names, Case letters);

  // What help shows: the default, which is what the target is now, or `text`; ...
  Option ShowDefault();
  Option ShowDefault(const std::string& text);
  // ... the type of the value; ...
  Option ShowType(const std::string& type);
  // ... all that follows the names: "text|json".
  Option ShowValues(const std::string& values);

  // Help lists it below that heading, and not below "Options".
  Option Below(const std::string& heading);
  // Leaves it out of help and completion.
  void Hide();

  // What completion asks. The names are "--output", "-o" or "FILE".
  bool HasName(const std::string& name) const;
  bool IsArgument() const;                             // it can be given without a name
  const std::vector<std::string>& long_names() const;  // without dashes
  const std::string& help() const;
  const std::string& shown_values() const;  // of ShowValues() or OneOf()
  std::size_t most_values() const;          // 0: a flag

 private:
  CLI::Option* option_;  // never null
};

// The type of the choice: Target, or T if Target is std::optional<T>.
template <typename Target>
struct ChoiceOf {
  using Type = Target;
};
template <typename Choice>
struct ChoiceOf<std::optional<Choice>> {
  using Type = Choice;
};

// A program, or one of its subcommands.
class Command {
 public:
  // Help calls the program `name`.
  explicit Command(const std::string& name = "", const std::string& description = "");
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Lives as long as this command.
  Command& AddSubcommand(const std::string& name, const std::string& description = "");
  // Help lists those that are added from here on below that heading.
  void BeginHeading(const std::string& heading);
  // One of them must be given.
  void RequireSubcommand();
  // --version, which prints `text`.
  void AddVersion(const std::string& text);
  // Leaves it out of help and completion.
  void Hide();

  // What the command does, once all is parsed.
  void OnRun(std::function<void()> run);
  // Is asked before, as are those of earlier calls; an error makes the command line wrong.
  void OnCheck(std::function<Status()> check);

  // An option that sets `target`: a std::string, std::vector<std::string> (several values),
  // std::int32_t, std::uint64_t, double or std::optional<std::int64_t>.
  template <typename Target>
  Option AddOption(const std::string& names, Target& target, const std::string& help);
  // An option whose value, or values, `parse` takes; help and errors call it `names`.
  Option AddParsed(const std::string& names, std::function<Status(const std::string&)> parse,
                   const std::string& help);
  Option AddParsed(const std::string& names,
                   std::function<Status(const std::vector<std::string>&)> parse,
                   const std::string& help);
  // An option that sets `target`, of an enumeration or std::optional of one, to what a name stands
  // for. Help shows the names, in their order.
  template <typename Target>
  Option AddChoice(
      const std::string& names, Target& target,
      const std::vector<std::pair<std::string, typename ChoiceOf<Target>::Type>>& choices,
      const std::string& help, Case letters = Case::kIgnored);
  Option AddFlag(const std::string& names, bool& target, const std::string& help);
  Option AddFlag(const std::string& names, std::function<void()> given, const std::string& help);

  // Parses the words that follow the program's name, and runs the subcommand. If they ask for help
  // or the version, prints that instead. kInvalid: they are wrong; the message has lines that say
  // why, for standard error.
  Status Parse(std::vector<std::string> words);

  // Whether the parsed words have the option of that name, which must be there.
  bool Given(const std::string& name) const;
  // Absent: there is none.
  std::optional<Option> FindOption(const std::string& name) const;
  std::vector<Option> options() const;
  // In the order of adding.
  const std::vector<std::unique_ptr<Command>>& subcommands() const { return subcommands_; }
  const std::string& name() const;
  std::string description() const;
  bool hidden() const;

 private:
  explicit Command(std::shared_ptr<CLI::App> app);

  std::shared_ptr<CLI::App> app_;  // never null; shared with that of the command above
  std::string heading_ = "Subcommands";
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::function<Status()>> checks_;
};

template <typename Target>
Option Command::AddChoice(
    const std::string& names, Target& target,
    const std::vector<std::pair<std::string, typename ChoiceOf<Target>::Type>>& choices,
    const std::string& help, Case letters) {
  std::vector<std::pair<std::string, std::string>> spelled;  // in any case, as in `choices`
  std::string shown;
  for (const auto& [name, choice] : choices) {
    spelled.emplace_back(name, name);
    shown += (shown.empty() ? "" : "|") + name;
  }
  const auto set = [&target, choices](const std::string& given) -> Status {
    for (const auto& [name, choice] : choices) {
      if (name == given) {
        target = choice;
      }
    }
    return Done{};
  };
  return AddParsed(names, set, help).StandsFor(std::move(spelled), letters).ShowValues(shown);
}

}  // namespace ballast::flags
