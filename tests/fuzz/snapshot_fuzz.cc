// For any line, `ballast decide` answers with JSON, a snapshot that can be read prints and reads
// back the same, and a policy's count stays within its bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "operator/engine/engine.h"
#include "operator/explain/decision_stream.h"

namespace {

using ballast::engine::Snapshot;

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string Print(const Snapshot& snapshot) {
  ballast::json::Writer writer;
  Encode(writer, snapshot);
  return writer.Take();
}

void CheckSnapshot(Snapshot snapshot) {
  const std::string text = Print(snapshot);
  const auto again = ballast::engine::ParseSnapshot(text);
  Require(again.ok() && Print(*again) == text);

  snapshot.autoscaler.kind = ballast::api::kPolicyKind;
  const auto& spec = snapshot.autoscaler.spec;
  const auto decision = Decide(snapshot, ballast::engine::Tracing::kOff);
  const std::int32_t min = spec.min_replicas.value_or(1);
  Require(!decision.rescale || min > spec.max_replicas ||
          (decision.target_replicas >= min && decision.target_replicas <= spec.max_replicas));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ballast::explain::DecisionStream stream(ballast::engine::Tracing::kOn);
  Require(ballast::json::Parse(stream.Answer(text)).ok());
  if (auto snapshot = ballast::engine::ParseSnapshot(text); snapshot.ok()) {
    CheckSnapshot(std::move(snapshot).value());
  }
  return 0;
}
