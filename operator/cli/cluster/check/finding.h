// What one check of an installation found.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/json/json_writer.h"

namespace ballast::cli {

enum class Severity { kOk, kWarning, kFailure };

struct Finding {
  std::string check;  // what was checked: "CRD"
  Severity level = Severity::kOk;
  std::string message;  // what was found
  std::string advice;   // what to do about it; empty: nothing
};

// What the caller may not see, or the server did not tell: a warning, since it may be all right.
Finding Unknown(const std::string& check, const std::string& what, const Error& why);

// kOk if there is none.
Severity Worst(const std::vector<Finding>& findings);

// A line for each, with its advice on the next one, and one that counts them.
std::string Print(const std::vector<Finding>& findings, bool colour);

// {"level", "checks": [{"check", "level", "message", "advice"}]}
void Encode(json::Writer& out, const std::vector<Finding>& findings);

}  // namespace ballast::cli
