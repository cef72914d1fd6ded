#include "api/kubernetes/parse_selector.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

using Requirement = Selector::Requirement;

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
  std::string_view text;  // a part of the selector's
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
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    return {FindToken(word).value_or(Token::kIdentifier), word};
  }
  // The longest run of symbols that is a token; every single symbol is a token.
  Lexeme Symbol() {
    const std::size_t size = text_.size() > 1 && FindToken(text_.substr(0, 2)) ? 2 : 1;
    const std::string_view symbol = text_.substr(0, size);
    text_.remove_prefix(size);
    return {*FindToken(symbol), symbol};
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
  static Error Found(std::string_view what, const std::string& expected) {
    return Error{Code::kInvalid, "found '" + std::string(what) + "'" + expected};
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
      return Error{Code::kInvalid,
                   "<nil>: Invalid value: " + Quote(key.text) + ": " + Join(wrong, "; ")};
    }
    if (negated) {
      return MakeRequirement(std::string(key.text), SelectorOperator::kDoesNotExist, {});
    }
    if (Peek() == Token::kEnd || Peek() == Token::kComma) {
      return MakeRequirement(std::string(key.text), SelectorOperator::kExists, {});
    }
    ASSIGN_OR_RETURN(const SelectorOperator op, ParseOperator());
    if (op == SelectorOperator::kIn || op == SelectorOperator::kNotIn) {
      ASSIGN_OR_RETURN(const std::set<std::string> values, ParseValues());
      return MakeRequirement(std::string(key.text), op, {values.begin(), values.end()});
    }
    ASSIGN_OR_RETURN(std::string value, ParseExactValue());
    return MakeRequirement(std::string(key.text), op, {std::move(value)});
  }

  Result<SelectorOperator> ParseOperator() {
    const Lexeme lexeme = TakeOperator();
    switch (lexeme.token) {
      case Token::kIn:
        return SelectorOperator::kIn;
      case Token::kNotIn:
        return SelectorOperator::kNotIn;
      case Token::kEquals:
        return SelectorOperator::kEquals;
      case Token::kDoubleEquals:
        return SelectorOperator::kDoubleEquals;
      case Token::kNotEquals:
        return SelectorOperator::kNotEquals;
      case Token::kGreater:
        return SelectorOperator::kGreater;
      case Token::kLess:
        return SelectorOperator::kLess;
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
        names.emplace(lexeme.text);
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
    const Lexeme lexeme = Take();
    if (lexeme.token != Token::kIdentifier) {
      return Found(lexeme.text, ", expected: identifier");
    }
    return std::string(lexeme.text);
  }

  Lexer lexer_;
  Lexeme next_;
};

}  // namespace

Result<Selector> ParseSelector(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Requirement> requirements, Parser(text).Parse());
  return Selector(std::move(requirements));
}

}  // namespace ballast::api
