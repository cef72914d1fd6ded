// What the webhook says of new policies, by the look-ups of a replica whose watches may hang, be
// refused or be late. The invariant "review":
//
//   of each autoscaler that has had the policy's target for so long that no watch of before can
//   lack it, a refusal or a warning tells, or that one may be overlooked; none tells of one that
//   was gone before the review, if no call fails
//
// Thread-safety: one thread, many fibers.
// Errors: none; Checks::Fail.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/api_server.h"
#include "tests/faults/checks.h"
#include "tests/faults/faults.h"
#include "tests/faults/load_curve.h"
#include "webhooks/lookup.h"

namespace ballast::faults {

class ReviewChecks {
 public:
  // All must outlive the ReviewChecks.
  ReviewChecks(const Swarm& swarm, const ApiServer& server, const std::vector<Load>& loads,
               Checks& checks)
      : swarm_(swarm), server_(server), loads_(loads), checks_(checks) {}

  // Every few seconds.
  void Look();
  // What is said of a new policy for the load's target. Call it from a fiber of the replica's.
  static std::string Review(const Load& load, webhooks::Lookup& lookup);
  // `said` at the end of a review that began at `began`, of a policy for the target.
  void Judge(const std::string& identity, const std::string& target, Nanoseconds began,
             const std::string& said);

 private:
  using Id = std::pair<std::string, std::string>;  // kind and name
  struct Rival {
    std::string uid;
    std::string target;
    Nanoseconds since;  // it has that target
  };

  bool CallsMayFail() const;

  const Swarm& swarm_;
  const ApiServer& server_;
  const std::vector<Load>& loads_;
  Checks& checks_;
  std::map<Id, Rival> present_;
  std::map<Id, Nanoseconds> gone_;  // since when
};

}  // namespace ballast::faults
