#include "operator/explain/recorded_decision.h"

#include "api/decision/snapshot_json.h"

namespace ballast::explain {

using store::Disposition;
using store::Entry;

Result<engine::Snapshot> ParseRecorded(const Entry& entry, const std::string& snapshot) {
  auto parsed = engine::ParseSnapshot(snapshot);
  if (!parsed.ok()) {
    return Error{Code::kCorrupt, "the snapshot of decision " + std::to_string(entry.id) +
                                     " cannot be read: " + parsed.error().message};
  }
  return parsed;
}

engine::Outcome OutcomeOf(const Entry& entry) {
  using Kind = engine::Outcome::Kind;
  switch (entry.concluded) {
    case Disposition::kNone:
    case Disposition::kDryRun:
    case Disposition::kObserved:
      return {Kind::kNotAttempted, ""};
    case Disposition::kWritten:
      return {Kind::kWritten, ""};
    case Disposition::kFailed:
      return {Kind::kFailed, entry.concluded_error};
    case Disposition::kIntended:
    case Disposition::kUnknown:
      return {Kind::kUnknown, entry.concluded_error};
  }
  return {};
}

std::int32_t Wish(const engine::Decision& decision) {
  return decision.dry_run_replicas.value_or(decision.target_replicas);
}

std::int32_t Wish(const engine::Decision& decision, const store::Entry& entry) {
  const bool read = decision.current_replicas == entry.current_replicas;
  return read ? Wish(decision) : entry.current_replicas;
}

bool Agrees(const engine::Decision& decision, const store::Entry& entry) {
  return Wish(decision, entry) == entry.desired_replicas;
}

}  // namespace ballast::explain
