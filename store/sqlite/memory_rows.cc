#include "store/sqlite/memory_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/sqlite/rows.h"

namespace ballast::store {
namespace {

Status WriteEvents(Database& database, std::int64_t row, const MemoryImage& image) {
  TRY(database.Run("DELETE FROM scale_events WHERE autoscaler = ?", row));
  std::int64_t slot = 0;
  const auto write = [&](const std::vector<engine::ScaleEvent>& events, int sign) -> Status {
    for (const auto& event : events) {
      TRY(database.Run("INSERT INTO scale_events VALUES (?, ?, ?, ?)", row, slot++, event.time,
                       std::int64_t{event.change} * sign));
    }
    return Done{};
  };
  TRY(write(image.scale_ups, 1));
  return write(image.scale_downs, -1);
}

Status WriteUsedSamples(Database& database, std::int64_t row, const MemoryImage& image) {
  TRY(database.Run("DELETE FROM used_samples WHERE autoscaler = ?", row));
  for (const auto& used : image.used_samples) {
    TRY(database.Run("INSERT OR REPLACE INTO used_samples VALUES (?, ?, ?)", row, used.metric,
                     used.timestamp));
  }
  return Done{};
}

Status WriteRecommendations(Database& database, std::int64_t row, const MemoryImage& written,
                            const MemoryImage& present) {
  for (const auto& [replicas, time] : written.recommendations) {
    if (!present.recommendations.contains(replicas)) {
      TRY(database.Run("DELETE FROM recommendations WHERE autoscaler = ? AND replicas = ?", row,
                       replicas));
    }
  }
  for (const auto& [replicas, time] : present.recommendations) {
    const auto before = written.recommendations.find(replicas);
    if (before == written.recommendations.end() || before->second != time ||
        written.held == replicas) {
      TRY(database.Run("INSERT OR REPLACE INTO recommendations VALUES (?, ?, ?)", row, replicas,
                       time));
    }
  }
  return Done{};
}

// Calls `fill(image, statement)` for each row of `sql`, whose first column is an autoscaler's row.
template <typename Fill>
Status ReadInto(Database& database, const char* sql,
                std::unordered_map<std::int64_t, LoadedMemory>& loaded, Fill fill) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare(sql));
  return rows.ForEach([&](const Statement& row) -> Status {
    if (const auto found = loaded.find(row.Integer(0)); found != loaded.end()) {
      fill(found->second.image, row);
    }
    return Done{};
  });
}

}  // namespace

Status WriteMemory(Database& database, const Subject& subject, const MemoryImage& written,
                   const MemoryImage& present) {
  ASSIGN_OR_RETURN(const auto row, RowOf(database, subject));
  TRY(database.Run(
      "UPDATE autoscalers SET period = ?, evaluated = ?, live = ?, held = ?, no_value_since = ?,"
      " suspect_since = ?, target = ?, incomplete = ? WHERE id = ?",
      present.period.nanoseconds, present.evaluated, present.live ? 1 : 0, present.held,
      present.no_value_since, present.suspect_since, present.target, present.incomplete ? 1 : 0,
      row));
  TRY(WriteRecommendations(database, row, written, present));
  if (written.scale_ups != present.scale_ups || written.scale_downs != present.scale_downs) {
    TRY(WriteEvents(database, row, present));
  }
  if (written.used_samples != present.used_samples) {
    TRY(WriteUsedSamples(database, row, present));
  }
  return Done{};
}

Status RewriteMemory(Database& database, const Subject& subject, const MemoryImage& present) {
  TRY(EraseMemory(database, subject));
  return WriteMemory(database, subject, {}, present);
}

Status EraseMemory(Database& database, const Subject& subject) {
  ASSIGN_OR_RETURN(const auto row, RowOf(database, subject));
  TRY(database.Run("DELETE FROM recommendations WHERE autoscaler = ?", row));
  TRY(database.Run("DELETE FROM scale_events WHERE autoscaler = ?", row));
  TRY(database.Run("DELETE FROM used_samples WHERE autoscaler = ?", row));
  return database.Run(
      "UPDATE autoscalers SET evaluated = NULL, live = 0, held = NULL, no_value_since = NULL,"
      " suspect_since = NULL, target = '', incomplete = 0 WHERE id = ?",
      row);
}

Status EndHeldMemories(Database& database, Duration slack, Duration late) {
  ASSIGN_OR_RETURN(const auto heartbeat,
                   database.Integer("SELECT evaluated FROM heartbeat WHERE id = 1"));
  TRY(
      database.Run("UPDATE recommendations SET time = max(time, ? + period + ?) FROM autoscalers"
                   " WHERE autoscaler = id AND live = 1 AND replicas = held",
                   heartbeat, slack.nanoseconds));
  return database.Run(
      "UPDATE autoscalers SET evaluated = max(evaluated, ? - 2 * period - ?),"
      " live = 0, held = NULL WHERE live = 1",
      heartbeat, late.nanoseconds);
}

Result<std::vector<LoadedMemory>> LoadMemories(Database& database) {
  std::unordered_map<std::int64_t, LoadedMemory> loaded;
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT id, uid, kind, namespace, name, period, evaluated,"
                                    " no_value_since, suspect_since, incomplete, target"
                                    " FROM autoscalers"
                                    " WHERE evaluated IS NOT NULL"));
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    LoadedMemory& memory = loaded[row.Integer(0)];
    memory.subject = SubjectAt(row, 1);
    memory.image.period = {row.Integer(5)};
    memory.image.evaluated = row.Moment(6);
    memory.image.no_value_since = row.OptionalMoment(7);
    memory.image.suspect_since = row.OptionalMoment(8);
    memory.image.incomplete = row.Integer(9) != 0;
    memory.image.target = row.Text(10);
    return Done{};
  }));
  TRY(ReadInto(database, "SELECT autoscaler, replicas, time FROM recommendations", loaded,
               [](MemoryImage& image, const Statement& row) {
                 image.recommendations[row.Integer32(1)] = row.Moment(2);
               }));
  TRY(ReadInto(database,
               "SELECT autoscaler, time, change FROM scale_events ORDER BY autoscaler, slot",
               loaded, [](MemoryImage& image, const Statement& row) {
                 const std::int32_t change = row.Integer32(2);
                 auto& events = change > 0 ? image.scale_ups : image.scale_downs;
                 events.push_back({row.Moment(1), change > 0 ? change : -change});
               }));
  TRY(ReadInto(database, "SELECT autoscaler, metric, time FROM used_samples", loaded,
               [](MemoryImage& image, const Statement& row) {
                 image.used_samples.push_back({std::string(row.Text(1)), row.Moment(2)});
               }));
  std::vector<LoadedMemory> memories;
  memories.reserve(loaded.size());
  for (auto& [row, memory] : loaded) {
    memories.push_back(std::move(memory));
  }
  return memories;
}

Result<std::int64_t> RowOf(Database& database, const Subject& subject) {
  ASSIGN_OR_RETURN(Statement find, database.Prepare("SELECT id FROM autoscalers WHERE uid = ?"));
  find.Bind(subject.uid);
  ASSIGN_OR_RETURN(const bool found, find.Step());
  if (found) {
    return find.Integer(0);
  }
  ASSIGN_OR_RETURN(Statement add,
                   database.Prepare("INSERT INTO autoscalers (uid, kind, namespace, name)"
                                    " VALUES (?, ?, ?, ?) RETURNING id"));
  add.Bind(subject.uid, subject.kind, subject.key.namespace_, subject.key.name);
  TRY(add.Step());
  return add.Integer(0);
}

}  // namespace ballast::store
