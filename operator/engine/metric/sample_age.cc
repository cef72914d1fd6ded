#include "operator/engine/metric/sample_age.h"

#include "operator/engine/metric/samples.h"

namespace ballast::engine {
namespace {

Duration WholeSeconds(Duration span) {
  return Duration::Seconds(span.nanoseconds / Duration::Seconds(1).nanoseconds);
}

}  // namespace

std::optional<std::string> ExplainStaleness(const MetricAnswer& answer, Time now, Duration limit) {
  const auto newest = NewestTimestamp(answer);
  if (!newest || now - *newest <= limit) {
    return std::nullopt;
  }
  return "the newest sample is " + Print(WholeSeconds(now - *newest)) + " old, more than the " +
         Print(limit) + " of staleAfterSeconds";
}

}  // namespace ballast::engine
