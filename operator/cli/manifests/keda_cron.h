// The schedule of a policy that does what a trigger of type cron of KEDA does: at least so many
// replicas from each `start` to the `end` that follows.
//
// Errors: kInvalid: there is no such schedule; the message says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/schedule.h"
#include "api/base/result.h"
#include "api/json/json.h"
#include "operator/cli/manifests/policy_of.h"

namespace ballast::cli {

// The trigger's metadata, as texts.
struct KedaCron {
  std::string time_zone;
  std::string start;
  std::string end;
};

struct CronConversion {
  api::Schedule schedule;  // without a name and bounds
  std::string difference;  // from what KEDA does; empty: none
};

Result<CronConversion> ScheduleOfCron(const KedaCron& cron);

// minReplicaCount and maxReplicaCount, with KEDA's defaults.
struct ReplicaRange {
  std::int32_t min = 0;
  std::int32_t max = 100;
};

// What spec.triggers[index] becomes, of type cron; absent: nothing, and a loss says why.
std::optional<api::Schedule> ScheduleOfTrigger(const json::Cursor& trigger, int index,
                                               const ReplicaRange& range,
                                               std::vector<Loss>& losses);

}  // namespace ballast::cli
