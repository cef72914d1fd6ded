// When each autoscaler is evaluated: in the slot that it shares with others.
//
// A slot is a point of the period. Autoscalers of one namespace with the same period share one, so
// that what is requested for one of them serves all; it has room for 200, and a namespace with more
// has several, spread over the period. While pods are measured with one list for the whole cluster,
// the slots are shared across namespaces. Different namespaces have different points, so that a
// thousand autoscalers are not evaluated at once, not even after a restart for which all were
// waiting.
//
// Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/base/time.h"
#include "api/kubernetes/by_reference.h"
#include "api/kubernetes/meta.h"
#include "operator/process/clock.h"
#include "operator/sources/source.h"

namespace ballast::controllers {

class EvaluationSlots {
 public:
  static constexpr std::size_t kRoom = sources::kEvaluatedTogether;  // in a slot

  // `across`: whether slots are shared across namespaces now.
  explicit EvaluationSlots(std::function<bool()> across = [] { return false; })
      : across_(std::move(across)) {}

  // The autoscaler's next point, after `now` by more than 0 and at most one period. Its points are
  // a period apart while it keeps its slot. It gets one with the first call and keeps it until it
  // leaves, its period changes, or slots begin or cease to be shared across namespaces.
  process::SteadyTime NextRun(const api::ObjectReference& autoscaler, Duration period,
                              process::SteadyTime now);
  // Gives the autoscaler's place to others.
  void Leave(const api::ObjectReference& autoscaler);

 private:
  using Group = std::pair<std::string, std::int64_t>;  // namespace, empty: all; period, ns
  struct AssignedSlot {
    Group group;
    std::size_t slot = 0;
  };
  void Enter(const api::ObjectReference& autoscaler, const Group& group);
  void LeaveLocked(const api::ObjectReference& autoscaler);

  const std::function<bool()> across_;
  std::mutex mutex_;  // guards: the rest
  api::ByReference<AssignedSlot> places_;
  std::map<Group, std::vector<std::size_t>> taken_;  // of each of a group's slots
};

}  // namespace ballast::controllers
