// YAML for everyone else in this project, turned into JSON text at once and printed from JSON: the
// only place that includes yaml-cpp.
//
// Plain scalars mean what they mean to kubectl: null, booleans (yes, no, on, off as well), numbers,
// else text. Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast {

// One JSON text for each document that is not empty. kInvalid: "line 3, column 7: ..."; also for
// aliases that would blow up to more than 64 MiB.
Result<std::vector<std::string>> YamlToJson(std::string_view yaml);

// The value in block style, as kubectl prints it, members in their order, ending with a newline.
std::string JsonToYaml(const json::Cursor& value);

}  // namespace ballast
