#include "api/kubernetes/label_selector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

namespace {

using Operator = Selector::Operator;
using Requirement = Selector::Requirement;

Error Invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

std::optional<std::int64_t> ToInteger(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

std::string InvalidValue(const std::string& path, const std::string& value,
                         const std::string& detail) {
  return path + ": Invalid value: " + value + ": " + detail;
}

std::string PrintList(const std::vector<std::string>& values) {
  if (values.empty()) {
    return "null";
  }
  json::Writer out;
  out.Array([&] {
    for (const std::string& value : values) {
      out.Value(value);
    }
  });
  return out.Take();
}

// Checks as upstream's NewRequirement does and reports all complaints at once.
Result<Requirement> MakeRequirement(std::string key, Operator op, std::vector<std::string> values) {
  std::vector<std::string> complaints;
  if (const Complaints wrong = CheckLabelKey(key); !wrong.empty()) {
    complaints.push_back(InvalidValue("key", Quote(key), Join(wrong, "; ")));
  }
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (values.empty()) {
        complaints.push_back(InvalidValue(
            "values", PrintList(values), "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kNotEquals:
      break;  // the parsers give exactly one value
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!values.empty()) {
        complaints.push_back(InvalidValue(
            "values", PrintList(values), "values set must be empty for exists and does not exist"));
      }
      break;
    case Operator::kGreater:
    case Operator::kLess:
      if (!ToInteger(values.front())) {
        complaints.push_back(
            InvalidValue("values[0]", Quote(values.front()),
                         "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const Complaints wrong = CheckLabelValue(values[i]); !wrong.empty()) {
      complaints.push_back(InvalidValue("values[" + std::to_string(i) + "][" + key + "]",
                                        Quote(values[i]), Join(wrong, "; ")));
    }
  }
  if (complaints.size() == 1) {
    return Invalid(complaints.front());
  }
  if (!complaints.empty()) {
    return Invalid("[" + Join(complaints, ", ") + "]");
  }
  return Requirement{std::move(key), op, std::move(values)};
}

void SortByKey(std::vector<Requirement>& requirements) {
  const auto before = [](const Requirement& a, const Requirement& b) { return a.key < b.key; };
  if (!std::is_sorted(requirements.begin(), requirements.end(), before)) {
    std::stable_sort(requirements.begin(), requirements.end(), before);  // allocates
  }
}

enum class Token {
  kError,
  kEnd,
  kClose,
  kComma,
  kNot,
  kDoubleEquals,
  kEquals,
  kGreater,
  kIdentifier,
  kIn,
  kLess,
  kNotEquals,
  kNotIn,
  kOpen,
};

struct Lexeme {
  Token token = Token::kEnd;
  std::string text;
};

std::optional<Token> FindToken(std::string_view text) {
  static constexpr struct {
    std::string_view text;
    Token token;
  } kTokens[] = {{")", Token::kClose},         {",", Token::kComma},  {"!", Token::kNot},
                 {"==", Token::kDoubleEquals}, {"=", Token::kEquals}, {">", Token::kGreater},
                 {"in", Token::kIn},           {"<", Token::kLess},   {"!=", Token::kNotEquals},
                 {"notin", Token::kNotIn},     {"(", Token::kOpen}};
  for (const auto& candidate : kTokens) {
    if (candidate.text == text) {
      return candidate.token;
    }
  }
  return std::nullopt;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

// A NUL ends the text, as in upstream's lexer.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text.substr(0, text.find('\0'))) {}

  Lexeme Next() {
    while (!text_.empty() && IsSpace(text_.front())) {
      text_.remove_prefix(1);
    }
    if (text_.empty()) {
      return {Token::kEnd, ""};
    }
    return IsSymbol(text_.front()) ? Symbol() : Word();
  }

 private:
  Lexeme Word() {
    std::size_t size = 0;
    while (size < text_.size() && !IsSpace(text_[size]) && !IsSymbol(text_[size])) {
      ++size;
    }
    std::string word(text_.substr(0, size));
    text_.remove_prefix(size);
    const Token token = FindToken(word).value_or(Token::kIdentifier);
    return {token, std::move(word)};
  }
  // The longest run of symbols that is a token; every single symbol is a token.
  Lexeme Symbol() {
    const std::size_t size = text_.size() > 1 && FindToken(text_.substr(0, 2)) ? 2 : 1;
    Lexeme lexeme{*FindToken(text_.substr(0, size)), std::string(text_.substr(0, size))};
    text_.remove_prefix(size);
    return lexeme;
  }

  std::string_view text_;
};

// The grammar of pkg/labels. The names in error messages are upstream's.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), next_(lexer_.Next()) {}

  Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    if (Peek() == Token::kEnd) {
      return requirements;
    }
    for (;;) {
      if (Peek() != Token::kIdentifier && Peek() != Token::kNot) {
        return Found(next_.text, ", expected: !, identifier, or 'end of string'");
      }
      auto requirement = ParseRequirement();
      if (!requirement.ok()) {
        return requirement.error().In("unable to parse requirement");
      }
      requirements.push_back(std::move(requirement).value());
      const Lexeme separator = Take();
      if (separator.token == Token::kEnd) {
        return requirements;
      }
      if (separator.token != Token::kComma) {
        return Found(separator.text, ", expected: ',' or 'end of string'");
      }
      if (Peek() != Token::kIdentifier && Peek() != Token::kNot) {
        return Found(next_.text, ", expected: identifier after ','");
      }
    }
  }

 private:
  // "in" and "notin" are ordinary words except where an operator is expected.
  static Token AsWord(Token token) {
    return token == Token::kIn || token == Token::kNotIn ? Token::kIdentifier : token;
  }
  Token Peek() const { return AsWord(next_.token); }
  Lexeme TakeOperator() { return std::exchange(next_, lexer_.Next()); }
  Lexeme Take() {
    Lexeme lexeme = TakeOperator();
    lexeme.token = AsWord(lexeme.token);
    return lexeme;
  }
  static Error Found(const std::string& what, const std::string& expected) {
    return Invalid("found '" + what + "'" + expected);
  }

  Result<Requirement> ParseRequirement() {
    Lexeme key = Take();
    const bool negated = key.token == Token::kNot;
    if (negated) {
      key = Take();
    }
    if (key.token != Token::kIdentifier) {
      return Found(key.text, ", expected: identifier");
    }
    if (const Complaints wrong = CheckLabelKey(key.text); !wrong.empty()) {
      return Invalid(InvalidValue("<nil>", Quote(key.text), Join(wrong, "; ")));
    }
    if (negated) {
      return MakeRequirement(std::move(key.text), Operator::kDoesNotExist, {});
    }
    if (Peek() == Token::kEnd || Peek() == Token::kComma) {
      return MakeRequirement(std::move(key.text), Operator::kExists, {});
    }
    ASSIGN_OR_RETURN(const Operator op, ParseOperator());
    if (op == Operator::kIn || op == Operator::kNotIn) {
      ASSIGN_OR_RETURN(const std::set<std::string> values, ParseValues());
      return MakeRequirement(std::move(key.text), op, {values.begin(), values.end()});
    }
    ASSIGN_OR_RETURN(std::string value, ParseExactValue());
    return MakeRequirement(std::move(key.text), op, {std::move(value)});
  }

  Result<Operator> ParseOperator() {
    const Lexeme lexeme = TakeOperator();
    switch (lexeme.token) {
      case Token::kIn:
        return Operator::kIn;
      case Token::kNotIn:
        return Operator::kNotIn;
      case Token::kEquals:
        return Operator::kEquals;
      case Token::kDoubleEquals:
        return Operator::kDoubleEquals;
      case Token::kNotEquals:
        return Operator::kNotEquals;
      case Token::kGreater:
        return Operator::kGreater;
      case Token::kLess:
        return Operator::kLess;
      default:
        return Found(lexeme.text, ", expected: in, notin, =, ==, !=, gt, lt");
    }
  }

  // "(a,b)"; a missing name between commas or parentheses is the empty string.
  Result<std::set<std::string>> ParseValues() {
    if (const Lexeme open = Take(); open.token != Token::kOpen) {
      return Found(open.text, " expected: '('");
    }
    std::set<std::string> values;
    switch (Peek()) {
      case Token::kClose:
        values.insert("");
        break;
      case Token::kIdentifier:
      case Token::kComma: {
        ASSIGN_OR_RETURN(values, ParseNames());
        break;
      }
      default:
        return Found(next_.text, ", expected: ',', ')' or identifier");
    }
    Take();  // the closing parenthesis
    return values;
  }

  Result<std::set<std::string>> ParseNames() {
    std::set<std::string> names;
    for (;;) {
      Lexeme lexeme = Take();
      if (lexeme.token == Token::kIdentifier) {
        names.insert(std::move(lexeme.text));
        if (Peek() == Token::kClose) {
          return names;
        }
        if (Peek() != Token::kComma) {
          return Found(next_.text, ", expected: ',' or ')'");
        }
      } else if (lexeme.token == Token::kComma) {
        if (names.empty() || Peek() == Token::kComma || Peek() == Token::kClose) {
          names.insert("");
        }
        if (Peek() == Token::kClose) {
          return names;
        }
      } else {
        return Found(lexeme.text, ", expected: ',', or identifier");
      }
    }
  }

  Result<std::string> ParseExactValue() {
    if (Peek() == Token::kEnd || Peek() == Token::kComma) {
      return std::string();
    }
    Lexeme lexeme = Take();
    if (lexeme.token != Token::kIdentifier) {
      return Found(lexeme.text, ", expected: identifier");
    }
    return std::move(lexeme.text);
  }

  Lexer lexer_;
  Lexeme next_;
};

bool MatchesOne(const Requirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  const auto has_value = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), label->second) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals:
      return exists && has_value();
    case Operator::kNotIn:
    case Operator::kNotEquals:
      return !exists || !has_value();
    case Operator::kExists:
      return exists;
    case Operator::kDoesNotExist:
      return !exists;
    case Operator::kGreater:
    case Operator::kLess: {
      const auto have = exists ? ToInteger(label->second) : std::nullopt;
      const auto bound = ToInteger(requirement.values.front());
      return have && bound &&
             (requirement.op == Operator::kGreater ? *have > *bound : *have < *bound);
    }
  }
  return false;
}

const char* Symbol(Operator op) {
  switch (op) {
    case Operator::kEquals:
      return "=";
    case Operator::kDoubleEquals:
      return "==";
    case Operator::kNotEquals:
      return "!=";
    case Operator::kIn:
      return " in ";
    case Operator::kNotIn:
      return " notin ";
    case Operator::kGreater:
      return ">";
    case Operator::kLess:
      return "<";
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return "";
  }
  return "";
}

std::string PrintOne(const Requirement& requirement) {
  const bool is_set = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
  std::vector<std::string> values = requirement.values;
  std::sort(values.begin(), values.end());
  return (requirement.op == Operator::kDoesNotExist ? "!" : "") + requirement.key +
         Symbol(requirement.op) + (is_set ? "(" : "") + Join(values, ",") + (is_set ? ")" : "");
}

}  // namespace

void Decode(const json::Cursor& in, LabelSelector& out) {
  Decode(in.Member("matchLabels"), out.match_labels);
  Decode(in.Member("matchExpressions"), out.match_expressions);
}

void Decode(const json::Cursor& in, LabelSelectorRequirement& out) {
  in.Member("key").Read(out.key);
  in.Member("operator").Read(out.operator_);
  Decode(in.Member("values"), out.values);
}

void Encode(json::Writer& out, const LabelSelector& selector) {
  out.Object([&] {
    if (!selector.match_labels.empty()) {
      out.Key("matchLabels");
      Encode(out, selector.match_labels);
    }
    if (selector.match_expressions.empty()) {
      return;
    }
    out.Array("matchExpressions", [&] {
      for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
        out.Object([&] {
          out.Field("key", requirement.key);
          out.Field("operator", requirement.operator_);
          if (!requirement.values.empty()) {
            out.Array("values", [&] {
              for (const std::string& value : requirement.values) {
                out.Value(value);
              }
            });
          }
        });
      }
    });
  });
}

std::string GoString(const LabelSelector& selector) {
  std::string out = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : selector.match_labels) {
    out.append(key).append(": ").append(value).append(",");
  }
  out += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
    out += "LabelSelectorRequirement{Key:" + requirement.key +
           ",Operator:" + requirement.operator_ + ",Values:[" + Join(requirement.values, " ") +
           "],},";
  }
  return out + "},}";
}

bool Selector::Matches(const Labels& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& r) { return MatchesOne(r, labels); });
}

std::string Selector::Print() const {
  std::vector<std::string> parts;
  for (const Requirement& requirement : requirements_) {
    parts.push_back(PrintOne(requirement));
  }
  return Join(parts, ",");
}

Result<Selector> ParseSelector(std::string_view text) {
  Selector selector;
  ASSIGN_OR_RETURN(selector.requirements_, Parser(text).Parse());
  SortByKey(selector.requirements_);
  return selector;
}

Result<Selector> ToSelector(const LabelSelector& selector) {
  Selector out;
  for (const auto& [key, value] : selector.match_labels) {
    ASSIGN_OR_RETURN(Requirement requirement, MakeRequirement(key, Operator::kEquals, {value}));
    out.requirements_.push_back(std::move(requirement));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    static constexpr struct {
      std::string_view name;
      Operator op;
    } kOperators[] = {{"In", Operator::kIn},
                      {"NotIn", Operator::kNotIn},
                      {"Exists", Operator::kExists},
                      {"DoesNotExist", Operator::kDoesNotExist}};
    const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                    [&](const auto& o) { return o.name == expression.operator_; });
    if (found == std::end(kOperators)) {
      return Invalid(Quote(expression.operator_) + " is not a valid label selector operator");
    }
    ASSIGN_OR_RETURN(Requirement requirement,
                     MakeRequirement(expression.key, found->op, expression.values));
    out.requirements_.push_back(std::move(requirement));
  }
  SortByKey(out.requirements_);
  return out;
}

}  // namespace ballast::api
