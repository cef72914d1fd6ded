// What is recorded beside the decisions: tracks, replicas that somebody else set, who led. Written
// by the ledger, one function per change.
//
// Thread-safety and failure modes: the Database's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/records.h"
#include "store/sqlite.h"
#include "store/track.h"

namespace ballast::store {

struct TrackRow {
  Subject subject;
  Time time;
  Time until;
  std::int64_t evaluations = 0;
  std::string data;  // Track::Pack
};

// Adds it, or puts it in place of what the same track was before it grew.
Status WriteTrack(Database& database, const TrackRow& row);

// The autoscaler's newest evaluation until then that is in a track.
Result<std::optional<TrackPoint>> FindInTracks(Database& database, const std::string& uid,
                                               Time until);

Status InsertForeignChange(Database& database, const Subject& subject, const ForeignChange& change);

// `since` also ends the term before.
Status InsertTerm(Database& database, const std::string& leader, bool own, Time since);

// Ends the term of the writer before, at the heartbeat.
Status CloseOwnTerm(Database& database);

}  // namespace ballast::store
