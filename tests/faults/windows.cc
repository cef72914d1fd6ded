// The people who make overrides and schedules, and end them early.
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

// A floor begins earlier by the time that starts and its ramp take.
constexpr Nanoseconds kLongestLead = 45 * kMinute;

constexpr std::array<const char*, 4> kWindowKinds{"floor", "ceiling", "pin", "hold"};

const char* HoldOf(const Load::Window& window) {
  return window.in && window.out ? "All" : window.in ? "ScaleDown" : "ScaleUp";
}

Load::Window AnyWindow(Dice& dice, std::uint64_t kinds) {
  Load::Window window{.kind = static_cast<WindowKind>(dice.Below(kinds))};
  const std::uint64_t directions = dice.Below(3);
  window.count = dice.Between(1, kMax);
  window.in = directions != 1;
  window.out = directions != 2;
  return window;
}

// As a person writes it, but for its times.
std::string TextOf(const Load::Schedule& schedule) {
  const auto& [name, times, floor, ceiling, hold, ramp] = schedule;
  return name + (floor ? ", at least " + std::to_string(*floor) : "") +
         (ceiling ? ", at most " + std::to_string(*ceiling) : "") +
         (hold.empty() ? "" : ", hold " + hold) +
         (ramp ? ", ramp " + std::to_string(*ramp) + " min" : "");
}

}  // namespace

void World::ScheduleWindows() {
  Every(Fault::kOverriding, 600 * kSecond,
        [this](Dice& dice) { return Override(AnyPolicy(dice), dice); });
  Every(Fault::kSchedules, 900 * kSecond,
        [this](Dice& dice) { return AddSchedule(AnyPolicy(dice), dice); });
  Every(Fault::kCalendars, 300 * kSecond,
        [this](Dice& dice) { return ChangeSchedules(AnyPolicy(dice), dice); });
}

void World::SwitchOff(std::int64_t& upper) {
  if (options_.swarm.Has(Fault::kZeros) && DiceOf(Fault::kZeros).OneIn(3)) {
    upper = 0;
  }
}

bool World::MayBeMade(std::size_t index, WindowKind kind) {
  if (options_.swarm.Has(Fault::kWindowForms) && DiceOf(Fault::kWindowForms).OneIn(2)) {
    return true;  // the newest counts
  }
  const Nanoseconds wall = Machine().Wall(now());
  return std::ranges::none_of(loads_[index].windows, [&](const Load::Window& other) {
    return other.kind == kind && other.until > wall && other.gone == kNever;
  });
}

World::Event World::Override(std::size_t index, Dice& dice) {
  Load::Window window = AnyWindow(dice, kWindowKinds.size());
  const Nanoseconds begins = dice.OneIn(2) ? 0 : dice.Between(kSecond, 300 * kSecond);
  const Nanoseconds lasts = dice.Between(30 * kSecond, 900 * kSecond);
  const std::optional<Nanoseconds> ended =
      dice.OneIn(3) ? std::optional(dice.Between(kSecond, begins + lasts)) : std::nullopt;
  const Nanoseconds wall = Machine().Wall(now());
  window.name = "override-" + std::to_string(index) + "-" + std::to_string(now() / kMillisecond);
  window.from = wall + begins;
  window.until = window.from + lasts;
  window.is_override = true;
  if (window.kind == WindowKind::kCeiling || window.kind == WindowKind::kPin) {
    SwitchOff(window.count);
  }
  const bool by_labels =
      options_.swarm.Has(Fault::kWindowForms) && DiceOf(Fault::kWindowForms).OneIn(3);
  if (!MayBeMade(index, window.kind)) {
    return {};
  }
  return [=, this] {
    const Load& load = loads_[index];
    const auto kind = static_cast<std::size_t>(window.kind);
    const std::string of_kind =
        std::string(R"({"kind":")") + (load.hpa ? "HorizontalPodAutoscaler" : "AutoScalePolicy");
    const std::string whom =
        by_labels
            ? R"("selector":)" + of_kind + R"(","matchLabels":{"tier":")" + TierOf(index) + "\"}}"
            : R"("target":)" + of_kind + R"(","name":")" + load.name + "\"}";
    const std::string value = window.kind == WindowKind::kHold
                                  ? std::string("\"") + HoldOf(window) + "\""
                                  : std::to_string(window.count);
    const std::string from = begins == 0 ? "" : R"("from":")" + Stamp(now() + begins) + R"(",)";
    Trace((by_labels ? "all of the " + TierOf(index) : load.name) + ": " + window.name + ", a " +
          kWindowKinds[kind] + " of " + value + " until " + Stamp(now() + begins + lasts));
    Met(Fault::kOverriding, kWindowKinds[kind]);
    server_.Put(
        kOverrides, {"shop", window.name},
        JsonValue::Of(R"({"metadata":{"creationTimestamp":")" + Stamp(now()) + R"("},"spec":{)" +
                      whom + "," + from + R"("until":")" + Stamp(now() + begins + lasts) +
                      R"(","reason":"a test",")" + kWindowKinds[kind] + R"(":)" + value + "}}"));
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const bool has_label = loads_[i].hpa == load.hpa && TierOf(i) == TierOf(index);
      if (by_labels ? has_label : i == index) {
        Open(i, window);
      }
    }
    if (ended) {
      const EarlyEnd how = *ended / kSecond % 2 == 0 ? EarlyEnd::kDeleted : EarlyEnd::kMarked;
      Fibers::Get().At(now() + *ended, [=, this, name = window.name] { EndOverride(name, how); });
    }
  };
}

// Each has its own time of the day, which comes once in a run.
World::Event World::AddSchedule(std::size_t index, Dice& dice) {
  Load::Window window = AnyWindow(dice, 2);
  const bool holds = dice.OneIn(4);
  const std::int64_t begins = dice.Between(2, 20);
  const std::int64_t lasts = dice.Between(1, 20);
  const std::uint64_t ramp = dice.Below(3);
  const bool is_removed = dice.OneIn(3);
  const Nanoseconds removed = dice.Between(kSecond, (begins + lasts) * kMinute);
  const Nanoseconds wall = Machine().Wall(now());
  const char* const zone = options_.swarm.Has(Fault::kWindowForms)
                               ? kPlainZones[DiceOf(Fault::kWindowForms).Below(kPlainZones.size())]
                               : kPlainZones.front();
  if (loads_[index].hpa || IsBeingMade(index)) {
    return {};
  }
  Load::Schedule schedule{.name = "s" + std::to_string(now() / kMillisecond),
                          .times = Daily(zone, wall / kMinute * kMinute + begins * kMinute, lasts)};
  if (holds) {
    window.kind = WindowKind::kHold;
    schedule.hold = HoldOf(window);
  } else if (window.kind == WindowKind::kFloor) {
    schedule.floor = window.count;
  } else {
    SwitchOff(window.count);
    schedule.ceiling = window.count;
  }
  if (!holds && ramp > 0) {
    schedule.ramp_minutes = ramp == 1 ? 5 : 1;
  }
  return [=, this] {
    Met(Fault::kSchedules, kWindowKinds[static_cast<std::size_t>(window.kind)]);
    PutSchedule(index, schedule);
    if (is_removed) {
      Fibers::Get().At(now() + removed,
                       [=, this, name = schedule.name] { RemoveSchedule(index, name); });
    }
  };
}

// It takes the place of one of that name.
void World::PutSchedule(std::size_t index, const Load::Schedule& schedule) {
  Load& load = loads_[index];
  Trace(load.name + ": a schedule " + TextOf(schedule) + ", " + schedule.times.Text());
  const auto same = std::ranges::find(load.schedules, schedule.name, &Load::Schedule::name);
  if (same == load.schedules.end()) {
    load.schedules.push_back(schedule);
  } else {
    *same = schedule;
    EndWindows(schedule.name);
  }
  PutEdited(index);
  // By a clock that is wrong, too.
  constexpr Nanoseconds kBefore = 180 * kMinute;
  constexpr Nanoseconds kAfter = 720 * kMinute;
  const Nanoseconds minute = Machine().Wall(now()) / kMinute * kMinute;
  for (const auto& [from, until] : WindowsOf(schedule.times, minute - kBefore, minute + kAfter)) {
    OpenWindows(index, schedule, {.name = schedule.name, .from = from, .until = until});
  }
}

// `window`: its name and its times.
void World::OpenWindows(std::size_t index, const Load::Schedule& schedule,
                        const Load::Window& window) {
  if (schedule.floor) {
    Load::Window floor = window;
    floor.kind = WindowKind::kFloor;
    floor.count = *schedule.floor;
    floor.lead = kLongestLead;
    Open(index, std::move(floor));
  }
  if (schedule.ceiling) {
    Load::Window ceiling = window;
    ceiling.kind = WindowKind::kCeiling;
    ceiling.count = *schedule.ceiling;
    ceiling.by_rates = !schedule.ramp_minutes;
    ceiling.ramp = ceiling.by_rates ? 2 * kMinute + loads_[index].rules.climb
                                    : *schedule.ramp_minutes * kMinute;
    Open(index, std::move(ceiling));
  }
  if (!schedule.hold.empty()) {
    Load::Window hold = window;
    hold.kind = WindowKind::kHold;
    hold.in = schedule.hold != "ScaleUp";
    hold.out = schedule.hold != "ScaleDown";
    Open(index, std::move(hold));
  }
}

// While it counts, what the load needs does not decide alone.
void World::Open(std::size_t index, Load::Window window) {
  constexpr Nanoseconds kApart = 200 * kSecond;  // a clock may be
  window.made = now();
  const Nanoseconds lasts = window.until - Machine().Wall(now());
  checks_.DisturbPolicy(index, now() + lasts + window.ramp + kApart);
  loads_[index].windows.push_back(std::move(window));
}

void World::EndWindows(const std::string& name) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    bool has_ended = false;
    for (Load::Window& window : loads_[i].windows) {
      if (window.name == name && window.gone == kNever) {
        window.gone = now();
        has_ended = true;
      }
    }
    if (has_ended) {
      Trace(loads_[i].name + ": " + name + " is ended or edited");
      checks_.DisturbPolicy(i, now() + 60 * kSecond);
    }
  }
}

void World::EndOverride(const std::string& name, EarlyEnd how) {
  const api::ObjectKey key{"shop", name};
  const JsonValue* present = server_.Get(kOverrides, key);
  if (present == nullptr || present->Find("ended") != nullptr) {
    return;
  }
  if (how == EarlyEnd::kDeleted) {
    server_.Delete(kOverrides, key);
  } else {
    JsonValue marked = *present;
    marked["ended"] = JsonValue(Stamp(now()));
    server_.Put(kOverrides, key, std::move(marked));
  }
  EndWindows(name);
}

void World::RemoveSchedule(std::size_t index, const std::string& name) {
  const auto removed = std::erase_if(loads_[index].schedules,
                                     [&](const auto& schedule) { return schedule.name == name; });
  if (removed > 0) {
    EndWindows(name);
    PutEdited(index);
  }
}

void World::PutEdited(std::size_t index) {
  loads_[index].WillBeEdited(now());
  if (!IsBeingMade(index)) {
    PutAutoscaler(index);
  }
}

std::optional<Nanoseconds> World::AnyBoundary(Dice& dice) const {
  constexpr Nanoseconds kFar = 7200 * kSecond;  // as other steps
  const Nanoseconds wall = Machine().Wall(now());
  std::vector<Nanoseconds> near;
  for (const Load& load : loads_) {
    for (const Load::Window& window : load.windows) {
      for (const Nanoseconds boundary : {window.from, window.until, window.until + load.window}) {
        if (std::abs(boundary - wall) < kFar) {
          near.push_back(boundary);
        }
      }
    }
  }
  if (near.empty() || dice.OneIn(2)) {
    return std::nullopt;
  }
  return near[dice.Below(near.size())] + dice.Between(-4, 4) * kSecond;
}

// All is calm from now on.
void World::EndAllWindows(std::size_t index) {
  for (const Load::Window& window : loads_[index].windows) {
    EndOverride(window.name, EarlyEnd::kDeleted);
  }
  const auto schedules = std::exchange(loads_[index].schedules, {});
  for (const Load::Schedule& schedule : schedules) {
    EndWindows(schedule.name);
  }
  if (!schedules.empty()) {
    PutEdited(index);  // once: a ledger gives up history where too many edits wait
  }
}

}  // namespace ballast::faults
