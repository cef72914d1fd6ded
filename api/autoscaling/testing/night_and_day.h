// A ceiling and a higher floor that share each day, for tests.
#pragma once

#include "api/autoscaling/schedule.h"

namespace ballast::api {

inline Schedule Night() {
  return {.name = "night", .time_zone = "UTC", .from = "22:00", .to = "06:00", .max_replicas = 3};
}

inline Schedule Day() {
  return {.name = "day", .time_zone = "UTC", .from = "06:00", .to = "22:00", .min_replicas = 5};
}

}  // namespace ballast::api
