#include "operator/flags/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <type_traits>

#include "api/base/digit.h"
#include "api/base/lower.h"
#include "api/base/near_names.h"

namespace ballast::flags {
namespace {

// Help as kubectl's: without the types of arguments, which options exclude each other, and what a
// flag's other name sets.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    return CLI::detail::find_and_replace(help, "\n\n\n", "\n\n");
  }

  std::string make_option_name(const CLI::Option* option, bool is_argument) const override {
    const std::string name = CLI::Formatter::make_option_name(option, is_argument);
    return name.substr(0, name.find('{'));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) {
      return option->get_option_text().empty() ? "" : " " + option->get_option_text();
    }
    std::string text = option->get_option_text();
    if (text.empty() && option->get_type_size() != 0) {
      text = option->get_type_name();
    }
    if (!option->get_default_str().empty()) {
      text += "=" + option->get_default_str();
    }
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) {
      text += " ...";
    }
    if (option->get_required()) {
      text += " (required)";
    }
    return text.empty() ? text : " " + text;
  }

  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name =
        make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }
};

// "; did you mean yaml?"
std::string NoneOf(const std::string& value, const std::vector<std::string>& known) {
  return value + " is none of " + CLI::detail::join(known, ", ") + DidYouMean(value, known);
}

std::string FullName(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : app.get_parent()->get_name() + " ") + app.get_name();
}

// What is wrong with the first word that looks like an option, else the first of the others that
// the command has no place for, with those that may have been meant. Empty: there is none.
std::string UnknownWord(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  const auto word = std::ranges::find_if(
      words, [](const std::string& each) { return each.size() > 1 && each.starts_with('-'); });
  if (word == words.end()) {
    return words.empty() ? "" : FullName(app) + " has no argument for \"" + words.front() + "\"";
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) {
      std::ranges::transform(option->get_lnames(), std::back_inserter(known),
                             [](const std::string& name) { return "--" + name; });
    }
  }
  const std::string given = word->substr(0, word->find('='));
  return FullName(app) + " has no " + given + DidYouMean(given, std::move(known));
}

template <typename Number>
CLI::Option* CheckRange(CLI::Option& option, Number least, Number most) {
  std::ostringstream range;
  range << least << ".." << most;
  return option.check(CLI::Range(least, most).description(""))->type_name(range.str());
}

// CLI11 says "Could not convert".
template <typename Number>
std::string CheckNumber(const std::string& value) {
  Number number{};
  if (CLI::detail::lexical_cast(value, number) || value.starts_with('-')) {
    return "";
  }
  return value + (IsAllDigits(value)           ? " is too great"
                  : std::is_integral_v<Number> ? " is not a whole number"
                                               : " is not a number");
}

// What CLI11 says of the last option of a line, or another's without its value: "--for: 1 required
// TEXT missing".
std::string InPlainWords(const std::string& problem) {
  const std::size_t colon = problem.find(": ");
  const bool misses = colon != std::string::npos && problem.find(" missing\n") != std::string::npos;
  return misses ? problem.substr(0, colon) + ": a value is missing" + kSeeHelp : problem;
}

// The values of an option that takes numbers, else void.
template <typename Target>
struct NumberOf {
  using Type = std::conditional_t<std::is_arithmetic_v<Target>, Target, void>;
};
template <typename Target>
struct NumberOf<std::optional<Target>> : NumberOf<Target> {};

template <typename Value>
Option AddParsedOf(CLI::App& app, const std::string& names,
                   std::function<Status(const Value&)> parse, const std::string& help) {
  return Option(app.add_option_function<Value>(
      names,
      [names, parse = std::move(parse)](const Value& value) {
        if (const Status parsed = parse(value); !parsed.ok()) {
          throw CLI::ValidationError(names, parsed.error().message);
        }
      },
      help));
}

}  // namespace

Option Option::Required() { return Option(option_->required()); }

Option Option::OneOf(const std::vector<std::string>& values) {
  const auto check = [values](const std::string& value) {
    return std::ranges::count(values, value) > 0 ? std::string() : NoneOf(value, values);
  };
  return Option(option_->check(check)).ShowValues(CLI::detail::join(values, "|"));
}

Option Option::Between(int least, int most) { return Option(CheckRange(*option_, least, most)); }

Option Option::Between(double least, double most) {
  return Option(CheckRange(*option_, least, most));
}

Option Option::NotNegative() {
  // CLI11's own check names the greatest number that there is.
  const auto check = [](const std::string& value) {
    return value.starts_with('-') ? value + " is negative" : std::string();
  };
  return Option(option_->check(check));
}

Option Option::Takes(int least, int most) { return Option(option_->expected(least, most)); }

Option Option::OneValueEach() { return Option(option_->allow_extra_args(false)); }

Option Option::Joined(char separator) { return Option(option_->join(separator)); }

Option Option::Split(char separator) { return Option(option_->delimiter(separator)); }

Option Option::Excludes(const std::string& name) { return Option(option_->excludes(name)); }

Option Option::StandsFor(std::vector<std::pair<std::string, std::string>> names, Case letters) {
  // CLI11's own transformers print what the names stand for, and take that in their place.
  const auto replace = [names = std::move(names), letters](std::string& value) {
    std::vector<std::string> known;
    for (const auto& [name, meaning] : names) {
      if (letters == Case::kIgnored ? Lower(name) == Lower(value) : name == value) {
        value = meaning;
        return std::string();
      }
      known.push_back(name);
    }
    return NoneOf(value, known);
  };
  return Option(option_->transform(CLI::Validator(replace, "")));
}

Option Option::ShowDefault() { return Option(option_->capture_default_str()); }

Option Option::ShowDefault(const std::string& text) { return Option(option_->default_str(text)); }

Option Option::ShowType(const std::string& type) { return Option(option_->type_name(type)); }

Option Option::ShowValues(const std::string& values) {
  return Option(option_->option_text(values));
}

Option Option::Below(const std::string& heading) { return Option(option_->group(heading)); }

void Option::Hide() { option_->group(""); }

bool Option::HasName(const std::string& name) const { return option_->check_name(name); }

bool Option::IsArgument() const { return option_->get_positional(); }

const std::vector<std::string>& Option::long_names() const { return option_->get_lnames(); }

const std::string& Option::help() const { return option_->get_description(); }

const std::string& Option::shown_values() const { return option_->get_option_text(); }

std::size_t Option::most_values() const {
  return static_cast<std::size_t>(option_->get_items_expected_max());
}

Command::Command(const std::string& name, const std::string& description)
    : Command(std::make_shared<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<HelpFormat>());
}

Command::Command(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

Command::~Command() = default;

Command& Command::AddSubcommand(const std::string& name, const std::string& description) {
  CLI::App* const added = app_->add_subcommand(name, description)->group(heading_);
  subcommands_.emplace_back(new Command(app_->get_subcommand_ptr(added)));
  return *subcommands_.back();
}

void Command::BeginHeading(const std::string& heading) { heading_ = heading; }

void Command::RequireSubcommand() { app_->require_subcommand(1); }

void Command::AddVersion(const std::string& text) { app_->set_version_flag("--version", text); }

void Command::Hide() { app_->group(""); }

void Command::OnRun(std::function<void()> run) { app_->callback(std::move(run)); }

void Command::OnCheck(std::function<Status()> check) {
  checks_.push_back(std::move(check));
  app_->parse_complete_callback([this] {
    for (const auto& asked : checks_) {
      if (const Status checked = asked(); !checked.ok()) {
        throw CLI::ValidationError(checked.error().message);
      }
    }
  });
}

template <typename Target>
Option Command::AddOption(const std::string& names, Target& target, const std::string& help) {
  CLI::Option* const option = app_->add_option(names, target, help);
  using Number = typename NumberOf<Target>::Type;
  if constexpr (!std::is_void_v<Number>) {
    option->check(CheckNumber<Number>);
  }
  return Option(option);
}

template Option Command::AddOption(const std::string&, std::string&, const std::string&);
template Option Command::AddOption(const std::string&, std::vector<std::string>&,
                                   const std::string&);
template Option Command::AddOption(const std::string&, std::int32_t&, const std::string&);
template Option Command::AddOption(const std::string&, std::uint64_t&, const std::string&);
template Option Command::AddOption(const std::string&, double&, const std::string&);
template Option Command::AddOption(const std::string&, std::optional<std::int64_t>&,
                                   const std::string&);

Option Command::AddParsed(const std::string& names, std::function<Status(const std::string&)> parse,
                          const std::string& help) {
  return AddParsedOf(*app_, names, std::move(parse), help);
}

Option Command::AddParsed(const std::string& names,
                          std::function<Status(const std::vector<std::string>&)> parse,
                          const std::string& help) {
  return AddParsedOf(*app_, names, std::move(parse), help);
}

Option Command::AddFlag(const std::string& names, bool& target, const std::string& help) {
  return Option(app_->add_flag(names, target, help));
}

Option Command::AddFlag(const std::string& names, std::function<void()> given,
                        const std::string& help) {
  return Option(app_->add_flag_callback(names, std::move(given), help));
}

Status Command::Parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // CLI11 parses from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {  // also how CLI11 ends after --help and --version
    std::ostringstream problem;
    if (app_->exit(error, std::cout, problem) != 0) {
      const auto given = app_->get_subcommands();
      const std::string unknown = UnknownWord(given.empty() ? *app_ : *given.front());
      return Error{Code::kInvalid,
                   unknown.empty() ? InPlainWords(problem.str()) : unknown + kSeeHelp};
    }
  }
  return Done{};
}

bool Command::Given(const std::string& name) const { return app_->count(name) > 0; }

std::optional<Option> Command::FindOption(const std::string& name) const {
  CLI::Option* const option = app_->get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(Option(option));
}

std::vector<Option> Command::options() const {
  std::vector<Option> options;
  for (CLI::Option* const option : app_->get_options()) {
    if (!option->get_group().empty()) {
      options.emplace_back(option);
    }
  }
  return options;
}

const std::string& Command::name() const { return app_->get_name(); }

std::string Command::description() const { return app_->get_description(); }

bool Command::hidden() const { return app_->get_group().empty(); }

}  // namespace ballast::flags
