// The snapshots of the benchmarks: one Resource metric, ten pods, random usage from a fixed seed.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::bench {

inline std::vector<engine::Snapshot> SimpleSnapshots(std::size_t count) {
  std::mt19937 random(20260304);
  std::vector<engine::Snapshot> snapshots;
  for (std::size_t i = 0; i < count; ++i) {
    engine::Snapshot snapshot = engine::testing::MakeHpa(10);
    snapshot.id = std::to_string(i);
    snapshot.autoscaler.spec.metrics = {engine::testing::CpuMetric()};
    std::vector<std::string> usage;
    for (int pod = 0; pod < 10; ++pod) {
      usage.push_back(std::to_string(10 + random() % 90) + "m");
    }
    snapshot.metrics = {engine::testing::CpuOf(usage)};
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

inline std::string Print(const engine::Snapshot& snapshot) {
  json::Writer writer;
  Encode(writer, snapshot);
  return writer.Take();
}

}  // namespace ballast::bench
