#include "webhooks/limits.h"

#include "api/base/utf8.h"

namespace ballast::webhooks {
namespace {

constexpr std::size_t kMaxPath = 100;

// Searches below `at`, whose path is `path`.
std::optional<std::string> FindLong(const json::Cursor& at, std::string& path) {
  const std::size_t length = path.size();
  if (at.IsObject()) {
    for (const auto& [name, value] : at.Members()) {
      if (value.IsObject() || value.IsArray()) {
        path += (length == 0 ? "" : ".") + std::string(name);
        if (auto found = FindLong(value, path)) {
          return found;
        }
        path.resize(length);
      }
    }
  } else if (at.IsArray()) {
    if (at.Elements().size() > kMaxEntries) {
      return Shorten(path, kMaxPath) + " has " + std::to_string(at.Elements().size()) +
             " entries, more than " + std::to_string(kMaxEntries);
    }
    path += "[]";
    for (const json::Cursor element : at.Elements()) {
      if (auto found = FindLong(element, path)) {
        return found;
      }
    }
    path.resize(length);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TooLong(const json::Cursor& object) {
  std::string path;
  return FindLong(object, path);
}

}  // namespace ballast::webhooks
