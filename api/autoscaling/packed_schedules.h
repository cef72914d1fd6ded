// The schedules of a policy in few bytes: thousands of policies may have dozens each, and most of a
// Schedule's fields are empty.
//
//   spec.schedules = {night, day};
//   for (const Schedule& schedule : spec.schedules.Unpack()) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "api/autoscaling/schedule.h"

namespace ballast::api {

class PackedSchedules {
 public:
  PackedSchedules() = default;
  // Implicit, since nothing is lost.
  PackedSchedules(const std::vector<Schedule>& schedules);  // NOLINT(google-explicit-constructor)
  PackedSchedules(
      std::initializer_list<Schedule> schedules);  // NOLINT(google-explicit-constructor)

  bool empty() const { return bytes_.empty(); }
  // In their order.
  std::vector<Schedule> Unpack() const;
  // Equal for equal schedules, within this process.
  std::size_t hash() const { return std::hash<std::string>()(bytes_); }
  // Of all their ramps; 0: they have none.
  std::int32_t longest_ramp_minutes() const { return longest_ramp_minutes_; }

 private:
  std::string bytes_;
  std::int32_t longest_ramp_minutes_ = 0;
};

void Decode(const json::Cursor& in, PackedSchedules& out);
void Encode(json::Writer& out, const PackedSchedules& schedules);

}  // namespace ballast::api
