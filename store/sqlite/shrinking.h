// Makes a store smaller that is too large: the namespace whose history takes the most gives up its
// own oldest, until another takes as much. So each may use what the others leave, and keeps its
// fair share whatever they do.
//
// Of a namespace first goes what changed nothing, then the rest (retention.h). A sweep visits its
// autoscalers one after the other and deletes what ended before the sweep's front; then the front
// advances. So every step reads and deletes a little, through indexes that queries need anyway, and
// what is left is complete from the front on, which `namespaces.since` says together with the first
// that goes.
//
// Thread-safety: the Database's.
// Errors: the Database's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// What a step takes over from the one before. The first sweep of a process only looks.
struct Sweep {
  Time front;            // what ended before goes
  bool changes = false;  // of the rest: nothing else is left
  // The last autoscaler that was visited.
  std::string name;
  std::int64_t id = 0;
  // The end of the oldest that those visited so far have left: of what changed nothing, and of the
  // rest, if that goes.
  std::optional<Time> quiet;
  std::optional<Time> left;
};
struct Shrinking {
  std::map<std::string, Sweep> sweeps;  // by namespace
  std::set<std::string> spent;          // those of which all that is left has to stay
};

// One step, within the caller's transaction. False: all that is left has to stay.
Result<bool> Shrink(Database& database, Shrinking& shrinking);

}  // namespace ballast::store
