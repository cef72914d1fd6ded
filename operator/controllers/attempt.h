// One attempt to write a scale, from its intent until it is settled for good.
//
// An attempt is sent once. Where its answer says neither that the scale was written nor that it was
// refused, the scale itself tells, within kSettleTime of the sending: after that a write that has
// not arrived never will. Until then nothing else is written to that target.
// Thread-safety: plain values.
#pragma once

#include <chrono>
#include <memory>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "store/records.h"

namespace ballast::controllers {

// The API server gives a write up after its `timeout=` of 5 s; what it has handed to etcd by then
// may still be a few seconds on its way.
inline constexpr std::chrono::seconds kSettleTime{10};

struct Attempt {
  store::DecisionId id = 0;
  std::shared_ptr<const engine::Snapshot> snapshot;  // never null
  engine::Decision decision;
  kube::ScaleChange change;
  runtime::SteadyTime deadline;  // by then it has arrived, or never will
};

}  // namespace ballast::controllers
