#include "operator/cli/manifests/keda_fields.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

namespace ballast::cli {

void ListLost(const json::Cursor& object, const std::string& path,
              std::initializer_list<std::string_view> converted, std::initializer_list<Lost> lost,
              std::vector<Loss>& losses) {
  for (const auto& [name, value] : object.Members()) {
    if (!value.present() || std::ranges::count(converted, name) > 0) {
      continue;
    }
    const auto* const known = std::ranges::find(lost, name, &Lost::name);
    losses.push_back(
        {(path.empty() ? "" : path + ".") + std::string(name),
         known != lost.end() ? std::string(known->why) : "is not known to this version"});
  }
}

std::string SetTwice(const json::Cursor& value, const std::string& path) {
  std::string twice;
  if (value.IsArray()) {
    int i = 0;
    for (const json::Cursor& element : value.Elements()) {
      twice = twice.empty() ? SetTwice(element, path + "[" + std::to_string(i++) + "]") : twice;
    }
  } else if (value.IsObject()) {
    std::set<std::string_view> seen;
    for (const auto& [name, member] : value.Members()) {
      const std::string place = (path.empty() ? "" : path + ".") + std::string(name);
      if (twice.empty()) {
        twice = seen.insert(name).second ? SetTwice(member, place) : place;
      }
    }
  }
  return twice;
}

std::string TextOf(const json::Cursor& value) {
  return value.IsString() ? std::string(value.Text()) : value.NumberText();
}

std::optional<std::int32_t> WholeNumber(const std::string& text) {
  std::int32_t number = 0;
  const char* const end = text.data() + text.size();
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const auto [at, error] = std::from_chars(text.data() + plus, end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

}  // namespace ballast::cli
