// Snapshots of a policy that scales by a queue, for tests of what explains decisions. For tests
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::explain {

// A policy with `replicas`, and a queue of which each is to have ten; it recommended as many
// replicas that long ago, by default so long that it holds nothing any more.
inline engine::Snapshot WithQueue(std::int32_t replicas, const std::string& queue,
                                  std::int64_t ago = 400) {
  engine::Snapshot snapshot = engine::testing::MakePolicy(replicas);
  snapshot.metrics = {engine::testing::QueueOf(queue)};
  snapshot.memory = engine::Memory{{{engine::testing::Ago(ago), replicas}}, {}, {}, {}};
  snapshot.last_evaluation = engine::testing::Ago(15);
  return snapshot;
}

inline engine::Snapshot With(engine::Snapshot snapshot,
                             const std::function<void(engine::Snapshot&)>& change) {
  change(snapshot);
  return snapshot;
}

}  // namespace ballast::explain
