// Why a replica count was decided, in words that a person who never saw Ballast understands. The
// words of Kubernetes' controller, which conditions and events use, are for the details only.
#pragma once

#include <string>

#include "operator/cli/terminal/times.h"
#include "operator/explain/explanation.h"

namespace ballast::cli {

// Without the full stop that ends it, for use within another sentence.
std::string Clause(std::string text);

// Why the replicas were to change: "queue was at 16.5 a pod, its target is 10 a pod".
std::string WhyChange(const explain::Explanation& why, Zone zone);

// Why they were not: "its metric asks for 25, but its maximum is 20".
std::string WhyStay(const explain::Explanation& why, Zone zone);

// The same for records without inputs, from what they say.
std::string WhyChange(const std::string& message);
std::string WhyStay(const std::string& reason, const std::string& message);

}  // namespace ballast::cli
