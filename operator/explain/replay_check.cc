#include "operator/explain/replay_check.h"

#include <utility>

#include "api/decision/decision_json.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/engine/engine.h"
#include "operator/explain/recorded_decision.h"

namespace ballast::explain {
namespace {

// The fields of a conclusion that have to agree; the trace does not, because it is text for people.
constexpr const char* kFields[] = {"desiredReplicas", "rescale", "dryRunReplicas", "conditions",
                                   "currentMetrics",  "events",  "memory"};

// Compares the replica count only: without a recorded conclusion there is nothing else.
std::vector<Difference> CompareCount(const store::Entry& entry, const engine::Decision& decision) {
  const std::int32_t wish = Wish(decision, entry);
  if (wish == entry.desired_replicas) {
    return {};
  }
  return {{"desiredReplicas", std::to_string(entry.desired_replicas), std::to_string(wish)}};
}

}  // namespace

Result<std::vector<Difference>> Compare(const store::Entry& entry,
                                        const store::Documents& documents) {
  ASSIGN_OR_RETURN(const engine::Snapshot snapshot, ParseRecorded(entry, documents.snapshot));
  return Compare(entry, snapshot, documents.conclusion);
}

Result<std::vector<Difference>> Compare(const store::Entry& entry, const engine::Snapshot& snapshot,
                                        const std::string& conclusion) {
  const auto decision = engine::Decide(snapshot);
  if (conclusion.empty()) {
    return CompareCount(entry, decision);
  }
  json::Writer out;
  engine::Encode(out, "", engine::Conclude(snapshot, decision, OutcomeOf(entry)));
  const std::string again = out.Take();
  if (again == conclusion) {
    return std::vector<Difference>();  // the usual case, which needs no parsing
  }
  const auto recorded = json::Parse(conclusion);
  if (!recorded.ok()) {
    return Error{Code::kCorrupt, "the conclusion of decision " + std::to_string(entry.id) +
                                     " cannot be read: " + recorded.error().message};
  }
  ASSIGN_OR_RETURN(const json::Document present, json::Parse(again));
  json::Decoder recorded_decoder(*recorded);
  json::Decoder present_decoder(present);
  std::vector<Difference> differences;
  for (const char* field : kFields) {
    std::string before = recorded_decoder.root().Member(field).Print();
    std::string now = present_decoder.root().Member(field).Print();
    if (before != now) {
      differences.push_back({field, std::move(before), std::move(now)});
    }
  }
  return differences;
}

}  // namespace ballast::explain
