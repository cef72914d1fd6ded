// Reads single strings of a JSON text that is too large for a document.
//
// Errors: kInvalid as in json::Parse.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::json {

// Finds the strings at these paths ("request.kind.name"; through objects, not arrays) without
// building a document: for text that is too large for one. A path that is absent or has no string
// is not in the result. Of duplicate names the first counts. kInvalid as in Parse.
Result<std::map<std::string, std::string>> PickTexts(std::string_view text,
                                                     const std::set<std::string>& paths);

}  // namespace ballast::json
