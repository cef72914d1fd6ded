#include "api/decision/schedule_window_json.h"

#include <algorithm>

#include "api/autoscaling/schedule.h"
#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::engine {

using api::Decode;
using api::Encode;
using api::EncodeField;

namespace {

void Read(const json::Cursor& in, OverrideOrigin& out) {
  in.Member("owner").Read(out.owner);
  in.Member("reason").Read(out.reason);
}

void Write(json::Writer& out, const OverrideOrigin& origin) {
  out.Object([&] {
    EncodeField(out, "owner", origin.owner);
    EncodeField(out, "reason", origin.reason);
  });
}

void Read(const json::Cursor& in, ScheduleWindow& out) {
  in.Required("name").Read(out.name);
  in.Member("timeZone").Read(out.time_zone);
  Decode(in.Required("start"), out.start);
  Decode(in.Member("end"), out.end);
  in.Member("minReplicas").Read(out.min_replicas);
  in.Member("maxReplicas").Read(out.max_replicas);
  const json::Cursor hold = in.Member("hold");
  if (hold.Read(out.hold) && std::ranges::find(api::kHolds, out.hold) == api::kHolds.end()) {
    hold.Fail("must be All, ScaleUp or ScaleDown, is " + api::Quote(out.hold));
  }
  in.Member("rampMinutes").Read(out.ramp_minutes);
  in.Member("pin").Read(out.pin);
  if (const json::Cursor origin = in.Member("origin"); origin.present()) {
    Read(origin, out.origin.emplace());
  }
}

void Read(const json::Cursor& in, ScheduleChange& out) {
  Decode(in.Required("at"), out.at);
  in.Member("name").Read(out.name);
  in.Required("minReplicas").Read(out.bounds.min);
  in.Required("maxReplicas").Read(out.bounds.max);
  in.Member("hold").Read(out.hold);
}

void Read(const json::Cursor& in, LostZone& out) {
  in.Required("name").Read(out.name);
  in.Member("timeZone").Read(out.time_zone);
}

void Write(json::Writer& out, const ScheduleWindow& window) {
  out.Object([&] {
    out.Field("name", window.name);
    EncodeField(out, "timeZone", window.time_zone);
    out.Field("start", Print(window.start));
    EncodeField(out, "end", window.end);
    out.Field("minReplicas", window.min_replicas);
    out.Field("maxReplicas", window.max_replicas);
    EncodeField(out, "hold", window.hold);
    out.Field("rampMinutes", window.ramp_minutes);
    out.Field("pin", window.pin);
    if (window.origin) {
      out.Key("origin");
      Write(out, *window.origin);
    }
  });
}

}  // namespace

void Decode(const json::Cursor& in, std::vector<ScheduleWindow>& out) {
  for (const json::Cursor window : in.Elements()) {
    Read(window, out.emplace_back());
  }
}

void Encode(json::Writer& out, const std::vector<ScheduleWindow>& windows) {
  out.Array([&] {
    for (const ScheduleWindow& window : windows) {
      Write(out, window);
    }
  });
}

void Decode(const json::Cursor& in, ResolvedSchedules& out) {
  in.Member("tzdata").Read(out.tzdata);
  if (std::int64_t seconds = 0; in.Member("startupSeconds").Read(seconds)) {
    out.startup = Duration::Seconds(seconds);
  }
  Decode(in.Member("windows"), out.windows);
  if (const json::Cursor next = in.Member("next"); next.present()) {
    Read(next, out.next.emplace());
  }
  for (const json::Cursor lost : in.Member("lost").Elements()) {
    Read(lost, out.lost.emplace_back());
  }
}

void Encode(json::Writer& out, const ResolvedSchedules& schedules) {
  out.Object([&] {
    out.Field("tzdata", schedules.tzdata);
    out.Field("startupSeconds", schedules.startup.nanoseconds / 1'000'000'000);
    out.Key("windows");
    Encode(out, schedules.windows);
    if (const auto& next = schedules.next) {
      out.Object("next", [&] {
        out.Field("at", Print(next->at));
        out.Field("name", next->name);
        out.Field("minReplicas", next->bounds.min);
        out.Field("maxReplicas", next->bounds.max);
        EncodeField(out, "hold", next->hold);
      });
    }
    if (!schedules.lost.empty()) {
      out.Array("lost", [&] {
        for (const LostZone& lost : schedules.lost) {
          out.Object([&] {
            out.Field("name", lost.name);
            out.Field("timeZone", lost.time_zone);
          });
        }
      });
    }
  });
}

}  // namespace ballast::engine
