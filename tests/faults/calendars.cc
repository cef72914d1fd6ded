// The people who write schedules with times of every kind, edit them in place, and remove them,
// near a change of a zone's clocks.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

// What it does while it is open. A hold that would keep a bound from being reached is refused.
void DrawEffect(Dice& dice, Load::Schedule& schedule) {
  const auto [low, high] = std::minmax({dice.Between(1, kMax), dice.Between(1, kMax)});
  static constexpr std::array<const char*, 3> kHolds{"All", "ScaleDown", "ScaleUp"};
  const char* const hold = kHolds[dice.Below(kHolds.size())];
  static constexpr std::array kRamps{0, 0, 0, 1, 5, 15};
  const std::int64_t ramp = kRamps[dice.Below(kRamps.size())];
  const std::uint64_t effect = dice.Below(8);
  schedule.floor.reset();
  schedule.ceiling.reset();
  schedule.hold.clear();
  if (effect < 2) {
    schedule.floor = high;
  } else if (effect < 4) {
    schedule.ceiling = low;
  } else if (effect == 4) {
    schedule.floor = low;
    schedule.ceiling = high;
  } else if (effect == 5) {
    schedule.floor = high;
    schedule.hold = "ScaleDown";
  } else if (effect == 6) {
    schedule.ceiling = low;
    schedule.hold = "ScaleUp";
  } else {
    schedule.hold = hold;
  }
  const bool has_bound = schedule.floor || schedule.ceiling;
  schedule.ramp_minutes = has_bound && ramp > 0 ? std::optional(ramp) : std::nullopt;
}

}  // namespace

void World::BeginNearZoneChange() {
  Dice& dice = DiceOf(Fault::kCalendars);
  const ZoneChange change = AnyZoneChange(dice);
  changing_zone_ = change.zone;
  Machine::BeginAt(change.at - now() - dice.Between(600, 6600) * kSecond);
  Met(Fault::kCalendars, change.zone);
}

// Often that at which another window ends.
Nanoseconds World::AnyBegin(std::size_t index, Dice& dice) const {
  constexpr Nanoseconds kNear = 20 * kMinute;
  const Nanoseconds wall = Machine().Wall(now()) / kMinute * kMinute;
  const Nanoseconds any = wall + dice.Between(-15, 20) * kMinute;
  const bool follows = dice.OneIn(2);
  const std::uint64_t which = dice.Below(1000);
  std::vector<Nanoseconds> ends;
  for (const Load::Window& window : loads_[index].windows) {
    if (window.gone == kNever && std::abs(window.until - wall) < kNear) {
      ends.push_back(window.until / kMinute * kMinute);
    }
  }
  return follows && !ends.empty() ? ends[which % ends.size()] : any;
}

Load::Schedule World::AnySchedule(std::size_t index, Dice& dice) {
  const char* const plain = kPlainZones[dice.Below(kPlainZones.size())];
  const char* const zone = dice.OneIn(2) ? changing_zone_ : plain;
  const Nanoseconds begins = AnyBegin(index, dice);
  const std::int64_t minutes = dice.Between(1, 30);
  Load::Schedule schedule{
      .name = "c" + std::to_string(index) + "-" + std::to_string(now() / kMillisecond),
      .times = AnyTimes(dice, zone, begins, minutes)};
  DrawEffect(dice, schedule);
  return schedule;
}

// One more, or another form of one that there is.
World::Event World::ChangeSchedules(std::size_t index, Dice& dice) {
  const std::uint64_t change = dice.Below(8);
  const std::uint64_t which = dice.Below(1000);
  Load::Schedule drawn = AnySchedule(index, dice);
  const std::vector<Load::Schedule>& present = loads_[index].schedules;
  if (loads_[index].hpa || IsBeingMade(index)) {
    return {};
  }
  if (drawn.ceiling && !drawn.floor) {
    SwitchOff(*drawn.ceiling);
  }
  const auto put = [this, index](const char* what, const Load::Schedule& schedule) -> Event {
    return [=, this] {
      Met(Fault::kCalendars, what);
      PutSchedule(index, schedule);
    };
  };
  if (present.empty() || change < 3) {
    return put("schedule", drawn);
  }
  Load::Schedule edited = present[which % present.size()];
  if (change == 3) {
    return [this, index, name = edited.name] {
      Met(Fault::kCalendars, "removal");
      RemoveSchedule(index, name);
    };
  }
  if (change < 6) {
    edited.times = drawn.times;
    return put("other times", edited);
  }
  if (change == 6 && (edited.floor || edited.ceiling)) {
    edited.ramp_minutes = drawn.ramp_minutes;
    return put("other ramp", edited);
  }
  drawn.name = edited.name;
  drawn.times = edited.times;
  return put("other effect", drawn);
}

}  // namespace ballast::faults
