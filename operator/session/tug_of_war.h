// Notices that another client undoes again and again what the operator scales: a GitOps tool whose
// manifest has spec.replicas, a script, a person.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/process/clock.h"
#include "store/records.h"

namespace ballast::session {

class TugOfWar {
 public:
  // So many changes within this time that undo what the operator wrote are a tug of war.
  static constexpr std::size_t kMany = 3;
  static constexpr std::chrono::hours kWithin{1};

  // The operator changed the replicas.
  void Wrote(std::int32_t from, std::int32_t to);
  // Another client changed them, as was noticed at `now`. Returns whether that undoes what the
  // operator wrote last: at least a part of it, or more.
  bool Changed(const store::ForeignChange& change, process::SteadyTime now);

  // Who undoes it at `now`; nullopt: nobody. The engine makes a condition of that.
  std::optional<engine::Opponent> OpponentAt(process::SteadyTime now) const;
  // The event that says so, once.
  std::optional<engine::Event> News(process::SteadyTime now);

 private:
  struct OwnWrite {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  struct Undone {
    process::SteadyTime noticed;
    store::ForeignChange change;
  };
  std::optional<OwnWrite> last_;  // of the operator; absent: none since the last change by others
  std::vector<Undone> undone_;    // the last kMany
  bool told_ = false;
};

}  // namespace ballast::session
