#include "operator/cli/cluster/pause.h"

#include "api/json/json_writer.h"
#include "operator/cli/terminal/times.h"

namespace ballast::cli {

Result<Time> ParsePauseEnd(const std::string& text, Time now) {
  Time until;
  if (const auto span = ParseDuration(text); span.ok()) {
    until = now + *span;
  } else {
    const auto time = ParseMoment("--until", text, now, Zone::kLocal, TimeOfDay::kToday);
    if (!time.ok()) {
      return Error{Code::kInvalid, "--until: \"" + text +
                                       "\" is neither a span from now (2h) nor a time "
                                       "(2026-11-23T06:00:00Z, \"2026-11-23 06:00\", 18:30)"};
    }
    until = *time;
  }
  if (until <= now) {
    return Error{Code::kInvalid, "--until " + text + " is not in the future: it is " +
                                     PrintIn(Zone::kLocal, now) + " " + NameOf(Zone::kLocal, now) +
                                     "; give a span (2h), or the date with the time"};
  }
  return until;
}

std::string PausePatch(Time until, const std::string& only, const std::string& by,
                       const std::string& reason) {
  json::Writer out;
  out.Object([&] {
    out.Object("metadata", [&] {
      out.Object("annotations", [&] {
        // Whole seconds are enough, and easier to read.
        out.Field(api::kPausedUntil, Print(Time(until.unix_seconds(), 0)));
        out.Field(api::kPausedDirection, only == "in" ? "In" : only == "out" ? "Out" : "Both");
        out.Key(api::kPausedBy);  // null removes what an earlier pause left
        if (by.empty()) {
          out.Null();
        } else {
          out.Value(by);
        }
        out.Field(api::kPausedReason, reason);
      });
    });
  });
  return out.Take();
}

std::string ResumePatch() {
  json::Writer out;
  out.Object([&] {
    out.Object("metadata", [&] {
      out.Object("annotations", [&] {
        for (const char* name :
             {api::kPausedUntil, api::kPausedDirection, api::kPausedBy, api::kPausedReason}) {
          out.Key(name);
          out.Null();
        }
      });
    });
  });
  return out.Take();
}

}  // namespace ballast::cli
