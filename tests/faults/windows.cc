// The people who make overrides and schedules, and end them early.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

constexpr Nanoseconds kMinute = 60 * kSecond;
// A floor begins earlier by the time that starts and its ramp take.
constexpr Nanoseconds kLongestLead = 45 * kMinute;

constexpr std::array<const char*, 4> kWindowKinds{"floor", "ceiling", "pin", "hold"};

// The minutes by which a zone without summer time is ahead of UTC.
struct Zone {
  const char* name;
  std::int64_t ahead;
};
constexpr Zone kUtc{"UTC", 0};
constexpr std::array<Zone, 5> kZones{kUtc,
                                     {"Asia/Kathmandu", 345},
                                     {"America/Phoenix", -420},
                                     {"Pacific/Kiritimati", 840},
                                     {"Pacific/Pago_Pago", -660}};

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

// "14:05", as that zone's clocks show it.
std::string TimeOfDay(Nanoseconds wall, const Zone& zone) {
  const std::int64_t minutes = (wall / kMinute + zone.ahead) % (24 * 60);
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(minutes / 60),
                static_cast<int>(minutes % 60));
  return text;
}

}  // namespace

void World::ScheduleWindows() {
  Every(Fault::kOverriding, 600 * kSecond,
        [this](Dice& dice) { return Override(AnyPolicy(dice), dice); });
  Every(Fault::kSchedules, 900 * kSecond,
        [this](Dice& dice) { return AddSchedule(AnyPolicy(dice), dice); });
}

void World::SwitchOff(Load::Window& window) {
  const bool is_upper = window.kind == WindowKind::kCeiling || window.kind == WindowKind::kPin;
  if (is_upper && options_.swarm.Has(Fault::kZeros) && DiceOf(Fault::kZeros).OneIn(3)) {
    window.count = 0;
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
  const std::optional<Nanoseconds> deleted =
      dice.OneIn(3) ? std::optional(dice.Between(kSecond, begins + lasts)) : std::nullopt;
  const Nanoseconds wall = Machine().Wall(now());
  window.name = "override-" + std::to_string(index) + "-" + std::to_string(now() / kMillisecond);
  window.from = wall + begins;
  window.until = window.from + lasts;
  window.is_override = true;
  SwitchOff(window);
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
    if (deleted) {
      Fibers::Get().At(now() + *deleted, [this, name = window.name] { DeleteOverride(name); });
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
  const Zone zone = options_.swarm.Has(Fault::kWindowForms)
                        ? kZones[DiceOf(Fault::kWindowForms).Below(kZones.size())]
                        : kUtc;
  window.name = "s" + std::to_string(now() / kMillisecond);
  window.from = wall / kMinute * kMinute + begins * kMinute;
  window.until = window.from + lasts * kMinute;
  if (loads_[index].hpa || IsBeingMade(index)) {
    return {};
  }
  if (holds) {
    window.kind = WindowKind::kHold;
  } else if (window.kind == WindowKind::kFloor) {
    window.lead = kLongestLead;
  } else {
    SwitchOff(window);
    window.ramp = ramp == 1 ? 5 * kMinute : 2 * kMinute + loads_[index].rules.climb;
  }
  return [=, this] {
    Load& load = loads_[index];
    const char* const bound = holds                               ? ""
                              : window.kind == WindowKind::kFloor ? "minReplicas"
                                                                  : "maxReplicas";
    const std::string more = holds       ? std::string(R"(,"hold":")") + HoldOf(window) + "\""
                             : ramp == 0 ? ""
                             : ramp == 1 ? R"(,"rampMinutes":5)"
                                         : R"(,"rampMinutes":1)";
    const std::string text = R"("name":")" + window.name + R"(","timeZone":")" + zone.name +
                             R"(","from":")" + TimeOfDay(window.from, zone) + R"(","to":")" +
                             TimeOfDay(window.until, zone) + "\"" + more;
    load.schedules.push_back({window.name, text, bound, window.count});
    Trace(load.name + ": a schedule " + text +
          (holds ? "" : std::string(", ") + bound + " " + std::to_string(window.count)));
    Met(Fault::kSchedules, kWindowKinds[static_cast<std::size_t>(window.kind)]);
    load.WillBeEdited(now());
    PutAutoscaler(index);
    Open(index, window);
    if (is_removed) {
      Fibers::Get().At(now() + removed,
                       [=, this, name = window.name] { RemoveSchedule(index, name); });
    }
  };
}

// While it counts, what the load needs does not decide alone.
void World::Open(std::size_t index, Load::Window window) {
  constexpr Nanoseconds kApart = 200 * kSecond;  // a clock may be
  window.made = now();
  const Nanoseconds lasts = window.until - Machine().Wall(now());
  checks_.DisturbPolicy(index, now() + lasts + window.ramp + kApart);
  loads_[index].windows.push_back(std::move(window));
}

void World::EndWindow(const std::string& name) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const auto window = std::ranges::find(loads_[i].windows, name, &Load::Window::name);
    if (window != loads_[i].windows.end()) {
      Trace(loads_[i].name + ": " + name + " is deleted");
      window->gone = now();
      checks_.DisturbPolicy(i, now() + 60 * kSecond);
    }
  }
}

void World::DeleteOverride(const std::string& name) {
  const api::ObjectKey key{"shop", name};
  if (server_.Get(kOverrides, key) != nullptr) {
    server_.Delete(kOverrides, key);
    EndWindow(name);
  }
}

void World::RemoveSchedule(std::size_t index, const std::string& name) {
  Load& load = loads_[index];
  const auto removed =
      std::erase_if(load.schedules, [&](const auto& schedule) { return schedule.name == name; });
  if (removed > 0) {
    EndWindow(name);
    load.WillBeEdited(now());
    if (!IsBeingMade(index)) {
      PutAutoscaler(index);
    }
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
void World::EndWindows(std::size_t index) {
  for (std::size_t i = 0; i < loads_[index].windows.size(); ++i) {
    const std::string name = loads_[index].windows[i].name;
    DeleteOverride(name);
    RemoveSchedule(index, name);
  }
}

}  // namespace ballast::faults
