// Rows of the tables as values, for columns that several queries select.
//
// Thread-safety: the Statement's.
// Errors: nothing fails; two are Results because a query may name any reader of rows.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"
#include "store/records.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {

// Reads, from `column` on: uid, kind, namespace, name.
Subject SubjectAt(const Statement& row, int column);

// The columns that EntryAt reads, of `decisions d` and `autoscalers a`.
#define BALLAST_ENTRY_COLUMNS                                                               \
  "d.id, a.uid, a.kind, a.namespace, a.name, d.time, d.until, d.evaluations, d.current, "   \
  "d.desired, d.reason, d.message, d.outcome, d.error, d.settled, a.period, d.engine, "     \
  "d.concluded, d.concluded_error, iif(d.evaluations IS NULL, (SELECT min(p.started) FROM " \
  "processes p WHERE p.found = d.until), NULL), EXISTS (SELECT 1 FROM delays y WHERE "      \
  "y.autoscaler = d.autoscaler AND y.time > d.time AND y.time <= d.until AND y.since >= "   \
  "d.time), d.made_by"
inline constexpr int kEntryColumns = 22;

// The fleet's newest evaluation.
struct Heartbeat {
  Time evaluated;
  std::optional<Duration> period;  // the shortest of the live autoscalers; absent: none is live
};

// Open runs last until `heartbeat`.
Entry EntryAt(const Statement& row, const Heartbeat& heartbeat);

// Reads, from `column` on: the snapshot and the conclusion, and decompresses them. Adds to
// `damaged` those that cannot be decoded; they are as if they had not been kept.
Documents DocumentsAt(const Statement& row, int column, std::int64_t& damaged);

// The columns that ForeignChangeEntryAt reads, of `autoscalers a` and `foreign_changes f`.
#define BALLAST_FOREIGN_CHANGE_COLUMNS \
  "a.uid, a.kind, a.namespace, a.name, f.time, f.before, f.after, f.manager, f.managed"

Result<ForeignChangeEntry> ForeignChangeEntryAt(const Statement& row);

// The columns that EditEntryAt reads, of `autoscalers a` and `edits e`. An edit is noticed just
// before an evaluation. If that continued a run, it reaches beyond the edit. A decision more than a
// minute later is not the first one: others that changed nothing have been deleted.
#define BALLAST_EDIT_COLUMNS                                                                   \
  "a.uid, a.kind, a.namespace, a.name, e.time, e.field, e.before, e.after, e.manager, "        \
  "e.managed, (SELECT d.id FROM decisions d WHERE d.autoscaler = a.id AND d.time >= e.time "   \
  "AND d.time < e.time + 60000000000 AND coalesce((SELECT coalesce(p.until, e.time) FROM "     \
  "decisions p WHERE p.autoscaler = a.id AND p.time < e.time ORDER BY p.time DESC, p.id DESC " \
  "LIMIT 1), e.time - 1) < e.time ORDER BY d.time, d.id LIMIT 1)"

Result<EditEntry> EditEntryAt(const Statement& row);

}  // namespace ballast::store
