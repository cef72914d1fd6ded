#include "operator/cli/cluster/pause.h"

#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/schedule.h"
#include "api/json/json_writer.h"

namespace ballast::cli {

std::string PausePatch(const api::OverrideSpec& hold, const std::string& by) {
  json::Writer out;
  out.Object([&] {
    out.Object("metadata", [&] {
      out.Object("annotations", [&] {
        out.Field(api::kPausedUntil, Print(hold.until));
        out.Field(api::kPausedDirection, hold.hold == api::kHoldScaleDown ? "In"
                                         : hold.hold == api::kHoldScaleUp ? "Out"
                                                                          : "Both");
        out.Key(api::kPausedBy);  // null removes what an earlier pause left
        if (by.empty()) {
          out.Null();
        } else {
          out.Value(by);
        }
        out.Field(api::kPausedReason, hold.reason);
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
