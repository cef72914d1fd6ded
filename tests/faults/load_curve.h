// The load of one policy over time, which is known in advance, and what it is like for a policy
// that scales on it: the recommendation of any moment, without an operator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/meta.h"
#include "tests/faults/faults.h"
#include "tests/faults/fibers.h"
#include "tests/faults/schedule_times.h"

namespace ballast::faults {

inline constexpr std::int64_t kMax = 20;  // replicas
// What is drawn.
inline constexpr std::array<Nanoseconds, 4> kPeriods{5 * kSecond, 15 * kSecond, 15 * kSecond,
                                                     60 * kSecond};
inline constexpr std::array<Nanoseconds, 3> kWindows{60 * kSecond, 300 * kSecond, 600 * kSecond};

enum class MetricKind {
  kExternal,
  kUtilization,
  kResource,
  kContainerResource,
  kPodMetrics,
  kObject,
  kPrometheus,
};
inline constexpr std::array<const char*, 7> kMetricKinds{
    "external", "utilization", "resource", "container resource", "pods", "object", "prometheus"};

constexpr bool IsPerPod(MetricKind kind) {
  return kind >= MetricKind::kUtilization && kind <= MetricKind::kPodMetrics;
}

// Pods are ready at most that long after the count has changed; a sample of CPU counts a window
// later.
inline constexpr Nanoseconds kReadyWithin = 45 * kSecond;
inline constexpr Nanoseconds kMetricWindow = 30 * kSecond;

struct Load {
  // What the policy is like.
  std::string name;
  std::string target = {};  // the Deployment that it scales at present
  bool hpa = false;         // it scales a native HPA; else a policy
  Nanoseconds period = 15 * kSecond;
  Nanoseconds window = 300 * kSecond;  // of scaling down
  std::int64_t max_ups = 0;            // replicas that may be added in a minute; 0: any number
  Nanoseconds sample_every = 0;        // samples of the metric are so far apart; 0: at each request
  Nanoseconds ahead = 0;               // by how much their times are ahead
  MetricKind metric = MetricKind::kExternal;
  // Metrics beside that one, each of a part of the load, so that they never ask for more.
  struct Part {
    MetricKind kind;
    std::int64_t divisor;
  };
  std::vector<Part> parts;
  // What spec.behavior has beside the window and max_ups.
  struct Rules {
    Nanoseconds up_window = 0;
    std::string up_select = "Max";
    std::string up_more;  // policies beside the first, each with a comma before it
    std::string up_tolerance;
    std::string down_select = "Max";
    std::string down_policies = R"({"type":"Percent","value":100,"periodSeconds":15})";
    std::string down_tolerance;
    bool any = false;  // other than these
    // By them alone it may take so long until the count is where it is to be.
    Nanoseconds climb = 0;
  };
  Rules rules = {};
  // spec.fallback; 0: it has none.
  Nanoseconds fallback_after = 0;
  std::int64_t fallback_replicas = 0;
  std::int64_t min = 1;
  std::int64_t max = kMax;
  std::string mode = "Active";        // of an HPA: the annotation
  std::string usual_mode = "Active";  // unless somebody edits it
  std::string paused_until;           // RFC 3339; empty: no pause
  std::string paused_direction;
  bool invalid = false;  // its spec

  // What was so until an edit, oldest first.
  struct Former {
    Nanoseconds until;
    Nanoseconds period;
    Nanoseconds window;
    std::int64_t min;
  };
  std::vector<Former> former;
  // When nothing was to be scaled in or out, oldest first.
  struct Suspension {
    Nanoseconds from;
    Nanoseconds until;
    bool in;
    bool out;
    bool by_clock = false;  // it ends when a replica's clock says so
  };
  std::vector<Suspension> suspensions;

  // Bounds or a hold for a while, by an override or by a schedule.
  struct Window {
    enum class Kind { kFloor, kCeiling, kPin, kHold };
    std::string name;
    Kind kind;
    std::int64_t count = 0;  // a hold has none
    bool in = false;         // what a hold holds
    bool out = false;
    bool is_override = false;  // else it is a schedule's
    // By a wall clock that is right.
    Nanoseconds from = 0;
    Nanoseconds until = 0;
    // A schedule's floor counts a while before that, its ceiling a while after that.
    Nanoseconds lead = 0;
    Nanoseconds ramp = 0;
    bool by_rates = false;  // it comes down by these; else by rampMinutes
    // When it was made, and deleted before its end, in the world.
    Nanoseconds made = 0;
    Nanoseconds gone = kNever;

    // Whether while it is open `older` does not count.
    bool Replaces(const Window& older) const {
      return is_override && older.is_override && kind == older.kind && made > older.made;
    }
  };
  std::vector<Window> windows;
  // Of its spec.
  struct Schedule {
    std::string name;
    ScheduleTimes times;
    std::optional<std::int64_t> floor = {};
    std::optional<std::int64_t> ceiling = {};
    std::string hold = {};  // empty: none
    std::optional<std::int64_t> ramp_minutes = {};
  };
  std::vector<Schedule> schedules;

  // Call it before an edit.
  void WillBeEdited(Nanoseconds now) { former.push_back({now, period, window, min}); }
  Nanoseconds edited() const { return former.empty() ? 0 : former.back().until; }
  // The least and the most of what was so at `since` or later.
  template <typename T>
  T Least(T Former::*setting, T present, Nanoseconds since) const {
    return Most(setting, present, since, std::less<T>());
  }
  template <typename T, typename Before = std::greater<T>>
  T Most(T Former::*setting, T present, Nanoseconds since, Before before = {}) const {
    for (auto at = former.rbegin(); at != former.rend() && at->until > since; ++at) {
      present = before((*at).*setting, present) ? (*at).*setting : present;
    }
    return present;
  }
  // Whoever hears of an edit within `lateness` remembers at least what was since then. A clock may
  // drift by 2 %.
  Nanoseconds RememberedSince(Nanoseconds now, Nanoseconds lateness) const {
    Nanoseconds since = now - window * 98 / 100;
    for (const Former& one : former) {
      since = std::max(since, std::min(now, one.until + lateness) - one.window * 98 / 100);
    }
    return since;
  }

  // What its bounds make of a window's count: a policy can be switched off.
  std::int64_t Within(std::int64_t count, std::int64_t most) const {
    return count == 0 && !hpa ? 0 : std::clamp(count, min, std::max(min, most));
  }

  // Whether it scales so far, however slowly.
  bool MayGo(std::int64_t from, std::int64_t to) const {
    return from == to || (to > from ? rules.up_select : rules.down_select) != "Disabled";
  }

  // Whether a metric is that of each pod.
  bool per_pod() const {
    return IsPerPod(metric) ||
           std::ranges::any_of(parts, [](const Part& part) { return IsPerPod(part.kind); });
  }
  // For how long after pods came or went some of them do not count.
  Nanoseconds settling() const {
    return per_pod() ? kReadyWithin + kMetricWindow + 2 * sample_every : 0;
  }

  // The replicas that the load needs, constant from each moment to the next.
  struct Level {
    Nanoseconds from;
    std::int64_t replicas;
  };
  std::vector<Level> levels;

  // The level of that moment.
  std::vector<Level>::const_iterator LevelAt(Nanoseconds time) const {
    return std::prev(std::upper_bound(
        levels.begin(), levels.end(), std::max<Nanoseconds>(time, 0),
        [](Nanoseconds moment, const Level& level) { return moment < level.from; }));
  }
  std::int64_t At(Nanoseconds time) const { return LevelAt(time)->replicas; }
  // When the level of that moment began.
  Nanoseconds Since(Nanoseconds time) const { return LevelAt(time)->from; }
  // The time of the newest sample at that moment.
  Nanoseconds SampledAt(Nanoseconds time) const {
    return sample_every == 0 ? time : time - time % sample_every;
  }
};

using WindowKind = Load::Window::Kind;

inline api::ObjectKey KeyOf(const Load& load) { return {"shop", load.name}; }
inline api::ObjectKey TargetOf(const Load& load) { return {"shop", load.target}; }

// The Deployments of a load have its name, or this after it.
inline constexpr const char* kOtherTarget = "-blue";
inline std::string LoadOfTarget(const std::string& target) {
  return target.substr(0, target.find(kOtherTarget));
}

// A policy for a load beside its own has this before the name.
inline constexpr const char* kOther = "other-";

// Whether a policy with the default tolerance of 10 % leaves `replicas` as they are.
inline bool Suffice(std::int64_t replicas, std::int64_t needed) {
  return replicas == needed || (replicas > 0 && std::abs(10 * (needed - replicas)) <= replicas);
}

}  // namespace ballast::faults
