// What the ledger knows of one autoscaler, and the writes that bring the database up to it.
//
// Each function that changes it appends what has to be written to `writes`. Thread-safety: none;
// the ledger's mutex guards it.
#pragma once

#include <optional>

#include "api/time.h"
#include "store/decisions.h"
#include "store/memory.h"
#include "store/records.h"
#include "store/span.h"
#include "store/track.h"
#include "store/writer.h"

namespace ballast::store {

struct Known {
  Subject subject;
  std::optional<MemoryImage> memory;
  MemoryImage written;  // what the database has, once all that waits is written
  std::optional<Span> run;
  Allowance allowance;
  std::optional<Track> track;
  Time track_due;
  DecisionId intent = 0;  // the newest; 0 is none
  LastReplicas last;

  // Whether `next` belongs to the run that goes on.
  bool Continues(const Evaluation& next);
  void EndRun(Writer::Writes& writes);

  // Adds the evaluation to the track.
  void Follow(const Evaluation& evaluation, Writer::Writes& writes);
  // Writes the track as it is now.
  void WriteTrack(Writer::Writes& writes) const;

  void Remember(MemoryImage image, Writer::Writes& writes);

  // Writes down exactly what the heartbeat stood for.
  void Rest(Writer::Writes& writes);
};

}  // namespace ballast::store
