#include "api/autoscaling/schedule.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

void Decode(const json::Cursor& in, Schedule& out) {
  in.Member("name").Read(out.name);
  in.Member("timeZone").Read(out.time_zone);
  Decode(in.Member("days"), out.days);
  in.Member("from").Read(out.from);
  in.Member("to").Read(out.to);
  in.Member("cron").Read(out.cron);
  in.Member("duration").Read(out.duration);
  in.Member("minReplicas").Read(out.min_replicas);
  in.Member("maxReplicas").Read(out.max_replicas);
  in.Member("hold").Read(out.hold);
  in.Member("rampMinutes").Read(out.ramp_minutes);
  Decode(in.Member("except"), out.except);
  Decode(in.Member("only"), out.only);
}

void Encode(json::Writer& out, const Schedule& schedule) {
  out.Object([&] {
    out.Field("name", schedule.name);
    EncodeField(out, "timeZone", schedule.time_zone);
    EncodeField(out, "days", schedule.days);
    EncodeField(out, "from", schedule.from);
    EncodeField(out, "to", schedule.to);
    EncodeField(out, "cron", schedule.cron);
    EncodeField(out, "duration", schedule.duration);
    EncodeField(out, "minReplicas", schedule.min_replicas);
    EncodeField(out, "maxReplicas", schedule.max_replicas);
    EncodeField(out, "hold", schedule.hold);
    EncodeField(out, "rampMinutes", schedule.ramp_minutes);
    EncodeField(out, "except", schedule.except);
    EncodeField(out, "only", schedule.only);
  });
}

}  // namespace ballast::api
