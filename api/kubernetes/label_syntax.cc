#include "api/kubernetes/label_syntax.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/base/digit.h"

namespace ballast::api {

namespace {

constexpr std::size_t kMaxNameLength = 63;  // of a label's name or value, or a DNS label
constexpr std::size_t kMaxSubdomainLength = 253;
constexpr const char* kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";
constexpr const char* kNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr const char* kDnsPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }
bool IsDnsCharacter(char c) { return IsLower(c) || IsDigit(c); }

// The name part of a label key: alphanumeric at both ends, '-', '_' and '.' in between.
bool IsName(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsDnsCharacter(text.front()) && IsDnsCharacter(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsDnsCharacter(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

// "<rule> (e.g. 'a',  or 'b', regex used for validation is '<pattern>')", with upstream's commas.
std::string Mismatch(const std::string& rule, const std::string& pattern,
                     const std::vector<std::string>& examples) {
  std::string text = rule + " (e.g. ";
  for (std::size_t i = 0; i < examples.size(); ++i) {
    text += (i > 0 ? " or '" : "'") + examples[i] + "', ";
  }
  return text + "regex used for validation is '" + pattern + "')";
}

std::string TooLong(std::size_t limit) {
  return "must be no more than " + std::to_string(limit) + " bytes";
}

}  // namespace

Complaints CheckDns1123Subdomain(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxSubdomainLength) {
    complaints.push_back(TooLong(kMaxSubdomainLength));
  }
  if (!IsDnsSubdomain(text)) {
    complaints.push_back(
        Mismatch("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                 "characters, '-' or '.', and must start and end with an alphanumeric character",
                 std::string(kDnsPattern) + "(\\." + kDnsPattern + ")*", {"example.com"}));
  }
  return complaints;
}

Complaints CheckDns1123Label(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxNameLength) {
    complaints.push_back(TooLong(kMaxNameLength));
  }
  if (!IsDnsLabel(text)) {
    complaints.push_back(
        IsDnsSubdomain(text)
            ? "must not contain dots"
            : Mismatch("a lowercase RFC 1123 label must consist of lower case alphanumeric "
                       "characters or '-', and must start and end with an alphanumeric character",
                       kDnsPattern, {"my-name", "123-abc"}));
  }
  return complaints;
}

Complaints CheckLabelKey(std::string_view text) {
  const auto mismatch = [] {
    return Mismatch(kNameRule, kNamePattern, {"MyName", "my.name", "123-abc"});
  };
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes > 1) {
    return {"a valid label key " + mismatch() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  Complaints complaints;
  if (slashes == 1) {
    const std::string_view prefix = text.substr(0, text.find('/'));
    text.remove_prefix(prefix.size() + 1);
    if (prefix.empty()) {
      complaints.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& complaint : CheckDns1123Subdomain(prefix)) {
        complaints.push_back("prefix part " + complaint);
      }
    }
  }
  if (text.empty()) {
    complaints.emplace_back("name part must be non-empty");
  } else if (text.size() > kMaxNameLength) {
    complaints.push_back("name part " + TooLong(kMaxNameLength));
  }
  if (!IsName(text)) {
    complaints.push_back("name part " + mismatch());
  }
  return complaints;
}

Complaints CheckLabelValue(std::string_view text) {
  Complaints complaints;
  if (text.size() > kMaxNameLength) {
    complaints.push_back(TooLong(kMaxNameLength));
  }
  if (!text.empty() && !IsName(text)) {
    complaints.push_back(
        Mismatch("a valid label must be an empty string or consist of alphanumeric characters, "
                 "'-', '_' or '.', and must start and end with an alphanumeric character",
                 "(" + std::string(kNamePattern) + ")?", {"MyValue", "my_value", "12345"}));
  }
  return complaints;
}

Complaints CheckPathSegment(std::string_view text) {
  if (text == "." || text == "..") {
    return {"may not be '" + std::string(text) + "'"};
  }
  Complaints complaints;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      complaints.push_back(std::string("may not contain '") + c + "'");
    }
  }
  return complaints;
}

std::string Quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += {'\\', c};
        break;
      case '\a':
        out += "\\a";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\v':
        out += "\\v";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += {'\\', 'x', kHex[(c >> 4) & 0xf], kHex[c & 0xf]};
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) {
      text += separator;
    }
    text += part;
  }
  return text;
}

}  // namespace ballast::api
