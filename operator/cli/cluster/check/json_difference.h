// Where two JSON values differ.
#pragma once

#include <optional>
#include <string>

#include "api/json/json.h"

namespace ballast::cli {

// The path of the first difference and what it is ("spec.mode.enum: differs", "spec.x: is
// missing"), as seen from `ours`; empty: they are equal but for the order of members. The steps
// "properties" and "items" of schemas are left out of paths.
std::optional<std::string> FirstDifference(const json::Cursor& ours, const json::Cursor& theirs);

}  // namespace ballast::cli
