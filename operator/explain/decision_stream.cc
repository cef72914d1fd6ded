#include "operator/explain/decision_stream.h"

#include <utility>

#include "api/decision/decision_json.h"
#include "api/decision/snapshot_json.h"
#include "operator/engine/engine.h"

namespace ballast::explain {
namespace {

using engine::Outcome;

Outcome OutcomeOf(const engine::Snapshot& snapshot, const engine::Decision& decision) {
  if (!decision.rescale) {
    return {Outcome::Kind::kNotAttempted, ""};
  }
  return snapshot.scale_update_error ? Outcome{Outcome::Kind::kFailed, *snapshot.scale_update_error}
                                     : Outcome{Outcome::Kind::kWritten, ""};
}

}  // namespace

std::string DecisionStream::Answer(std::string_view line) {
  const auto document = json::Parse(line);
  if (!document.ok()) {
    return Refuse("", document.error());
  }
  auto snapshot = engine::DecodeSnapshot(*document);
  if (!snapshot.ok()) {
    json::Decoder decoder(*document);
    return Refuse(decoder.root().Member("id").Text(), snapshot.error());
  }
  Resume(*snapshot);
  engine::Decision decision = engine::Decide(*snapshot, tracing_);
  const Outcome outcome = OutcomeOf(*snapshot, decision);
  const engine::Conclusion conclusion = engine::Conclude(*snapshot, std::move(decision), outcome);
  if (snapshot->series) {
    series_[*snapshot->series] = {conclusion.memory, snapshot->now};
  }
  engine::Encode(out_, snapshot->id, conclusion);
  return out_.Take();
}

std::string DecisionStream::Refuse(std::string_view id, const Error& error) {
  found_wrong_ = true;
  out_.Object([&] {
    if (!id.empty()) {
      out_.Field("id", id);
    }
    out_.Field("error", error.message);
  });
  return out_.Take();
}

void DecisionStream::Resume(engine::Snapshot& snapshot) const {
  if (!snapshot.series || snapshot.memory) {
    return;
  }
  const auto found = series_.find(*snapshot.series);
  if (found != series_.end()) {
    snapshot.memory = found->second.memory;
    snapshot.last_evaluation = snapshot.last_evaluation.value_or(found->second.evaluated);
  }
}

}  // namespace ballast::explain
