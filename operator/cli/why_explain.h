// Why there were, at some moment, as many replicas as there were: the recorded decision, run again
// for its trace, and put into words.
//
// Thread-safety: pure functions. Failure modes: kCorrupt when a recorded snapshot cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/cli/times.h"
#include "operator/cli/why_alternatives.h"
#include "store/reader.h"

namespace ballast::cli {

// What one metric said.
struct MetricView {
  std::string rule;                      // the trace's name of it: "metric 0 (Resource)"
  std::string text;                      // its value against its target, and what it asks for
  std::optional<std::int32_t> proposal;  // absent: it could not be used
  std::optional<Duration> age;           // of its newest sample; absent: it has no timestamp
};

// A decision with everything that led to it.
struct Reconstruction {
  engine::Snapshot snapshot;
  engine::Decision decision;
  std::vector<MetricView> metrics;
  std::string binding;  // the rule that set the count; empty: what the metrics asked for was done
  std::optional<engine::Release> release;
  std::vector<Alternative> alternatives;
};

// Runs the recorded snapshot again. `entry`: what was recorded of it.
Result<Reconstruction> Reconstruct(const std::string& snapshot, const store::Entry& entry);

// The answer in one sentence. `inputs`: absent when no snapshot of this decision was kept.
std::string Answer(const store::Entry& entry, const Reconstruction* inputs, Zone zone);

}  // namespace ballast::cli
