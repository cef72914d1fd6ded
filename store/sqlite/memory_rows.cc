#include "store/sqlite/memory_rows.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "api/decision/memory_fields.h"
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
  TRY(write(image.as_is.scale_ups, 1));
  return write(image.as_is.scale_downs, -1);
}

Status WriteUsedSamples(Database& database, std::int64_t row, const MemoryImage& image) {
  TRY(database.Run("DELETE FROM used_samples WHERE autoscaler = ?", row));
  for (const auto& used : image.as_is.used_samples) {
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

// The columns of kLastingFields, each with that text behind it.
std::string LastingColumns(const char* text) {
  std::string columns;
  for (const engine::LastingField& field : engine::kLastingFields) {
    columns += std::string(field.column) + text;
  }
  return columns;
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
  static const std::string kUpdate = "UPDATE autoscalers SET " + LastingColumns(" = ?, ") +
                                     "period = ?, evaluated = ?, live = ?, held = ?, target = ?,"
                                     " incomplete = ? WHERE id = ?";
  TRY(std::apply(
      [&](const auto&... field) {
        return database.Run(kUpdate.c_str(), present.as_is.*field.since...,
                            present.period.nanoseconds, present.evaluated, present.live ? 1 : 0,
                            present.held, present.as_is.target, present.incomplete ? 1 : 0, row);
      },
      engine::kLastingFields));
  TRY(WriteRecommendations(database, row, written, present));
  const engine::Memory& before = written.as_is;
  const engine::Memory& now = present.as_is;
  if (before.scale_ups != now.scale_ups || before.scale_downs != now.scale_downs) {
    TRY(WriteEvents(database, row, present));
  }
  if (before.used_samples != now.used_samples) {
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
  static const std::string kErase = "UPDATE autoscalers SET " + LastingColumns(" = NULL, ") +
                                    "evaluated = NULL, live = 0, held = NULL, target = '',"
                                    " incomplete = 0 WHERE id = ?";
  return database.Run(kErase.c_str(), row);
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
  static const std::string kSelect =
      "SELECT id, uid, kind, namespace, name, period, evaluated, incomplete, " +
      LastingColumns(", ") + "target FROM autoscalers WHERE evaluated IS NOT NULL";
  ASSIGN_OR_RETURN(Statement rows, database.Prepare(kSelect.c_str()));
  TRY(rows.ForEach([&](const Statement& row) -> Status {
    LoadedMemory& memory = loaded[row.Integer(0)];
    memory.subject = SubjectAt(row, 1);
    memory.image.period = {row.Integer(5)};
    memory.image.evaluated = row.Moment(6);
    memory.image.incomplete = row.Integer(7) != 0;
    int column = 8;
    for (const engine::LastingField& field : engine::kLastingFields) {
      memory.image.as_is.*field.since = row.OptionalMoment(column++);
    }
    memory.image.as_is.target = row.Text(column);
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
                 auto& events = change > 0 ? image.as_is.scale_ups : image.as_is.scale_downs;
                 events.push_back({row.Moment(1), change > 0 ? change : -change});
               }));
  TRY(ReadInto(database, "SELECT autoscaler, metric, time FROM used_samples", loaded,
               [](MemoryImage& image, const Statement& row) {
                 image.as_is.used_samples.push_back({std::string(row.Text(1)), row.Moment(2)});
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
