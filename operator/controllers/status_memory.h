// The status memory: what of a policy's memory later decisions still depend on, kept in the
// policy's status. A replica whose store is empty, or knows an older past than another replica's,
// goes on from it.
//
// The status memory need not have every recommendation. Whoever restores from it does not know what
// was recommended since it was written, so that the present replicas are recommended anew
// (reconciler.cc): nothing scales in before one window has been watched, and the status memory adds
// what would hold more replicas than there are, and the scale events that limit the rate.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "api/json/json.h"

namespace ballast::controllers {

struct StatusMemory {
  engine::Memory memory;
  // Which store had it: the host's name and the store's path. Somebody else's status memory has
  // decisions behind it that the own store knows nothing of.
  std::string writer;
  // As which leader (the lease's transitions) it was written; 0 without an election. For people who
  // compare what two leaders did: `writer` alone tells whose store has it.
  std::int64_t term = 0;
};

// What of `memory`, as an evaluation at `now` left it, is worth mirroring; the same while nothing
// changes, so that it costs no writes of the status.
engine::Memory MemoryForStatus(const api::AutoscalerSpec& spec, const engine::Settings& settings,
                               const engine::Memory& memory, Time now);

// As status.memory has it.
void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered);
// From a whole policy, as the API server has it. kInvalid when it is damaged.
Result<StatusMemory> DecodeStatusMemory(const json::Document& policy);

// Adds to `memory` what the other one knows and it does not.
void Merge(engine::Memory& memory, const engine::Memory& other);

}  // namespace ballast::controllers
