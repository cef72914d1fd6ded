#include "api/json/parse_in_place.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "api/base/utf8.h"
#include "api/json/max_depth.h"

namespace ballast::json::internal {
namespace {

// How far SIMD code may read beyond the end of a text.
constexpr std::size_t kPadding = 16;

// Finds the control characters that RapidJSON's fast path accepts although JSON allows them
// nowhere; returns their offset as FindInvalidUtf8 does.
std::size_t FindSkippedControl(std::string_view text) {
  const auto skipped = [](char c) { return static_cast<unsigned char>(c - 0x1a) < 6; };
  bool any = false;
  for (const char c : text) {  // without a branch, so that the compiler vectorizes the loop
    any |= skipped(c);
  }
  const auto at = any ? std::find_if(text.begin(), text.end(), skipped) : text.end();
  return static_cast<std::size_t>(at - text.begin());
}

std::string Lower(const char* text) {
  std::string out = text;
  if (!out.empty()) {
    out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  }
  while (!out.empty() && out.back() == '.') {
    out.pop_back();
  }
  return out;
}

}  // namespace

std::string InPlace(std::string_view text) {
  std::string copy;
  copy.reserve(text.size() + kPadding);
  copy = text;
  copy.append(kPadding, '\0');
  return copy;
}

Status CheckEncoding(std::string_view text) {
  const std::size_t bad = std::min(FindInvalidUtf8(text), FindSkippedControl(text));
  if (bad != text.size()) {
    return Error{Code::kInvalid, "not JSON: at byte " + std::to_string(bad) + ": invalid encoding"};
  }
  return Done{};
}

Error NotJson(const rapidjson::ParseResult& result, const std::string& reason) {
  const std::string what = result.Code() == rapidjson::kParseErrorTermination
                               ? reason
                               : Lower(rapidjson::GetParseError_En(result.Code()));
  return {Code::kInvalid, "not JSON: at byte " + std::to_string(result.Offset()) + ": " + what};
}

std::string TooDeep() { return "nested deeper than " + std::to_string(kMaxDepth) + " levels"; }

}  // namespace ballast::json::internal
