// What a store has on record, for everything that looks back: the command line, explanations,
// replay.
//
//   const std::unique_ptr<History> history = *Reader::Open(path);  // store/sqlite/reader.h
//   for (const Entry& entry : *history->Entries({.key = key})) ...
//
// Thread-safety: one thread at a time.
// Errors: kCorrupt, kUnavailable of any call; the back end's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "store/evaluation_series.h"
#include "store/records.h"

namespace ballast::store {

// One decision, or a run of consecutive evaluations that all came to the same.
struct Entry {
  DecisionId id = 0;
  Subject subject;
  Duration period;  // how often the autoscaler is evaluated now
  Time time;
  Time until;         // the last evaluation of the run; equals `time` for a single one
  bool open = false;  // the run goes on: `until` is the fleet's last evaluation
  // Length of the run. Absent while it is open, and when a crash ended it.
  std::optional<std::int64_t> evaluations;
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::string message;
  Fate fate = Fate::kNone;
  std::string error;            // of the write, if it failed
  std::optional<Time> settled;  // when the fate of a write was recorded
  std::int64_t engine = 0;      // the version of the engine that made it; 0: not recorded
  // What the conclusion is about: not `fate` and `error` where those were found out later.
  Fate concluded = Fate::kNone;
  std::string concluded_error;
  // A crash ended it: when the next process started.
  std::optional<Time> resumed;
  // It goes on: how often the fleet's last evaluation moves on.
  std::optional<Duration> heartbeats;

  bool changes() const { return desired_replicas != current_replicas; }
  // Until when it is known to have held: an evaluation that is due and does not come ends it, and
  // so does the end of the process.
  Time known_until() const;
};

// What a decision was made from and what it was, as JSON; empty where it was not kept.
struct Documents {
  std::string snapshot;
  std::string conclusion;
};

// The first evaluation for one of the reasons of a run, where reasons take turns.
struct Turn {
  Time time;
  std::string reason;
  std::string message;
  Documents documents;
};

// As an entry of its own: the run, for that reason and from that evaluation on.
Entry EntryOf(Entry run, const Turn& turn);

// The way of a scale event through time; its evaluation began at the entry's time.
struct Timeline {
  std::optional<Time> sampled;  // the newest sample that it was made from
  Time seen;                    // all answers were there
  Time decided;
  std::optional<Time> written;  // the API server confirmed it
  std::optional<Time> ready;    // as many pods were ready as had been asked for
};

// Replicas that somebody else set.
struct Intrusion {
  Subject subject;
  ForeignChange change;
};

struct HistoryQuery {
  std::optional<api::ObjectKey> key;  // all autoscalers when absent
  std::optional<Time> since;          // runs that end before are left out
  std::optional<Time> until;          // runs that begin after are left out
  std::string kind;                   // all kinds when empty
};

// What the store knows about one autoscaler at one moment.
struct Sighting {
  std::optional<Entry> last;           // the last decision that began until then
  Documents documents;                 // of `last`
  std::optional<Timeline> timeline;    // of `last`, if it was a scale event
  std::optional<SeriesPoint> point;    // the last evaluation until then
  std::optional<Turn> turn;            // for its reason, where that is not the one of `last`
  std::optional<Intrusion> intrusion;  // by which the replicas came to be what they were then
  std::optional<Entry> next;           // the first one that began afterwards
  // The last one until then that was kept with its snapshot: `last`, or an earlier one.
  std::optional<Entry> kept;
  std::string kept_snapshot;
  Time heartbeat;  // the fleet's newest evaluation
};

// What the store knows of a time without an evaluation.
struct Pause {
  // Who else led in it, the last one of several, as far as the writer of the file knows.
  std::optional<std::string> leader;
  Duration down;          // of it, no process ran that writes this file
  bool unserved = false;  // a process ran that did not serve the namespace
  std::optional<Delay> delay;
  bool others = false;  // other autoscalers were evaluated meanwhile
};

class History {
 public:
  virtual ~History() = default;

  // Whether an autoscaler of that name, and kind unless it is empty, has a record.
  virtual Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) = 0;

  // Every autoscaler that has a record, by namespace, name and age.
  virtual Result<std::vector<Subject>> Subjects() = 0;

  // Oldest first.
  virtual Result<std::vector<Entry>> Entries(const HistoryQuery& query) = 0;

  // `query` must have a key; its times are not looked at.
  virtual Result<Sighting> Look(const HistoryQuery& query, Time at) = 0;

  // The other reasons of a run, in the order in which they came up; other entries have none.
  virtual Result<std::vector<Turn>> Turns(const Entry& entry) = 0;

  // Changes of replicas by others, oldest first.
  virtual Result<std::vector<Intrusion>> Intrusions(const HistoryQuery& query) = 0;

  // What is known of a time in which `subject` was not evaluated; without a subject: in which none
  // was.
  virtual Result<Pause> Explain(const Subject* subject, Time from, Time to) = 0;

  // Shows `visit` one entry after the other with its documents, one autoscaler after the other,
  // oldest first, until it returns an error. Memory stays bounded however many there are.
  using Visit = std::function<Status(const Entry&, const Documents&)>;
  virtual Status ForEach(const HistoryQuery& query, const Visit& visit) = 0;
};

}  // namespace ballast::store
