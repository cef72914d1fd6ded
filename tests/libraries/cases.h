// Cases that Kubernetes' own libraries have answered, and how answers are compared.
//
// Errors: none handled; a file that cannot be read fails the test.
#pragma once

#include <functional>
#include <string>

#include "api/json/json.h"

namespace ballast::testing {

// The case's text in its template.
std::string Around(const json::Cursor& templates, const json::Cursor& one);

// The value at a path such as "spec.metrics.0"; absent if there is none.
json::Cursor At(json::Cursor value, std::string_view path);

// What this program makes of a case: JSON text, or an error.
using AnswerCase =
    std::function<Result<std::string>(const json::Cursor& templates, const json::Cursor& one)>;

// Gives each case of `kind` ("scales") to `answer` and compares: values member by member, of errors
// that there is one. Where the two differ the case must have the words by which `document` names
// the difference.
void CheckCases(const std::string& kind, const std::string& document, const AnswerCase& answer);

}  // namespace ballast::testing
