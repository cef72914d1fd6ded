#include "operator/controllers/schedule.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace ballast::controllers {

runtime::SteadyTime NextRun(const api::ObjectReference& policy, Duration period,
                            runtime::SteadyTime now) {
  using std::chrono::nanoseconds;
  const std::int64_t length = std::max<std::int64_t>(period.nanoseconds, 1);
  const auto point = static_cast<std::int64_t>(std::hash<std::string>()(policy.Print()) %
                                               static_cast<std::uint64_t>(length));
  const std::int64_t past = (nanoseconds(now.time_since_epoch()).count() - point) % length;
  return now + nanoseconds(past < 0 ? -past : length - past);
}

}  // namespace ballast::controllers
