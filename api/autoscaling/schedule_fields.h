// The list of a schedule's fields: for its JSON (as codec.h has it), and for its packed form.
#pragma once

#include "api/autoscaling/schedule.h"
#include "api/kubernetes/codec.h"

namespace ballast::api {

void Fields(auto& f, Of<Schedule> auto& v) {
  f.Always("name", v.name);
  f("timeZone", v.time_zone);
  f("days", v.days);
  f("from", v.from);
  f("to", v.to);
  f("cron", v.cron);
  f("duration", v.duration);
  f("minReplicas", v.min_replicas);
  f("maxReplicas", v.max_replicas);
  f("hold", v.hold);
  f("rampMinutes", v.ramp_minutes);
  f("except", v.except);
  f("only", v.only);
}

}  // namespace ballast::api
