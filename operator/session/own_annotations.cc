#include "operator/session/own_annotations.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>

namespace ballast::session {
namespace {

// The prefix, and the first text after all that begin with it ('0' follows '/').
constexpr const char* kFirst = "ballast.dev/";
constexpr const char* kEnd = "ballast.dev0";

auto Own(const std::map<std::string, std::string>& annotations) {
  return std::ranges::subrange(annotations.lower_bound(kFirst), annotations.lower_bound(kEnd));
}

}  // namespace

bool SameOwnAnnotations(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  return std::ranges::equal(Own(a.annotations), Own(b.annotations));
}

std::map<std::string, std::string> OwnAnnotations(const api::ObjectMeta& metadata) {
  const auto own = Own(metadata.annotations);
  return {own.begin(), own.end()};
}

}  // namespace ballast::session
