// YAML for the rest of this project: read by converting it to JSON text, and printed from JSON. The
// only place that includes yaml-cpp.
//
// Scalars mean what they mean to kubectl (yaml_scalar.h), and `<<` merges maps as it does there. A
// key that is written twice stays in the JSON twice, so that a reader can refuse it; kubectl takes
// the latter.
//
// Errors: YamlToJson and ParseYaml return kInvalid; JsonToYaml cannot fail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast {

// One JSON text for each document that is not empty. kInvalid: "not YAML: line 3, column 7: ...";
// also if there are more than 500,000 values (scalars, nulls, lists and maps) or 64 MiB of text,
// aliases counted at each use.
Result<std::vector<std::string>> YamlToJson(std::string_view yaml);

// The first document, as kubectl reads a kubeconfig: what follows does not count, and of a key that
// is written twice the last does. Empty if the document is.
Result<std::string> FirstYamlToJson(std::string_view yaml);

// The one document of a file. kInvalid also if there is none, or several.
Result<json::Document> ParseYaml(std::string_view yaml);

// Prints the value in block style as kubectl does: members in their order, a newline at the end.
std::string JsonToYaml(const json::Cursor& value);
// The same of a JSON text, which must be well-formed.
std::string JsonTextToYaml(std::string_view json);

}  // namespace ballast
