#include "store/records.h"

#include <algorithm>
#include <array>

namespace ballast::store {
namespace {

constexpr std::array kDispositions = {
    Disposition::kNone,   Disposition::kDryRun,  Disposition::kIntended, Disposition::kWritten,
    Disposition::kFailed, Disposition::kUnknown, Disposition::kObserved};

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

const char* Name(Disposition disposition) {
  switch (disposition) {
    case Disposition::kNone:
      return "none";
    case Disposition::kDryRun:
      return "dry-run";
    case Disposition::kIntended:
      return "intended";
    case Disposition::kWritten:
      return "written";
    case Disposition::kFailed:
      return "failed";
    case Disposition::kUnknown:
      return "unknown";
    case Disposition::kObserved:
      return "observed";
  }
  return "none";
}

Result<Disposition> ParseDisposition(std::string_view name) {
  for (const Disposition disposition : kDispositions) {
    if (name == Name(disposition)) {
      return disposition;
    }
  }
  return Error{Code::kCorrupt, "no such disposition: \"" + std::string(name) + "\""};
}

}  // namespace ballast::store
