#include "store/records.h"

#include <array>

namespace ballast::store {
namespace {

constexpr std::array kFates = {Fate::kNone,   Fate::kDryRun,  Fate::kIntended, Fate::kWritten,
                               Fate::kFailed, Fate::kUnknown, Fate::kObserved};

}  // namespace

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
