#include "store/records.h"

#include <algorithm>
#include <array>

namespace ballast::store {
namespace {

constexpr std::array kFates = {Fate::kNone,   Fate::kDryRun,  Fate::kIntended, Fate::kWritten,
                               Fate::kFailed, Fate::kUnknown, Fate::kObserved};

// In the order of MadeBy.
constexpr std::array kMadeBy = {"evaluated", "refused", "observed", "attempted"};

}  // namespace

const char* Name(MadeBy made_by) { return kMadeBy.at(static_cast<std::size_t>(made_by)); }

Result<MadeBy> ParseMadeBy(std::string_view name) {
  const auto found = std::ranges::find(kMadeBy, name);
  if (found == kMadeBy.end()) {
    return Error{Code::kCorrupt, "no such record: \"" + std::string(name) + "\""};
  }
  return static_cast<MadeBy>(found - kMadeBy.begin());
}

const char* Name(Fate fate) {
  switch (fate) {
    case Fate::kNone:
      return "none";
    case Fate::kDryRun:
      return "dry-run";
    case Fate::kIntended:
      return "intended";
    case Fate::kWritten:
      return "written";
    case Fate::kFailed:
      return "failed";
    case Fate::kUnknown:
      return "unknown";
    case Fate::kObserved:
      return "observed";
  }
  return "none";
}

Result<Fate> ParseFate(std::string_view name) {
  for (const Fate fate : kFates) {
    if (name == Name(fate)) {
      return fate;
    }
  }
  return Error{Code::kCorrupt, "no such fate: \"" + std::string(name) + "\""};
}

}  // namespace ballast::store
