// The invariants of native HPAs, from the statuses that the API server stored:
//
//   claim        the target of an HPA is scaled only while Ballast holds it: after a claim that has
//                stood for three periods, at least a minute, in which nobody else wrote the status
//   observe      in a mode other than manage, only Ballast's own marks are removed from a status
//   fence        the memory of an earlier term never replaces that of a later one
//   hpa-status   conditions of others stay; in the end the status has the target's replicas
//   mirror       in the end the memory has an entry of each managed HPA, and of no earlier one
//
// Those of policies (checks.h) hold too from the moment on in which an HPA is held, but for the
// ones about samples.
//
// Thread-safety: one thread.
// Errors: none; Checks::Fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/api_server.h"
#include "tests/faults/checks.h"
#include "tests/faults/load_curve.h"

namespace ballast::faults {

// After a rival's last write Ballast may take so long to hold the HPA again.
inline constexpr Nanoseconds kReclaimed = 800 * kSecond;
// A condition that somebody else has set.
inline constexpr const char* kForeignCondition = "example.com/Kept";

class HpaChecks {
 public:
  // `loads` must outlive the HpaChecks, and be complete before Begin(); so must `checks`.
  HpaChecks(const std::vector<Load>& loads, Checks& checks) : loads_(loads), checks_(checks) {}
  void Begin() { state_.resize(loads_.size()); }

  // An HPA is made, perhaps under the name of an earlier one.
  void Made(std::size_t index);
  void StatusWritten(std::size_t index, const JsonValue& before, const JsonValue& after,
                     const std::string& manager);
  // Ballast has scaled its target.
  void Scaled(std::size_t index, const ScaleWrite& write);
  void MemoryWritten(const JsonValue& before, const JsonValue& after);
  void AtTheEnd(std::size_t index, const JsonValue& hpa, const JsonValue& memory,
                std::int64_t replicas);

 private:
  struct State {
    std::optional<Nanoseconds> claimed;  // since when the claim stands
    bool held = false;
    std::optional<Nanoseconds> lost;  // when Ballast has ended to hold it
    bool unseen = false;              // because of what the watch tells, which may be late
  };

  void Lose(std::size_t index, bool unseen);
  void Take(std::size_t index);
  // Its mode is not manage, and everybody knows.
  bool IsLeft(const Load& load) const;
  void Fail(const std::string& invariant, std::size_t index, const std::string& what) {
    checks_.Fail(invariant, loads_[index].name + ": " + what);
  }

  const std::vector<Load>& loads_;
  Checks& checks_;
  std::vector<State> state_;
};

}  // namespace ballast::faults
