#include "api/autoscaling/schedule_status.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

void Decode(const json::Cursor& in, ActiveSchedule& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("since"), out.since);
  Decode(in.Member("until"), out.until);
}

void Decode(const json::Cursor& in, NextScheduleChange& out) {
  Decode(in.Member("time"), out.time);
  in.Member("schedule").Read(out.schedule);
  in.Member("minReplicas").Read(out.min_replicas);
  in.Member("maxReplicas").Read(out.max_replicas);
}

void Decode(const json::Cursor& in, ScheduleStatus& out) {
  Decode(in.Member("active"), out.active);
  Decode(in.Member("next"), out.next);
  in.Member("startupSeconds").Read(out.startup_seconds);
}

void Encode(json::Writer& out, const ActiveSchedule& active) {
  out.Object([&] {
    out.Field("name", active.name);
    EncodeField(out, "since", active.since);
    EncodeField(out, "until", active.until);
  });
}

void Encode(json::Writer& out, const NextScheduleChange& next) {
  out.Object([&] {
    out.Field("time", Print(next.time));
    out.Field("schedule", next.schedule);
    out.Field("minReplicas", next.min_replicas);
    out.Field("maxReplicas", next.max_replicas);
  });
}

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
