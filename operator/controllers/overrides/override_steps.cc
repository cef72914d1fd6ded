#include "operator/controllers/overrides/override_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "api/autoscaling/schedule.h"

namespace ballast::controllers {
namespace {

void Earlier(std::optional<Time>& next, std::optional<Time> other) {
  if (other && (!next || *other < *next)) {
    next = other;
  }
}

bool HasEnded(const api::OverrideStatus& status) {
  return status.phase == cluster::kPhaseExpired || status.phase == cluster::kPhaseInvalid;
}

// From when on it does not count. The end of one that never did may be wrong, too.
Time EndOf(const api::AutoScaleOverride& override) {
  return override.problem.empty() ? override.end() : override.start();
}

struct ConsideredOverride {
  cluster::OverridePointer override;
  api::OverrideStatus status;                  // as if there were no other
  std::vector<api::ObjectReference> subjects;  // none of what is over for some time
};

// Of an autoscaler.
struct SubjectState {
  cluster::NewestOverrides newest;  // of those that are open
  std::string obstacle;
  cluster::AutoscalerPointer autoscaler;  // null: there is none
};

using SubjectStates = std::map<api::ObjectReference, SubjectState>;

ConsideredOverride Look(const cluster::OverridePointer& override, const OverrideLookups& lookups,
                        Time now) {
  ConsideredOverride seen{override, cluster::StatusAt(*override, nullptr, now), {}};
  if (!HasEnded(seen.status) || seen.status.phase != override->status.phase) {
    seen.subjects = lookups.subjects(*override);
  }
  return seen;
}

std::string Describe(const api::ObjectReference& autoscaler) {
  return autoscaler.kind + " " + autoscaler.name;
}

// The other override of the autoscaler that leaves nothing of one of that type, null if none does:
// the last to apply of the pins and holds of every count that come after it.
cluster::OverridePointer BeaterOf(api::OverrideType type, const cluster::NewestOverrides& newest) {
  cluster::OverridePointer beater;
  for (const cluster::OverridePointer& other : newest) {
    if (other != nullptr && type < *other->spec.type() &&
        (other->spec.pin || other->spec.hold == api::kHoldAll)) {
      beater = other;
    }
  }
  return beater;
}

std::string Tell(const api::AutoScaleOverride& beater) {
  return beater.metadata.name + (beater.spec.pin ? " pins the replicas" : " holds every count") +
         " until " + Print(beater.spec.until);
}

// Those of the autoscalers of an override about which there is the same to say.
struct SubjectsAlike {
  void Add(const std::string& why) {
    if (!why.empty() && ++count == 1) {
      first = why;
    }
  }
  // " on 1 of 2"
  std::string Share(std::size_t all) const {
    return " on " + std::to_string(count) + " of " + std::to_string(all);
  }

  std::size_t count = 0;
  std::string first;  // about the first of them
};

// Of one that is open, beside all others.
api::OverrideStatus StatusAmong(const ConsideredOverride& seen, const SubjectStates& states,
                                Time now) {
  const api::OverrideSpec& spec = seen.override->spec;
  std::size_t superseded = 0;
  SubjectsAlike idle;
  SubjectsAlike limited;
  for (const api::ObjectReference& subject : seen.subjects) {
    const SubjectState& state = states.at(subject);
    const auto status = cluster::StatusAt(*seen.override, state.newest.Of(*spec.type()).get(), now);
    const bool newer = status.phase == cluster::kPhaseSuperseded;
    const auto beater =
        newer || !state.obstacle.empty() ? nullptr : BeaterOf(*spec.type(), state.newest);
    const std::string why = newer               ? status.message
                            : beater != nullptr ? Tell(*beater)
                                                : state.obstacle;
    const bool later = beater != nullptr && beater->spec.until < spec.until;
    superseded += newer ? 1 : 0;
    if (!why.empty()) {
      idle.Add(spec.selector ? Describe(subject) + ": " + why
               : newer       ? why
               : later       ? "no effect yet: " + why
                             : cluster::kWithoutEffect + (": " + why));
    } else if (state.autoscaler != nullptr) {
      limited.Add(
          api::LimitOf(spec, *state.autoscaler, state.newest.Of(api::OverrideType::kFloor).get()));
    }
  }
  const std::size_t all = seen.subjects.size();
  api::OverrideStatus status{
      all > 0 && superseded == all ? cluster::kPhaseSuperseded : cluster::kPhaseActive,
      idle.first + limited.first,
      {}};
  if (!spec.selector) {
    return status;
  }
  status.matched = static_cast<std::int32_t>(all);
  status.message =
      all == 0
          ? cluster::kWithoutEffect + (": no " + spec.kind) + " of this namespace has such labels"
      : idle.count > 0 ? cluster::kWithoutEffect + idle.Share(all) + ", as on " + idle.first
                       : "";
  if (limited.count > 0) {
    status.message += (status.message.empty() ? "limited" : "; limited") + limited.Share(all) +
                      ": " + limited.first;
  }
  return status;
}

}  // namespace

OverrideSteps StepsAt(const std::vector<cluster::OverridePointer>& all,
                      const OverrideLookups& lookups, const OverridePhases& told, Time now) {
  std::vector<ConsideredOverride> seen;
  SubjectStates states;
  for (const cluster::OverridePointer& override : all) {
    const ConsideredOverride& one = seen.emplace_back(Look(override, lookups, now));
    if (one.status.phase == cluster::kPhaseActive) {
      for (const api::ObjectReference& subject : one.subjects) {
        const auto [state, first] = states.try_emplace(subject);
        if (first) {
          state->second.obstacle = lookups.obstacle(subject);
          state->second.autoscaler = lookups.find(subject);
        }
        state->second.newest.Add(override);
      }
    }
  }
  OverrideSteps steps;
  for (const ConsideredOverride& one : seen) {
    const cluster::OverridePointer& override = one.override;
    api::OverrideStatus status =
        one.status.phase == cluster::kPhaseActive ? StatusAmong(one, states, now) : one.status;
    if (status.phase == cluster::kPhasePending && override->spec.selector) {
      status.matched = static_cast<std::int32_t>(one.subjects.size());
    }
    status.owner = override->spec.owner;  // as whoever has read it judged it
    if (status.phase == cluster::kPhaseActive) {
      steps.active.push_back(override);
    }
    if (HasEnded(status)) {
      const Time deleted = EndOf(*override) + kEndedOverrideKept;
      if (deleted > now) {
        Earlier(steps.next, deleted);
      } else if (!override->metadata.deletion_timestamp) {  // else somebody's finalizer keeps it
        steps.outdated.push_back(override);
        continue;
      }
    }
    const auto before = told.find(override->metadata.uid);
    if (status.phase != (before == told.end() ? override->status.phase : before->second)) {
      steps.autoscalers.insert(one.subjects.begin(), one.subjects.end());
    }
    steps.phases.emplace(override->metadata.uid, status.phase);
    if (status != override->status) {
      steps.statuses.push_back({override, std::move(status)});
    }
  }
  Earlier(steps.next, cluster::NextChange(all, now));
  return steps;
}

}  // namespace ballast::controllers
