// Splits JSON text without building a document: into the members of an object or the elements of an
// array, each as a slice of the text. For text that is too large to hold twice, such as lists.
//
// Checks what stands between the slices but not the slices themselves: the caller parses them.
//
// Thread-safety: pure functions. The text must outlive the slices.
// Errors: SplitObject, SplitArray and SplitStream return kInvalid: "not JSON: at byte 17: ...".
#pragma once

#include <string_view>
#include <vector>

#include "api/base/result.h"

namespace ballast::json {

struct MemberText {
  std::string_view name;  // as written: not unescaped
  std::string_view value;
};

Result<std::vector<MemberText>> SplitObject(std::string_view text);
Result<std::vector<std::string_view>> SplitArray(std::string_view text);
// Objects one after the other, with white space or nothing between them.
Result<std::vector<std::string_view>> SplitStream(std::string_view text);

// The value of the first member with that name; empty if there is none.
std::string_view Find(const std::vector<MemberText>& members, std::string_view name);

}  // namespace ballast::json
