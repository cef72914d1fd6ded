#include "api/json/json_split.h"

#include <string>

namespace ballast::json {
namespace {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  // Skips white space and then `c`, if it is next.
  bool Take(char c) {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  // A string with its quotes; empty if there is none.
  std::string_view String() {
    SkipSpace();
    const std::size_t begin = at_;
    if (at_ == text_.size() || text_[at_] != '"' || !SkipString()) {
      return {};
    }
    return text_.substr(begin, at_ - begin);
  }
  // Any value up to its end; empty if there is none or the text ends within it.
  std::string_view Value() {
    SkipSpace();
    const std::size_t begin = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      switch (text_[at_]) {
        case '"':
          if (!SkipString()) {
            return {};
          }
          break;
        case '{':
        case '[':
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          if (depth == 0) {  // the end of the enclosing object or array
            return text_.substr(begin, at_ - begin);
          }
          --depth;
          ++at_;
          break;
        case ',':
        case ':':
          if (depth == 0) {
            return {};
          }
          ++at_;
          break;
        default:
          SkipScalar();
      }
      if (depth == 0) {
        return text_.substr(begin, at_ - begin);
      }
    }
    return {};
  }

  Error Fail(const char* problem) const {
    return {Code::kInvalid, "not JSON: at byte " + std::to_string(at_) + ": " + problem};
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  static bool IsMark(char c) {
    return c == '"' || c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}';
  }

  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) {
      ++at_;
    }
  }
  // From an opening quote to after the closing one, which is the first that an even number of
  // backslashes precedes.
  bool SkipString() {
    const std::size_t begin = at_ + 1;
    for (std::size_t end = text_.find('"', begin); end != std::string_view::npos;
         end = text_.find('"', end + 1)) {
      const std::string_view inside = text_.substr(begin, end - begin);
      const std::size_t last = inside.find_last_not_of('\\');
      const std::size_t plain = last == std::string_view::npos ? 0 : last + 1;
      if ((inside.size() - plain) % 2 == 0) {
        at_ = end + 1;
        return true;
      }
    }
    at_ = text_.size();
    return false;
  }
  // A number or a literal, or the white space between the parts of a nested value.
  void SkipScalar() {
    const bool space = IsSpace(text_[at_]);
    do {
      ++at_;
    } while (at_ < text_.size() && IsSpace(text_[at_]) == space && !IsMark(text_[at_]));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

// Reads everything between `open` and `close`, separated by commas; `part` reads one.
template <typename Part>
Status Split(std::string_view text, char open, char close, Part part) {
  JsonScanner scanner(text);
  if (!scanner.Take(open)) {
    return scanner.Fail(open == '{' ? "expected an object" : "expected an array");
  }
  if (!scanner.Take(close)) {
    do {
      TRY(part(scanner));
    } while (scanner.Take(','));
    if (!scanner.Take(close)) {
      return scanner.Fail(open == '{' ? "missing a comma or '}'" : "missing a comma or ']'");
    }
  }
  return scanner.AtEnd() ? Status(Done{}) : scanner.Fail("something behind the end");
}

}  // namespace

Result<std::vector<MemberText>> SplitObject(std::string_view text) {
  std::vector<MemberText> members;
  TRY(Split(text, '{', '}', [&](JsonScanner& scanner) -> Status {
    const std::string_view name = scanner.String();
    if (name.empty() || !scanner.Take(':')) {
      return scanner.Fail("expected a name and a colon");
    }
    const std::string_view value = scanner.Value();
    if (value.empty()) {
      return scanner.Fail("expected a value");
    }
    members.push_back({name.substr(1, name.size() - 2), value});
    return Done{};
  }));
  return members;
}

Result<std::vector<std::string_view>> SplitArray(std::string_view text) {
  std::vector<std::string_view> elements;
  TRY(Split(text, '[', ']', [&](JsonScanner& scanner) -> Status {
    const std::string_view value = scanner.Value();
    if (value.empty()) {
      return scanner.Fail("expected a value");
    }
    elements.push_back(value);
    return Done{};
  }));
  return elements;
}

Result<std::vector<std::string_view>> SplitStream(std::string_view text) {
  std::vector<std::string_view> objects;
  for (JsonScanner scanner(text); !scanner.AtEnd();) {
    const std::string_view value = scanner.Value();
    if (!value.starts_with('{')) {
      return scanner.Fail("expected an object");
    }
    objects.push_back(value);
  }
  return objects;
}

std::string_view Find(const std::vector<MemberText>& members, std::string_view name) {
  for (const MemberText& member : members) {
    if (member.name == name) {
      return member.value;
    }
  }
  return {};
}

}  // namespace ballast::json
