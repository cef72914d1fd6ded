// The trace's steps in words, for the person who asks why.
//
// Nothing here decides anything. Thread-safety: pure functions. They cannot fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/decision/decision.h"
#include "api/kubernetes/workload.h"
#include "operator/engine/combination.h"
#include "operator/engine/rate_limit.h"
#include "operator/engine/stabilization.h"

namespace ballast::engine {

Step DescribeScale(const api::Scale& scale, const Bounds& bounds);
Step DescribeSwitchedOff();
Step DescribeBound(std::int32_t current, std::int32_t bound);
Step DescribeProposal(const Context& context, std::size_t index, const Proposal& proposal);
Step DescribeMetricFailure(const Context& context, std::size_t index, const MetricFailure& failure);
Step DescribeUsedSample(const Context& context, std::size_t index, std::int32_t replicas);
Step DescribeCombination(const Context& context, const Combination& combination);
Step DescribeStabilization(std::int32_t raw, std::int32_t stabilized, const Windows& windows);
Step DescribeLimit(std::int32_t stabilized, const Limited& limited);
Step DescribeHold(const Decision& decision, const std::string& reason, const std::string& message);
// The evaluation ends here, without a count.
Step DescribeEnd(const std::string& error);
Step DescribeDecision(const Decision& decision);
Step DescribeOutcome(const Decision& decision, const Outcome& outcome);

}  // namespace ballast::engine
