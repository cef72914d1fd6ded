// Leadership as a test sets it; by default there is no election.
#pragma once

#include <cstdint>

#include "operator/session/leadership.h"

namespace ballast::session {

class FakeLeadership final : public Leadership {
 public:
  std::int64_t term() const override { return term_is; }
  bool leads() const override { return leads_still; }
  bool others_have_led() const override { return others_led; }

  std::int64_t term_is = 0;
  bool leads_still = true;
  bool others_led = false;
};

}  // namespace ballast::session
