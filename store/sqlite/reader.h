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

#include "store/paged_history.h"

namespace ballast::store {

class Database;
struct Heartbeat;

// The processes that wrote a file.
struct Writers {
  std::string leader;         // what the last one was called that led; empty: none did
  std::vector<Time> started;  // in order; a copy has those of its original
};

class Reader final : public PagedHistory {
 public:
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  ~Reader() override;

  Result<Writers> ReadWriters();

  Result<std::optional<Reach>> HowFarBack(const HistoryQuery& query) override;
  Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) override;
  Result<std::vector<Subject>> Subjects() override;
  Result<std::optional<Extent>> ExtentOf(const HistoryQuery& query) override;
  Result<EntryPage> ReadEntryPage(const HistoryQuery& query, const Place& from) override;
  Result<std::optional<Newest>> FindNewest(const HistoryQuery& query, std::int64_t count) override;
  Result<HistoryAt> Look(const HistoryQuery& query, Time at) override;
  Result<std::vector<ForeignChangeEntry>> ForeignChanges(const HistoryQuery& query) override;
  Result<std::vector<EditEntry>> Edits(const HistoryQuery& query) override;
  Result<std::vector<DelayEntry>> DelaysInRuns(const HistoryQuery& query) override;
  Result<GapFacts> Explain(const Subject* subject, Time from, Time to) override;
  Result<DecisionPage> ReadDecisionPage(const HistoryQuery& query,
                                        const AutoscalerPlace& from) override;
  Result<EvaluationPage> ReadEvaluationPage(const HistoryQuery& query,
                                            const AutoscalerPlace& from) override;
  std::int64_t damaged() const override { return damaged_; }

 private:
  struct ListedAutoscaler {
    std::int64_t id = 0;
    Subject subject;
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
  // Those that the query selects from that place on, by namespace, name and uid.
  Result<std::vector<ListedAutoscaler>> ReadAutoscalers(const HistoryQuery& query,
                                                        const AutoscalerPlace& from);
  Result<Place> FirstPlace(std::int64_t autoscaler, const HistoryQuery& query);
  // Adds an autoscaler's decisions after `after`; false: the page is full.
  Result<bool> AddDecisions(std::int64_t autoscaler, const HistoryQuery& query,
                            const Heartbeat& heartbeat, const Place& after,
                            std::vector<FullEntry>& page);

  std::unique_ptr<Database> database_;  // null: the file is empty
  // The shortest period of the live autoscalers, 0: none is live; read once, since that reads all.
  std::optional<std::int64_t> shortest_;
  std::int64_t damaged_ = 0;
};

}  // namespace ballast::store
