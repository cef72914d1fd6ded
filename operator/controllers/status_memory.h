// The status memory: the part of a policy's memory on which later decisions depend, stored in the
// policy's status. A replica whose store is empty, or older than another replica's, continues from
// it.
//
// It has a bounded size, of some 20 kB: of many recommendations or scale events the oldest are one,
// which counts for longer than they would.
//
// It need not have every recommendation. A replica that restores from it does not know what was
// recommended since it was written, so that evaluation counts as interrupted (autoscaler_memory.h)
// and recommends the present replicas anew: nothing scales in before a whole window has been
// observed. The status memory adds recommendations for more replicas than there are, and the scale
// events that limit the rate.
//
// Errors: DecodeStatusMemory: kInvalid; the others none.
#pragma once

#include <cstdint>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::controllers {

struct StatusMemory {
  engine::Memory memory;
  // The store that it is from, as host name and store path. If that is another one, decisions were
  // made that the own store does not have.
  std::string writer;
  // The leader's term (the Lease's transitions) when it was written; 0 without an election. It is
  // not written again because the term has changed; `writer` alone identifies the store.
  std::int64_t term = 0;
};

// The part of `memory`, as an evaluation at `now` left it, that belongs into the status. It does
// not change while nothing happens, so that it causes no writes of the status.
engine::Memory MemoryForStatus(const api::AutoscalerSpec& spec, const engine::Settings& settings,
                               const engine::Memory& memory, Time now);

// Writes the members of status.memory.
void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered);
// Reads them; what does not fit becomes a problem of the Decoder.
void Decode(const json::Cursor& in, StatusMemory& out);
// Reads them from a whole policy. kInvalid: they are damaged.
Result<StatusMemory> DecodeStatusMemory(const json::Document& policy);

// Adds to `memory` what only `other` has, which is newer: since when something lasts, it knows
// alone.
void Merge(engine::Memory& memory, const engine::Memory& other);

}  // namespace ballast::controllers
