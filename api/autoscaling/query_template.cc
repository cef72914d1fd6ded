#include "api/autoscaling/query_template.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "api/base/digit.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c); }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// As Go's regexp.QuoteMeta.
std::string EscapeRegex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string EscapeString(std::string_view text, char quote) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c == '\\' || c == quote ? "\\" : "";
      out += c;
    }
  }
  return out;
}

class Expansion {
 public:
  Expansion(std::string_view query, const QueryVariables& variables)
      : query_(query), variables_(variables) {}

  Result<std::string> Run() {
    while (at_ < query_.size()) {
      const char c = query_[at_];
      if (c == '$') {
        TRY(Dollar());
        continue;
      }
      if (quote_ != 0) {
        TRY(InString(c));
      } else {
        Outside(c);
      }
    }
    if (quote_ != 0) {
      return Error{Code::kInvalid, std::string("has a ") + quote_ + " that does not end"};
    }
    return std::move(out_);
  }

 private:
  void Copy() { out_ += query_[at_++]; }

  Status InString(char c) {
    Copy();
    if (c == quote_) {
      quote_ = 0;
    } else if (c == '\\' && quote_ != '`' && at_ < query_.size()) {
      if (query_[at_] == '$') {  // it would escape the first character of a value
        return Error{Code::kInvalid, "has \\$ in a string; $$ is a dollar"};
      }
      Copy();  // does not end the string
    }
    return Done{};
  }

  void Outside(char c) {
    if (c == '#') {  // a comment
      while (at_ < query_.size() && query_[at_] != '\n') {
        Copy();
      }
      return;
    }
    Copy();
    if (c == '"' || c == '\'' || c == '`') {
      quote_ = c;
      regex_ = last_ == '~' && (before_last_ == '=' || before_last_ == '!');
    }
    if (!IsSpace(c)) {
      before_last_ = std::exchange(last_, c);
    }
  }

  char Next(std::size_t offset) const {
    return at_ + offset < query_.size() ? query_[at_ + offset] : '\0';
  }

  Status Dollar() {
    if (Next(1) == '$') {
      out_ += '$';
      at_ += 2;
      return Done{};
    }
    const bool braces = Next(1) == '{';
    const std::size_t begin = at_ + (braces ? 2 : 1);
    if (begin >= query_.size() || !IsLetter(query_[begin])) {
      Copy();  // the end of a regular expression, or $1 of label_replace
      return Done{};
    }
    std::size_t end = begin;
    while (end < query_.size() && IsWordPart(query_[end])) {
      ++end;
    }
    const std::string name(query_.substr(begin, end - begin));
    if (braces && (end == query_.size() || query_[end] != '}')) {
      return Error{Code::kInvalid, "has a ${" + name + " without its }"};
    }
    at_ = end + (braces ? 1 : 0);
    return Insert(name);
  }

  Status Insert(const std::string& name) {
    std::optional<std::string_view> value;
    if (name == "namespace") {
      value = variables_.namespace_;
    } else if (name == "target") {
      value = variables_.target;
    }
    if (!value) {
      return Error{Code::kInvalid, "has a variable that there is not: $" + name +
                                       "; there are $namespace and $target, and $$ is a dollar"};
    }
    if (quote_ == 0) {
      return Error{
          Code::kInvalid,
          "has $" + name + " outside of quotes; write it as in {namespace=\"$namespace\"}"};
    }
    const std::string text = regex_ ? EscapeRegex(*value) : std::string(*value);
    if (quote_ != '`') {
      out_ += EscapeString(text, quote_);
    } else if (text.find('`') == std::string::npos) {
      out_ += text;
    } else {
      return Error{Code::kInvalid,
                   "has $" + name + " in backquotes, where " + Quote(*value) + " cannot stand"};
    }
    return Done{};
  }

  const std::string_view query_;
  const QueryVariables& variables_;
  std::size_t at_ = 0;
  std::string out_;
  char quote_ = 0;      // of the string that this is in; 0: none
  bool regex_ = false;  // whether that is a regular expression
  char last_ = 0;       // outside of strings and comments, but for spaces
  char before_last_ = 0;
};

}  // namespace

Result<std::string> ExpandQuery(std::string_view query, const QueryVariables& variables) {
  return Expansion(query, variables).Run();
}

std::string LiteralQuery(std::string_view promql) {
  std::string query;
  for (std::size_t i = 0; i < promql.size(); ++i) {
    const char next = i + 1 < promql.size() ? promql[i + 1] : '\0';
    const bool would_be_read = next == '$' || next == '{' || IsLetter(next);
    query += promql.substr(i, 1);
    if (promql[i] == '$' && would_be_read) {
      query += '$';
    }
  }
  return query;
}

Status CheckQuery(std::string_view query) {
  TRY(ExpandQuery(query, {"namespace", "target"}));
  return Done{};
}

}  // namespace ballast::api
