// An autoscaler that is due and is not evaluated: why, and what its status and the ledger say of
// it.
#pragma once

#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "store/records.h"

namespace ballast::session {

// Why it is not evaluated.
struct Refusal {
  std::string condition;  // that says so: Conflicted; empty: Ready only
  std::string reason;
  std::string message;

  // The word for it in history, events and Ready.
  const std::string& name() const { return condition.empty() ? reason : condition; }
};

// Puts it into the status.
void DescribeRefusal(const api::Autoscaler& autoscaler, const Refusal& refusal, Time now,
                     api::AutoscalerStatus& status);

// What the ledger records. `period`: of its evaluations; `replicas`: of its target.
store::EvaluationRecord RecordOf(const api::Autoscaler& autoscaler, const Refusal& refusal,
                                 Time now, Duration period, std::int32_t replicas);

}  // namespace ballast::session
