// One attempt to write a scale, from its intent until it is settled for good.
//
// An attempt is sent once, within kLongestWait of its intent. Where its answer says neither that
// the scale was written nor that it was refused, the scale itself tells, within kSettleTime of the
// sending: after that a write that has not arrived never will. Until then nothing else is written
// to that target.
// Thread-safety: Attempt is a plain value. Attempts belong to one policy and are changed by one
// thread at a time; Print may be called by any.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/kube/preconditions.h"
#include "operator/runtime/clock.h"
#include "operator/telemetry/inside.h"
#include "store/records.h"

namespace ballast::controllers {

// The API server gives a write up after its `timeout=` of 5 s; what it has handed to etcd by then
// may still be a few seconds on its way.
inline constexpr std::chrono::seconds kSettleTime{10};

// A write that has waited longer for its turn is not sent: it was decided from too old a view.
inline constexpr std::chrono::seconds kLongestWait{5};

struct Attempt {
  store::DecisionId id = 0;
  std::shared_ptr<const engine::Snapshot> snapshot;  // never null
  engine::Decision decision;
  kube::ScaleChange change;
  runtime::SteadyTime deadline;  // by then it has arrived, or never will
};

// Those that are not settled, oldest first.
class Attempts {
 public:
  explicit Attempts(std::vector<Attempt> left_over = {}) : attempts_(std::move(left_over)) {}

  bool empty() const { return attempts_.empty(); }
  std::size_t size() const { return attempts_.size(); }
  const Attempt& operator[](std::size_t index) const { return attempts_[index]; }
  const Attempt& newest() const { return attempts_.back(); }

  void Begin(Attempt attempt);
  // The newest was sent then.
  void Sent(runtime::SteadyTime at);
  Attempt End(std::size_t index);

  // Appends them, of the policy of that name.
  void Print(const std::string& policy, telemetry::Shown<telemetry::AttemptInside>& inside) const;

 private:
  mutable std::mutex mutex_;  // guards: changes, and what is printed
  std::vector<Attempt> attempts_;
};

}  // namespace ballast::controllers
