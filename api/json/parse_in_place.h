// What json::Parse and json::PickTexts have in common: RapidJSON's reader on a copy that it may
// change. Only for api/json.
//
// Errors: kInvalid for what is no JSON text.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"
#include "api/json/rapidjson.h"

namespace ballast::json::internal {

// A copy to parse in place: strings are unescaped in it and not copied again.
std::string InPlace(std::string_view text);

// Parses such a copy, of which `size` bytes are text, into the handler.
template <typename Handler>
rapidjson::ParseResult ReadInPlace(std::string& text, std::size_t size, Handler& handler) {
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::InsituStringStream stream(text.data());
  rapidjson::Reader reader;
  rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!result.IsError() && stream.Tell() != size) {  // stopped at a NUL in the middle
    result.Set(rapidjson::kParseErrorDocumentRootNotSingular, stream.Tell());
  }
  return result;
}

// Refuses what RapidJSON takes although it is no JSON text: invalid UTF-8, raw control characters.
Status CheckEncoding(std::string_view text);

// `reason`: why the handler stopped the reader, if it did.
Error NotJson(const rapidjson::ParseResult& result, const std::string& reason);

// The reason of a handler that stops at kMaxDepth.
std::string TooDeep();

}  // namespace ballast::json::internal
