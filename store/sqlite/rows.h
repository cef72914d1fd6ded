// Rows of the tables as values: what several queries select.
//
// Thread-safety and failure modes: the Statement's.
#pragma once

#include <optional>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// From `column` on: uid, kind, namespace, name.
Subject SubjectAt(const Statement& row, int column);

// What EntryAt reads, of `decisions d` and `autoscalers a`.
#define BALLAST_ENTRY_COLUMNS                                                               \
  "d.id, a.uid, a.kind, a.namespace, a.name, d.time, d.until, d.evaluations, d.current, "   \
  "d.desired, d.reason, d.message, d.fate, d.error, d.settled, a.period, d.engine, "        \
  "d.concluded, d.concluded_error, iif(d.evaluations IS NULL, (SELECT min(p.started) FROM " \
  "processes p WHERE p.found = d.until), NULL)"
inline constexpr int kEntryColumns = 20;

// How far the whole fleet has come.
struct Heartbeat {
  Time evaluated;
  std::optional<Duration> period;  // the shortest of those that are evaluated; absent: none is
};

// `heartbeat`: until when runs that are still open have come.
Result<Entry> EntryAt(const Statement& row, const Heartbeat& heartbeat);

// From `column` on: snapshots.json, conclusions.json.
Result<Documents> DocumentsAt(const Statement& row, int column);

// What IntrusionAt reads, of `autoscalers a` and `foreign_changes f`.
#define BALLAST_INTRUSION_COLUMNS \
  "a.uid, a.kind, a.namespace, a.name, f.time, f.before, f.after, f.manager, f.managed"

Result<Intrusion> IntrusionAt(const Statement& row);

}  // namespace ballast::store
