// Answers `ballast why` in sentences, the first of which a person understands who never saw
// Ballast.
#pragma once

#include <string>
#include <vector>

#include "operator/cli/terminal/times.h"
#include "operator/explain/moment.h"
#include "store/history.h"

namespace ballast::cli {

// What was so at that moment, and why; if nothing is recorded of it, why not, and the last decision
// before.
std::string AnswerAbout(const explain::Moment& moment, Zone zone);

// The metrics' values: "Resource/cpu at 48%, 5s old; ...".
std::string DescribeReadings(const store::SeriesPoint& point);

}  // namespace ballast::cli
