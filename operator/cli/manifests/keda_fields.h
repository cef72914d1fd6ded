// How members of KEDA's objects are read, and those listed that have no counterpart.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "operator/cli/manifests/policy_of.h"

namespace ballast::cli {

// A member that is not converted, and why.
struct Lost {
  std::string_view name;
  std::string_view why;
};

// Lists the members of `object` that are not in `converted`.
void ListLost(const json::Cursor& object, const std::string& path,
              std::initializer_list<std::string_view> converted, std::initializer_list<Lost> lost,
              std::vector<Loss>& losses);

// The first field that is set twice; empty: none is. kubectl takes the latter without a word.
std::string SetTwice(const json::Cursor& value, const std::string& path = "");

// The texts of a trigger's metadata; numbers are taken as well, although KEDA wants texts.
std::string TextOf(const json::Cursor& value);

std::optional<std::int32_t> WholeNumber(const std::string& text);

}  // namespace ballast::cli
