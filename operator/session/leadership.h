// What an evaluation has to know of the leader election.
//
// Thread-safety: any thread.
#pragma once

#include <cstdint>

namespace ballast::session {

class Leadership {
 public:
  virtual ~Leadership() = default;
  // The leader's term: the transitions of the Lease; 0 without an election.
  virtual std::int64_t term() const = 0;
  // Whether this process still leads: if not, others may have written since.
  virtual bool leads() const = 0;
  // Whether another replica is known to have led since the last process with this store.
  virtual bool others_have_led() const = 0;
};

// That of a process that is alone.
class WithoutElection final : public Leadership {
 public:
  std::int64_t term() const override { return 0; }
  bool leads() const override { return true; }
  bool others_have_led() const override { return false; }
};
inline const WithoutElection kWithoutElection;

}  // namespace ballast::session
