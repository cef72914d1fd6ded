// Notices that another client undoes again and again what the operator scales: a GitOps tool whose
// manifest has spec.replicas, a script, a person.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "store/records.h"

namespace ballast::session {

class TugOfWar {
 public:
  // So many changes within this time that undo what the operator wrote are a tug of war.
  static constexpr std::size_t kMany = 3;
  static constexpr Duration kWithin = Duration::Seconds(3'600);

  // The operator changed the replicas.
  void Wrote(std::int32_t from, std::int32_t to);
  // Another client changed them. Returns whether that undoes what the operator wrote last: at least
  // a part of it, or more.
  bool Changed(const store::ForeignChange& change);

  // Who undoes it at `now`; nullopt: nobody. The engine makes a condition of that.
  std::optional<engine::Opponent> OpponentAt(Time now) const;
  // The event that says so, once.
  std::optional<engine::Event> News(Time now);

 private:
  struct OwnWrite {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  std::optional<OwnWrite> last_;  // of the operator; absent: none since the last change by others
  std::vector<store::ForeignChange> undone_;  // the last kMany
  bool told_ = false;
};

}  // namespace ballast::session
