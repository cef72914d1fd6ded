// Takes JSON text apart without building it: the members of an object, or the elements of an array,
// each as the piece of the text that it is. For what is too large to hold twice, such as lists.
//
// What stands between the pieces is checked; a piece itself is not: whoever uses it parses it.
// kInvalid: "not JSON: at byte 17: ...". Thread-safety: pure functions; pieces point into the text.
#pragma once

#include <string_view>
#include <vector>

#include "api/base/result.h"

namespace ballast::json {

struct MemberText {
  std::string_view name;  // as written: escapes are not undone
  std::string_view value;
};

Result<std::vector<MemberText>> SplitObject(std::string_view text);
Result<std::vector<std::string_view>> SplitArray(std::string_view text);

// The value of the member of that name; empty when there is none.
std::string_view Find(const std::vector<MemberText>& members, std::string_view name);

}  // namespace ballast::json
