// A cron expression of five fields (minute, hour, day of month, month, day of week), as of
// Kubernetes' CronJob: numbers, names of months and days, lists, ranges, steps. Where day of month
// and day of week are both restricted, either suffices.
//
// Errors: kInvalid names the field ("hour: 24 is more than 23").
#pragma once

#include <cstdint>
#include <string_view>

#include "api/base/result.h"

namespace ballast::api {

// Sets of numbers, as bits.
struct Cron {
  std::uint64_t minutes = 0;        // bits 0..59
  std::uint32_t hours = 0;          // bits 0..23
  std::uint32_t days_of_month = 0;  // bits 1..31
  std::uint16_t months = 0;         // bits 1..12
  std::uint8_t days_of_week = 0;    // bits 0 (Sunday)..6
  bool any_day_of_month = false;    // the field is "*", or "?"
  bool any_day_of_week = false;

  bool HasMinute(int minute) const { return (minutes >> minute & 1) != 0; }
  bool HasHour(int hour) const { return (hours >> hour & 1) != 0; }
  // `weekday`: 0 is Sunday.
  bool HasDay(int month, int day, int weekday) const {
    const bool by_month = (days_of_month >> day & 1) != 0;
    const bool by_week = (days_of_week >> weekday & 1) != 0;
    return (months >> month & 1) != 0 &&
           (any_day_of_month || any_day_of_week ? by_month && by_week : by_month || by_week);
  }
};

Result<Cron> ParseCron(std::string_view text);

}  // namespace ballast::api
