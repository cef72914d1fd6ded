// One of spec.schedules of a policy: bounds or a hold for the times of its windows. As values, with
// the texts that the object has; recurrence.h reads the times from them.
//
// Errors: none; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::api {

// Of Schedule::hold.
inline constexpr const char* kHoldAll = "All";
inline constexpr const char* kHoldScaleUp = "ScaleUp";
inline constexpr const char* kHoldScaleDown = "ScaleDown";
inline constexpr const char* kHoldNone = "None";  // of a status only
inline constexpr std::array<std::string_view, 3> kHolds{kHoldAll, kHoldScaleUp, kHoldScaleDown};

struct Schedule {
  std::string name;
  std::string time_zone;          // "Europe/Berlin"
  std::vector<std::string> days;  // "Mon", "Mon-Fri"; empty: every day
  std::string from;               // "08:00"; empty: `cron` and `duration` are set
  std::string to;                 // "18:00"; not after `from`: on the next day
  std::string cron;               // "0 8 * * 1-5": when windows start
  std::string duration;           // "10h": how long each lasts
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas;  // 0: none, whatever the metrics and minReplicas say
  std::string hold;                          // empty: none
  // How long the bound takes to get there. Absent: as long as the rates of spec.behavior take.
  std::optional<std::int32_t> ramp_minutes;
  std::vector<std::string> except;  // "2026-12-25": no window starts on that day
  std::vector<std::string> only;    // not empty: windows start on these days alone
};

void Decode(const json::Cursor& in, Schedule& out);
void Encode(json::Writer& out, const Schedule& schedule);

}  // namespace ballast::api
