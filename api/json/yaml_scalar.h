// What a scalar of YAML means to kubectl, which reads YAML 1.1: `yes` and `y` are booleans, 010 is
// 8, 0x1F, 0b11 and 1_000 are numbers, and so are 1e3 and +5.
//
// The rules are those of go.yaml.in/yaml/v2 with sigs.k8s.io/yaml behind it, which makes JSON of
// it.
//
// Errors: kInvalid if the text is not of the type that its tag names, or is a number that JSON does
// not have (.inf, .nan).
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast {

struct YamlScalar {
  enum class Kind { kNull, kBool, kNumber, kText } kind = Kind::kText;
  // The text itself; of a bool or a number the JSON text.
  std::string text;
  bool is_float = false;  // a number that was not written as an integer
};

// `tag`: "" for a plain scalar without one, "!" for a quoted one, else as written out
// ("tag:yaml.org,2002:int").
Result<YamlScalar> ResolveYaml(std::string_view tag, std::string_view text);

// The name of the member whose key that is. kInvalid also for null and for integers beyond 64 bits
// with a sign.
Result<std::string> ResolveYamlKey(std::string_view tag, std::string_view text);

}  // namespace ballast
