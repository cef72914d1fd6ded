#include "api/autoscaling/schedule_fields.h"

namespace ballast::api {

void Decode(const json::Cursor& in, Schedule& out) { ReadFields(in, out); }
void Encode(json::Writer& out, const Schedule& schedule) { WriteFields(out, schedule); }

}  // namespace ballast::api
