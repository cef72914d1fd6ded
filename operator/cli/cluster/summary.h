// What an on-call person wants to know of an autoscaler at a glance, from its object alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"

namespace ballast::cli {

struct Summary {
  std::string kind;
  std::string namespace_;
  std::string name;
  std::string target;  // "Deployment/web"
  std::string mode;    // an HPA's without the annotation: empty, the installation decides
  std::int32_t min = 1;
  std::int32_t max = 0;
  std::int32_t current = 0;
  std::int32_t desired = 0;
  std::string ready;    // "True", "False", "Unknown", as in conditions
  std::string reason;   // for that
  std::string message;  // the reason's
  // What keeps the count from being what the metrics ask for: "maxReplicas", "schedule day, on its
  // way to 12", "hold: schedule freeze"; empty: nothing.
  std::string limited_by;
  std::optional<Time> last_scale_time;
  std::vector<std::string> schedules;  // whose windows are open
  std::optional<api::NextScheduleChange> next_change;
  bool held = false;  // by one of these schedules

  bool healthy() const { return ready == "True"; }
};

// Of an HPA, which has no condition Ready: whether its controller can scale it.
Summary Summarize(const api::Autoscaler& autoscaler);

}  // namespace ballast::cli
