// What the schedules of a policy will make of its bounds, for people: a list of spells, without
// ramps.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/bounds.h"
#include "api/decision/schedule_window.h"
#include "operator/schedules/timeline.h"

namespace ballast::schedules {

// A time in which the same windows are open.
struct Spell {
  Time start;
  Time end;  // no part of it
  engine::Bounds bounds;
  HeldDirections held;
  std::vector<std::string> open;     // the schedules whose windows are, like the next two
  std::vector<std::string> started;  // with the spell
  std::vector<std::string> ended;    // with the one before
};

struct Agenda {
  std::vector<Spell> spells;           // in order, without gaps
  std::vector<engine::LostZone> lost;  // schedules that are left out
  bool complete = true;                // false: there would be more than kMostSpells
};

inline constexpr std::size_t kMostSpells = 1000;

// From `from` to `until`, which is later.
Agenda MakeAgenda(const api::AutoscalerSpec& spec, Time from, Time until);

}  // namespace ballast::schedules
