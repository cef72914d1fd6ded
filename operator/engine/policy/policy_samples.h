// Policies: how old a metric's samples may be, and that one sample justifies one scale-up.
//
// A metrics pipeline answers with the same sample until it takes the next one. Evaluated more often
// than that, one spike would be acted on again and again.
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/decision/memory.h"
#include "api/decision/snapshot.h"

namespace ballast::engine {

// Why `answer` is too old to be used; absent when its newest sample is at most `limit` old, or has
// no timestamp.
std::optional<std::string> ExplainStaleness(const MetricAnswer& answer, Time now, Duration limit);

// A metric's identity within its policy, as UsedSample::metric has it.
std::string IdentityOf(const api::MetricSpec& metric);

// Whether the answer for spec.metrics[index] is not newer than one that has already justified a
// scale-up. An answer without timestamps never is.
bool IsSampleUsed(const Snapshot& snapshot, std::size_t index, const Memory& memory);

// Marks the answer for spec.metrics[index] as used.
void UseSample(const Snapshot& snapshot, std::size_t index, Memory& memory);

// Forgets the samples of metrics that the spec no longer has.
void ForgetOtherSamples(const api::AutoscalerSpec& spec, Memory& memory);

}  // namespace ballast::engine
