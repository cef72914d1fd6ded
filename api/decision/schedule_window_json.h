// The JSON form of resolved schedules and overrides, parts of the snapshot's (snapshot_json.h).
//
// Errors: what does not fit is a problem of the Cursor's Decoder.
#pragma once

#include <vector>

#include "api/decision/schedule_window.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::engine {

void Decode(const json::Cursor& in, std::vector<ScheduleWindow>& out);
void Encode(json::Writer& out, const std::vector<ScheduleWindow>& windows);
void Decode(const json::Cursor& in, ResolvedSchedules& out);
void Encode(json::Writer& out, const ResolvedSchedules& schedules);

}  // namespace ballast::engine
