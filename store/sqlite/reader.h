// The history in a store's file, for the command line: read from the file that the operator writes,
// or from a copy of it.
//
// A Reader never changes the file, and keeps no transaction open between two calls, so that a slow
// reader does not make the operator's write-ahead log grow.
//
// Thread-safety: one thread at a time.
// Errors: Open: kNotFound (no such file), kInvalid (not a ledger, or of a newer version). Any call:
// kCorrupt, kUnavailable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/history.h"

namespace ballast::store {

class Database;
struct Heartbeat;

class Reader final : public History {
 public:
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  ~Reader() override;

  Result<std::optional<Reach>> HowFarBack(const HistoryQuery& query) override;
  Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) override;
  Result<std::vector<Subject>> Subjects() override;
  Result<std::optional<Extent>> ExtentOf(const HistoryQuery& query) override;
  Result<std::vector<Entry>> Entries(const HistoryQuery& query) override;
  Status ForEachPart(const HistoryQuery& query, const Place& from, const VisitPart& visit) override;
  Result<std::optional<Newest>> FindNewest(const HistoryQuery& query, std::int64_t count,
                                           bool changes_only) override;
  Result<HistoryAt> Look(const HistoryQuery& query, Time at) override;
  Result<std::vector<ReasonEntry>> Reasons(const Entry& entry) override;
  Result<std::vector<ForeignChangeEntry>> ForeignChanges(const HistoryQuery& query) override;
  Result<std::vector<EditEntry>> Edits(const HistoryQuery& query) override;
  Result<std::vector<DelayEntry>> DelaysInRuns(const HistoryQuery& query) override;
  Result<GapFacts> Explain(const Subject* subject, Time from, Time to) override;
  Status ForEach(const HistoryQuery& query, const Visit& visit) override;
  Status ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) override;
  std::int64_t damaged() const override { return damaged_; }

 private:
  struct Record {
    Entry entry;
    Documents documents;
  };

  explicit Reader(std::unique_ptr<Database> database);
  Result<Heartbeat> ReadHeartbeat();
  // Reads in one transaction, so that the heartbeat and the runs that it extends belong together.
  template <typename Read>
  auto WithHeartbeat(Read read);
  // The rows that the statement selects for the query.
  template <typename T, typename AtRow>
  Result<std::vector<T>> Select(const HistoryQuery& query, const char* sql, AtRow at_row);
  // As ReadEntries (entry_rows.h).
  Result<std::vector<Entry>> ReadFrom(const HistoryQuery& query, const Place& after,
                                      std::int64_t until, std::int64_t limit);
  Result<std::vector<std::int64_t>> ReadAutoscalers(const HistoryQuery& query);
  Result<Place> FirstPlace(std::int64_t autoscaler, const HistoryQuery& query);
  Result<std::vector<Record>> ReadBatch(std::int64_t autoscaler, const HistoryQuery& query,
                                        const Heartbeat& heartbeat, const Place& after);

  std::unique_ptr<Database> database_;  // null: the file is empty
  // The shortest period of the live autoscalers, 0: none is live; read once, since that reads all.
  std::optional<std::int64_t> shortest_;
  std::int64_t damaged_ = 0;
};

}  // namespace ballast::store
