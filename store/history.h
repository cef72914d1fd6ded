// The history in a store, as the command line, explanations and replay read it.
//
//   const std::unique_ptr<History> history = *Reader::Open(path);  // store/sqlite/reader.h
//   for (const Entry& entry : *history->Entries({.key = key})) ...
//
// Thread-safety: one thread at a time.
// Errors: kCorrupt and kUnavailable from any call, and those of the back end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "store/packing/evaluation_series.h"
#include "store/records.h"

namespace ballast::store {

// One decision, or a run of consecutive evaluations with the same result.
struct Entry {
  DecisionId id = 0;
  std::string ledger;  // of several: the one that has it; empty: there is one
  Subject subject;
  Duration period;  // how often the autoscaler is evaluated now
  Time time;
  Time until;         // the last evaluation of the run; equals `time` for a single one
  bool open = false;  // the run is open: `until` is the fleet's last evaluation
  // In the run. Absent while it is open, and when a crash ended it.
  std::optional<std::int64_t> evaluations;
  bool late = false;  // the run continued over delays
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::string message;
  Disposition disposition = Disposition::kNone;
  std::string error;            // of the write, if it failed
  std::optional<Time> settled;  // when the disposition of a write was recorded
  MadeBy made_by = MadeBy::kEvaluated;
  std::int64_t engine = 0;  // the version of the engine of the process that recorded it
  // The disposition and error that the conclusion is about. They differ from `disposition` and
  // `error` where those were found out later.
  Disposition concluded = Disposition::kNone;
  std::string concluded_error;
  // When the next process started, if a crash ended the run.
  std::optional<Time> resumed;
  // How often the fleet's last evaluation advances, if the run is open.
  std::optional<Duration> heartbeats;

  // Whether the engine decided, from the snapshot.
  bool evaluated() const { return made_by == MadeBy::kEvaluated || made_by == MadeBy::kAttempted; }
  bool changes() const { return desired_replicas != current_replicas; }
  // Until when the result is known to have held: two periods after the last evaluation, or less
  // if the process ended.
  Time known_until() const;
};

// The snapshot and the conclusion of a decision, as JSON; empty where they were not kept.
struct Documents {
  std::string snapshot;
  std::string conclusion;
};

// The first evaluation for a further reason of a run whose reasons alternate.
struct ReasonEntry {
  Time time;
  std::string reason;
  std::string message;
  Documents documents;
};

// The run as an entry for that reason, from that evaluation on.
Entry EntryOf(Entry run, const ReasonEntry& reason);

// An entry with all that is kept of it.
struct FullEntry {
  Entry entry;
  Documents documents;
  // If its run has several reasons, the further ones, in the order in which they first occurred.
  std::vector<ReasonEntry> reasons;
};

// When a scale event went through each step; its evaluation began at the entry's time.
struct Timeline {
  std::optional<Time> sampled;  // the newest sample that it was made from
  Time seen;                    // all answers had arrived
  Time decided;
  std::optional<Time> written;  // the API server confirmed it
  std::optional<Time> ready;    // as many pods were ready as had been asked for
};

// A change of replicas by another client.
struct ForeignChangeEntry {
  Subject subject;
  ForeignChange change;
  std::string ledger = {};  // as Entry::ledger
};

// A change of a field of an autoscaler.
struct EditEntry {
  Subject subject;
  Edit edit;
  // The first decision with it. Absent: none was made yet, or the evaluations after the edit
  // continued the run that they were in, so it changed nothing.
  std::optional<DecisionId> decision;
  std::string ledger = {};  // as Entry::ledger
};

// A delay within a run.
struct DelayEntry {
  Subject subject;
  Duration period;  // how often the autoscaler is evaluated now
  Delay delay;
};

struct HistoryQuery {
  std::optional<api::ObjectKey> key;  // absent: all autoscalers
  std::optional<Time> since;          // without runs that end before
  std::optional<Time> until;          // without runs that begin after
  std::string kind;                   // empty: all kinds
  std::string namespace_;             // without a key: of this one only; empty: of all
  // Entries that change nothing matter only for their times: they may come joined.
  bool changes_only = false;
};

// A place in a history, whose order is by time, and by number where the time is the same.
struct Place {
  Time time;  // by default before everything
  DecisionId id = 0;
};

// Where the newest entries begin, and what is before.
struct Newest {
  Place from;                 // the first one of them
  std::int64_t left_out = 0;  // how many entries are before
  Time oldest;                // when the first of those began
};

// What the store knows of one autoscaler at one moment.
struct HistoryAt {
  std::optional<Entry> last;          // the last decision that began until then
  Documents documents;                // of `last`
  std::optional<Timeline> timeline;   // of `last`, if it was a scale event
  std::optional<SeriesPoint> point;   // the last evaluation until then
  std::optional<ReasonEntry> reason;  // for the reason of `point`, if that is not `last`'s
  std::optional<ForeignChangeEntry> foreign_change;  // that set the replicas of that moment
  std::vector<EditEntry> edits;                      // that `last` is the first decision with
  std::optional<Entry> next;                         // the first decision that began afterwards
  // The last decision until then that has a snapshot: `last`, or an earlier one.
  std::optional<Entry> kept;
  std::string kept_snapshot;
  Time heartbeat;  // the fleet's newest evaluation
};

// What the store knows of a time without an evaluation.
struct GapFacts {
  // The last other leader in that time, as far as the writer of the file knows.
  std::optional<std::string> leader;
  Duration down;          // how long no process ran that writes this file
  bool in_vain = false;   // a process evaluated nothing before the next one started
  bool unserved = false;  // a process ran that did not serve the namespace
  std::optional<Delay> delay;
  bool others = false;  // autoscalers were evaluated in that time
};

// What the store has of a name, and since when.
struct Extent {
  Subject subject;  // the newest, if several autoscalers had the name
  Time from;        // the first evaluation
  Time until;       // the last one
};

// How far back the history of a namespace reaches, or of all.
struct Reach {
  Time since;  // every evaluation since then is on record, but for the newest minutes'
  // There was more, which retention has deleted.
  bool deleted = false;
  std::string namespace_;  // if so: the one that reaches back the least
};

class History {
 public:
  virtual ~History() = default;

  // Of the query's namespace, or of all; its times and its kind are ignored. Nullopt: no
  // evaluations are on record, and none were deleted.
  virtual Result<std::optional<Reach>> HowFarBack(const HistoryQuery& query) = 0;

  // Whether there is a record of an autoscaler with that name and kind; empty: of any kind.
  virtual Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) = 0;

  // Every autoscaler that has a record, by namespace, name and age (of its first record).
  virtual Result<std::vector<Subject>> Subjects() = 0;

  // Of what the query selects, from its first evaluation to its last one, also where that is
  // outside of the query's times; nullopt: nothing is recorded.
  virtual Result<std::optional<Extent>> ExtentOf(const HistoryQuery& query) = 0;

  // Oldest first.
  Result<std::vector<Entry>> Entries(const HistoryQuery& query);

  // The same, from the entry at `from` on, in parts, so that memory is bounded however many there
  // are. `visit` gets all entries that began after those of the part before, until `until`.
  using VisitPart = std::function<Status(std::vector<Entry> entries, Time until)>;
  virtual Status ForEachPart(const HistoryQuery& query, const Place& from,
                             const VisitPart& visit) = 0;

  // Where the newest `count` (1 or more) of these entries begin, if only changes count
  // of those that changed the replicas, or would have; nullopt: there are no more than that.
  virtual Result<std::optional<Newest>> FindNewest(const HistoryQuery& query,
                                                   std::int64_t count) = 0;

  // `query` must have a key; its times are ignored.
  virtual Result<HistoryAt> Look(const HistoryQuery& query, Time at) = 0;

  // Changes of replicas by others, oldest first.
  virtual Result<std::vector<ForeignChangeEntry>> ForeignChanges(const HistoryQuery& query) = 0;

  // Edits of autoscalers, oldest first.
  virtual Result<std::vector<EditEntry>> Edits(const HistoryQuery& query) = 0;

  // The longest delay of each run that continued over some, oldest first.
  virtual Result<std::vector<DelayEntry>> DelaysInRuns(const HistoryQuery& query) = 0;

  // What is known of a time in which `subject` was not evaluated; null: in which no autoscaler was.
  virtual Result<GapFacts> Explain(const Subject* subject, Time from, Time to) = 0;

  // Calls `visit` for each entry with all that is kept of it, autoscaler by autoscaler (by
  // namespace, name and uid), oldest first, until it returns an error. Memory is bounded however
  // many entries there are.
  using Visit = std::function<Status(const FullEntry&)>;
  virtual Status ForEach(const HistoryQuery& query, const Visit& visit) = 0;

  // The same for each evaluation in that time, with the values of its metrics, as far as they are
  // on record; the last one before that time comes first. Where the clock was set back, later
  // evaluations may come before earlier ones.
  using VisitEvaluation = std::function<Status(const Subject&, const SeriesPoint&)>;
  virtual Status ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) = 0;

  // How many documents and series were left out so far, because they are damaged.
  virtual std::int64_t damaged() const = 0;
};

}  // namespace ballast::store
