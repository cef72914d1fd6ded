// The query of a Prometheus metric with its variables: $namespace is the policy's namespace,
// $target the name of what it scales; ${target} where a letter follows; $$ is one dollar.
//
// A variable stands within quotes, and its value is escaped there: for a string, and after =~ and
// !~ for a regular expression too. So whatever a value holds, it stays a part of that string.
//
// Errors: kInvalid for an unknown variable, one outside of quotes, quotes that do not end, and a
// value that cannot stand in backquotes.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::api {

struct QueryVariables {
  std::string_view namespace_;
  std::string_view target;
};

// The query with the variables' values.
Result<std::string> ExpandQuery(std::string_view query, const QueryVariables& variables);

// The query that expands to `promql`, whatever dollars that has.
std::string LiteralQuery(std::string_view promql);

// Whether the query can be expanded; that it is PromQL is not checked.
Status CheckQuery(std::string_view query);

}  // namespace ballast::api
