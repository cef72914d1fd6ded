#include "operator/cli/cluster/check/json_difference.h"

#include <string_view>

namespace ballast::cli {
namespace {

std::string Step(const std::string& path, std::string_view name) {
  if (name == "properties" || name == "items") {
    return path;
  }
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::optional<std::string> Compare(const std::string& path, const json::Cursor& ours,
                                   const json::Cursor& theirs);

std::optional<std::string> CompareMembers(const std::string& path, const json::Cursor& ours,
                                          const json::Cursor& theirs) {
  for (const auto& [name, value] : ours.Members()) {
    const json::Cursor other = theirs.Member(name);
    if (!other.present()) {
      return Step(path, name) + ": is missing";
    }
    if (auto difference = Compare(Step(path, name), value, other)) {
      return difference;
    }
  }
  for (const auto& [name, value] : theirs.Members()) {
    if (!ours.Member(name).present()) {
      return Step(path, name) + ": is not known here";
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompareElements(const std::string& path, const json::Cursor& ours,
                                           const json::Cursor& theirs) {
  const json::Elements mine = ours.Elements();
  const json::Elements other = theirs.Elements();
  if (mine.size() != other.size()) {
    return path + ": differs";
  }
  auto at = other.begin();
  for (const json::Cursor& element : mine) {
    if (auto difference = Compare(path, element, *at)) {
      return difference;
    }
    ++at;
  }
  return std::nullopt;
}

std::optional<std::string> Compare(const std::string& path, const json::Cursor& ours,
                                   const json::Cursor& theirs) {
  if (ours.IsObject() && theirs.IsObject()) {
    return CompareMembers(path, ours, theirs);
  }
  if (ours.IsArray() && theirs.IsArray()) {
    return CompareElements(path, ours, theirs);
  }
  return ours.Print() == theirs.Print() ? std::nullopt : std::optional(path + ": differs");
}

}  // namespace

std::optional<std::string> FirstDifference(const json::Cursor& ours, const json::Cursor& theirs) {
  return Compare("", ours, theirs);
}

}  // namespace ballast::cli
