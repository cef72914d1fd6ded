// The status memory: the mirror of a policy's memory (engine/memory/memory_mirror.h), of at most
// some 20 kB, stored in the policy's status. A replica whose store is empty, or older than another
// replica's, continues from it.
//
// Errors: DecodeStatusMemory: kInvalid; the others none.
#pragma once

#include <cstdint>
#include <string>

#include "api/base/result.h"
#include "api/decision/memory.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::session {

struct StatusMemory {
  engine::Memory memory;
  // The store that it is from, as host name and store path. If that is another one, decisions were
  // made that the own store does not have.
  std::string writer;
  // The leader's term (the Lease's transitions) when it was written; 0 without an election. It is
  // not written again because the term has changed; `writer` alone identifies the store.
  std::int64_t term = 0;
};

// Writes the members of status.memory.
void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered);
// The entry of an HPA with that uid, whose status has no place for them: JSON text.
std::string EncodeMemoryEntry(const std::string& uid, const StatusMemory& remembered);
// Reads them; what does not fit becomes a problem of the Decoder.
void Decode(const json::Cursor& in, StatusMemory& out);
// Reads them from a whole policy. kInvalid: they are damaged.
Result<StatusMemory> DecodeStatusMemory(const json::Document& policy);

}  // namespace ballast::session
