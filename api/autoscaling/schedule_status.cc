#include "api/autoscaling/schedule_status.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

void Fields(auto& f, Of<ActiveSchedule> auto& v) {
  f.Always("name", v.name);
  f("since", v.since);
  f("until", v.until);
}

void Fields(auto& f, Of<NextScheduleChange> auto& v) {
  f.Always("time", v.time);
  f.Always("schedule", v.schedule);
  f.Always("minReplicas", v.min_replicas);
  f.Always("maxReplicas", v.max_replicas);
  f.Always("hold", v.hold);
}

void Decode(const json::Cursor& in, ScheduleStatus& out) {
  Decode(in.Member("active"), out.active);
  Decode(in.Member("next"), out.next);
  in.Member("startupSeconds").Read(out.startup_seconds);
}

void Encode(json::Writer& out, const NextScheduleChange& next) { WriteFields(out, next); }

// The members are always there, so that a merge patch leaves nothing of an earlier status.
void Encode(json::Writer& out, const ScheduleStatus& status) {
  out.Object([&] {
    out.Key("active");
    Encode(out, status.active);
    out.Key("next");
    if (status.next) {
      Encode(out, *status.next);
    } else {
      out.Null();
    }
    out.Field("startupSeconds", status.startup_seconds);
  });
}

}  // namespace ballast::api
