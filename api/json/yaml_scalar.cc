#include "api/json/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>

#include "api/base/base64.h"
#include "api/base/digit.h"
#include "api/base/utf8.h"
#include "api/json/go_number.h"

namespace ballast {
namespace {

using Kind = YamlScalar::Kind;

constexpr std::string_view kTags = "tag:yaml.org,2002:";

struct Word {
  std::string_view text;
  Kind kind;
  std::string_view json;  // of a number that JSON does not have: how YAML writes it
};

constexpr std::array kWords = {
    Word{"y", Kind::kBool, "true"},
    Word{"Y", Kind::kBool, "true"},
    Word{"yes", Kind::kBool, "true"},
    Word{"Yes", Kind::kBool, "true"},
    Word{"YES", Kind::kBool, "true"},
    Word{"true", Kind::kBool, "true"},
    Word{"True", Kind::kBool, "true"},
    Word{"TRUE", Kind::kBool, "true"},
    Word{"on", Kind::kBool, "true"},
    Word{"On", Kind::kBool, "true"},
    Word{"ON", Kind::kBool, "true"},
    Word{"n", Kind::kBool, "false"},
    Word{"N", Kind::kBool, "false"},
    Word{"no", Kind::kBool, "false"},
    Word{"No", Kind::kBool, "false"},
    Word{"NO", Kind::kBool, "false"},
    Word{"false", Kind::kBool, "false"},
    Word{"False", Kind::kBool, "false"},
    Word{"FALSE", Kind::kBool, "false"},
    Word{"off", Kind::kBool, "false"},
    Word{"Off", Kind::kBool, "false"},
    Word{"OFF", Kind::kBool, "false"},
    Word{"", Kind::kNull, ""},
    Word{"~", Kind::kNull, ""},
    Word{"null", Kind::kNull, ""},
    Word{"Null", Kind::kNull, ""},
    Word{"NULL", Kind::kNull, ""},
    Word{".nan", Kind::kNumber, ".nan"},
    Word{".NaN", Kind::kNumber, ".nan"},
    Word{".NAN", Kind::kNumber, ".nan"},
    Word{".inf", Kind::kNumber, ".inf"},
    Word{".Inf", Kind::kNumber, ".inf"},
    Word{".INF", Kind::kNumber, ".inf"},
    Word{"+.inf", Kind::kNumber, ".inf"},
    Word{"+.Inf", Kind::kNumber, ".inf"},
    Word{"+.INF", Kind::kNumber, ".inf"},
    Word{"-.inf", Kind::kNumber, "-.inf"},
    Word{"-.Inf", Kind::kNumber, "-.inf"},
    Word{"-.INF", Kind::kNumber, "-.inf"},
};

bool SkipDigits(std::string_view& text) {
  const auto digits = std::ranges::find_if_not(text, IsDigit) - text.begin();
  text.remove_prefix(static_cast<std::size_t>(digits));
  return digits > 0;
}

bool SkipOne(std::string_view& text, std::string_view of) {
  const bool found = !text.empty() && of.find(text.front()) != std::string_view::npos;
  text.remove_prefix(found ? 1 : 0);
  return found;
}

// An integer as Go's ParseInt and ParseUint read it with base 0: with the base's prefix, and octal
// after a leading zero.
std::optional<std::string> ReadInteger(std::string_view text) {
  if (text.starts_with("0b-") || text.starts_with("0b+")) {  // 0b-11 is -0b11
    return ReadInteger(text[2] + std::string("0b") + std::string(text.substr(3)));
  }
  const bool has_sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const bool negative = has_sign && text[0] == '-';
  text.remove_prefix(has_sign ? 1 : 0);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = static_cast<char>(text[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
  const bool fits = !has_sign || value < kLowest || (negative && value == kLowest);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !fits) {
    return std::nullopt;
  }
  return (negative && value != 0 ? "-" : "") + std::to_string(value);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool LooksLikeFloat(std::string_view text) {
  SkipOne(text, "+-");
  if (SkipDigits(text)) {
    if (SkipOne(text, ".")) {
      SkipDigits(text);
    }
  } else if (!SkipOne(text, ".") || !SkipDigits(text)) {
    return false;
  }
  if (SkipOne(text, "eE")) {
    SkipOne(text, "+-");
    if (!SkipDigits(text)) {
      return false;
    }
  }
  return text.empty();
}

std::optional<std::string> ReadFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) {
    return std::nullopt;
  }
  SkipOne(text, "+");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    // Too small is zero; too large is no number.
    const bool tiny = text.find("e-") != std::string_view::npos ||
                      text.find("E-") != std::string_view::npos || text.find('.') == 0;
    return tiny ? std::optional<std::string>(text.starts_with('-') ? "-0" : "0") : std::nullopt;
  }
  return json::PrintGoFloat(value);
}

// Whether each underscore is between two digits, as in Go's own literals.
bool SeparatesDigits(std::string_view text) {
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (at == 0 || at + 1 == text.size() || !IsDigit(text[at - 1]) || !IsDigit(text[at + 1])) {
      return false;
    }
  }
  return true;
}

struct Number {
  std::string json;
  bool is_float = false;
};

std::optional<Number> ReadNumber(std::string_view text) {
  const char first = text.empty() ? ' ' : text[0];
  std::string plain(text);
  std::erase(plain, '_');
  if (first == '.') {
    auto number = SeparatesDigits(text) ? ReadFloat(plain) : std::nullopt;
    return number ? std::optional(Number{*std::move(number), true}) : std::nullopt;
  }
  if (!IsDigit(first) && first != '+' && first != '-') {
    return std::nullopt;
  }
  if (auto number = ReadInteger(plain)) {
    return Number{*std::move(number), false};
  }
  auto number = ReadFloat(plain);
  return number ? std::optional(Number{*std::move(number), true}) : std::nullopt;
}

// JSON has neither .inf nor .nan.
bool IsInJson(const YamlScalar& scalar) {
  return scalar.kind != Kind::kNumber || IsDigit(scalar.text.back());
}

Error CannotBe(std::string_view text, std::string_view tag) {
  return {Code::kInvalid, "`" + std::string(text) + "` is no !!" + std::string(tag)};
}

Result<YamlScalar> ReadScalar(std::string_view tag, std::string_view text) {
  std::string_view type = tag;
  if (type.starts_with(kTags)) {
    type.remove_prefix(kTags.size());
  }
  if (type == "binary") {
    ASSIGN_OR_RETURN(const std::string bytes, DecodeBase64(text));
    return YamlScalar{Kind::kText, ReplaceInvalidUtf8(bytes)};
  }
  const bool typed = type == "bool" || type == "int" || type == "float" || type == "null";
  if (!typed && !type.empty()) {
    return YamlScalar{Kind::kText, std::string(text)};  // quoted, or of a type that JSON has not
  }
  const auto* const word = std::ranges::find(kWords, text, &Word::text);
  if (word != kWords.end()) {
    const bool is_number = word->kind == Kind::kNumber;
    const bool fits = type.empty() || type == (is_number                   ? "float"
                                               : word->kind == Kind::kBool ? "bool"
                                                                           : "null");
    return fits ? Result<YamlScalar>(YamlScalar{word->kind, std::string(word->json), is_number})
                : CannotBe(text, type);
  }
  if (auto number = ReadNumber(text)) {
    const bool fits = type.empty() || type == "float" || (type == "int" && !number->is_float);
    return fits ? Result<YamlScalar>(
                      YamlScalar{Kind::kNumber, std::move(number->json), number->is_float})
                : CannotBe(text, type);
  }
  return typed ? Result<YamlScalar>(CannotBe(text, type))
               : Result<YamlScalar>(YamlScalar{Kind::kText, std::string(text)});
}

}  // namespace

Result<YamlScalar> ResolveYaml(std::string_view tag, std::string_view text) {
  ASSIGN_OR_RETURN(YamlScalar scalar, ReadScalar(tag, text));
  if (!IsInJson(scalar)) {
    return Error{Code::kInvalid, "`" + std::string(text) + "` has no counterpart in JSON"};
  }
  return scalar;
}

// sigs.k8s.io/yaml prints a float as one of 32 bits, and one that is too large as YAML writes it.
Result<std::string> ResolveYamlKey(std::string_view tag, std::string_view text) {
  ASSIGN_OR_RETURN(YamlScalar key, ReadScalar(tag, text));
  if (!IsInJson(key)) {
    return std::move(key.text);
  }
  const char* const begin = key.text.data();
  const char* const end = begin + key.text.size();
  if (key.kind == Kind::kNumber && key.is_float) {
    double value = 0;
    std::from_chars(begin, end, value);
    const auto narrow = static_cast<float>(value);
    if (std::isinf(narrow)) {
      return std::string(narrow < 0 ? "-.inf" : ".inf");
    }
    std::array<char, 64> buffer{};
    const auto printed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow,
                                       std::chars_format::general);
    return std::string(buffer.data(), printed.ptr);
  }
  std::int64_t integer = 0;
  const bool fits =
      key.kind != Kind::kNumber || std::from_chars(begin, end, integer).ec == std::errc();
  if (key.kind == Kind::kNull || !fits) {
    return Error{Code::kInvalid, "`" + std::string(text) + "` cannot be a key; put it in quotes"};
  }
  return std::move(key.text);
}

}  // namespace ballast
